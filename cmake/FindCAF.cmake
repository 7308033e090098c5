# SPDX-License-Identifier: Apache-2.0
# Finds the C++ Actor Framework of the distribution, which ships no CMake
# configuration of its own. Defines CAF::core, and CAF::io and CAF::openssl
# where asked for.
find_path(CAF_INCLUDE_DIR caf/actor_system.hpp)
set(_caf_required CAF_INCLUDE_DIR)
if(CAF_INCLUDE_DIR)
  file(STRINGS "${CAF_INCLUDE_DIR}/caf/config.hpp" _caf_line
       REGEX "#define CAF_VERSION ")
  if(_caf_line MATCHES "([0-9]+)")
    math(EXPR _caf_major "${CMAKE_MATCH_1} / 10000")
    math(EXPR _caf_minor "${CMAKE_MATCH_1} / 100 % 100")
    math(EXPR _caf_patch "${CMAKE_MATCH_1} % 100")
    set(CAF_VERSION "${_caf_major}.${_caf_minor}.${_caf_patch}")
  endif()
endif()
foreach(_component IN LISTS CAF_FIND_COMPONENTS)
  find_library(CAF_${_component}_LIBRARY caf_${_component})
  list(APPEND _caf_required CAF_${_component}_LIBRARY)
  if(CAF_${_component}_LIBRARY)
    set(CAF_${_component}_FOUND TRUE)
  endif()
endforeach()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CAF
  REQUIRED_VARS ${_caf_required} VERSION_VAR CAF_VERSION HANDLE_COMPONENTS)
if(CAF_FOUND)
  foreach(_component IN LISTS CAF_FIND_COMPONENTS)
    if(NOT TARGET CAF::${_component})
      add_library(CAF::${_component} UNKNOWN IMPORTED)
      set_target_properties(CAF::${_component} PROPERTIES
        IMPORTED_LOCATION "${CAF_${_component}_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${CAF_INCLUDE_DIR}")
      if(NOT _component STREQUAL "core")
        target_link_libraries(CAF::${_component} INTERFACE CAF::core)
      endif()
    endif()
  endforeach()
endif()
