# SPDX-License-Identifier: Apache-2.0
# How every target of the project is compiled.
include(GNUInstallDirs)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(THREADS_PREFER_PTHREAD_FLAG ON)

# What a test with sanitizers runs in.
set(ACTORPIPE_SANITIZED_TEST_ENVIRONMENT
    "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/leak_suppressions.txt:print_suppressions=0")

# Flags of one target: C++20, warnings, sanitizers, and no contraction of a
# product and a sum into one rounding, so that every build of a kernel gives
# the same bits.
function(actorpipe_flags target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
    -ffp-contract=off)
  if(ACTORPIPE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(ACTORPIPE_SANITIZE)
    # CAF calls a member of a null reference when a function-based actor is
    # spawned without an argument; nothing is read through it.
    target_compile_options(${target} PUBLIC
      -fsanitize=${ACTORPIPE_SANITIZE} -fno-sanitize=null
      -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${ACTORPIPE_SANITIZE})
  endif()
  if(ACTORPIPE_FUZZ)
    # libFuzzer sees which branches an input takes. A real number that no
    # integer can hold is not among "undefined". What toml++ declares to be
    # unreachable can be reached by letters beyond ASCII, without harm; what
    # clang does not vectorise when it is watched is none of ours.
    target_compile_options(${target} PUBLIC
      -fsanitize=fuzzer-no-link,float-cast-overflow -fno-sanitize=unreachable
      -fno-sanitize-recover=float-cast-overflow -Wno-pass-failed)
    target_link_options(${target} PUBLIC -fsanitize=float-cast-overflow)
  endif()
endfunction()

# actorpipe_library(NAME SOURCES ... LINKS ...): the library of one folder.
function(actorpipe_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(actorpipe_${name} STATIC)
  target_sources(actorpipe_${name} PRIVATE ${ARG_SOURCES})
  add_library(actorpipe::${name} ALIAS actorpipe_${name})
  set_target_properties(actorpipe_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(actorpipe_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/actorpipe>)
  target_link_libraries(actorpipe_${name}
    PUBLIC ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
  actorpipe_flags(actorpipe_${name})
endfunction()
