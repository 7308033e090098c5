# SPDX-License-Identifier: Apache-2.0
# The libraries that the build and an installed package both look for.
find_package(Threads REQUIRED)
find_package(dnnl REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(CAF 0.17.6 REQUIRED COMPONENTS core)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tomlplusplus REQUIRED)
