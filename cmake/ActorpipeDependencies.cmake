# SPDX-License-Identifier: Apache-2.0
# The libraries that the build and an installed package both look for.
include(CMakeFindDependencyMacro)

# In the build they are required; in the installed package a missing one makes
# find_package(actorpipe) fail the way that its caller asked for.
macro(_actorpipe_find)
  if(CMAKE_FIND_PACKAGE_NAME STREQUAL "actorpipe")
    find_dependency(${ARGV})
  else()
    find_package(${ARGV} REQUIRED)
  endif()
endmacro()

_actorpipe_find(Threads)
_actorpipe_find(dnnl)
_actorpipe_find(OpenMP COMPONENTS CXX)
_actorpipe_find(OpenSSL COMPONENTS Crypto SSL)
_actorpipe_find(Boost 1.74)
_actorpipe_find(CAF 0.17.6 COMPONENTS core io)
_actorpipe_find(fmt)
_actorpipe_find(nlohmann_json)
_actorpipe_find(tomlplusplus)
