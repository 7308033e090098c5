# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` lays down, and the package that find_package finds.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(ACTORPIPE_LIBRARIES compute partition messages actors)
list(TRANSFORM ACTORPIPE_LIBRARIES PREPEND actorpipe_
     OUTPUT_VARIABLE _actorpipe_targets)

# All libraries at once.
add_library(actorpipe_umbrella INTERFACE)
add_library(actorpipe::actorpipe ALIAS actorpipe_umbrella)
set_target_properties(actorpipe_umbrella PROPERTIES EXPORT_NAME actorpipe)
target_link_libraries(actorpipe_umbrella INTERFACE ${_actorpipe_targets})

option(ACTORPIPE_INSTALL "Install rules" ${PROJECT_IS_TOP_LEVEL})
if(NOT ACTORPIPE_INSTALL)
  return()
endif()

set(_actorpipe_package ${CMAKE_INSTALL_LIBDIR}/cmake/actorpipe)
install(TARGETS ${_actorpipe_targets} actorpipe_umbrella actorpipe_plugin
  EXPORT actorpipe-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(EXPORT actorpipe-targets
  NAMESPACE actorpipe:: DESTINATION ${_actorpipe_package}
  COMPONENT development)

# compute/cpu and compute/reference are behind compute/device/device.hpp.
install(DIRECTORY ${ACTORPIPE_LIBRARIES}
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/actorpipe COMPONENT development
  FILES_MATCHING PATTERN "*.hpp"
  PATTERN "compute/cpu" EXCLUDE
  PATTERN "compute/reference" EXCLUDE)
install(DIRECTORY config
  DESTINATION ${CMAKE_INSTALL_DATADIR}/actorpipe
  FILES_MATCHING PATTERN "*.toml")
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(
  cmake/actorpipe-config.cmake.in actorpipe-config.cmake
  INSTALL_DESTINATION ${_actorpipe_package})
write_basic_package_version_file(
  actorpipe-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/actorpipe-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/actorpipe-config-version.cmake
  cmake/ActorpipeDependencies.cmake
  cmake/FindCAF.cmake
  DESTINATION ${_actorpipe_package} COMPONENT development)
