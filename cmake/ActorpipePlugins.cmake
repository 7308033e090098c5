# SPDX-License-Identifier: Apache-2.0
# Plugins, and the programs that load them.
include_guard()

# actorpipe_plugin(NAME SOURCES): a shared library with layers. It is linked
# with none of ours: what it calls is in the program that loads it.
function(actorpipe_plugin name)
  add_library(${name} MODULE ${ARGN})
  set_target_properties(${name} PROPERTIES PREFIX "")
  target_link_libraries(${name} PRIVATE actorpipe::plugin)
  actorpipe_flags(${name})
endfunction()

# actorpipe_loads_plugins(TARGET): the program holds all of `compute`, whether
# it calls it or not, and shows its symbols to the libraries that it loads.
function(actorpipe_loads_plugins target)
  set_target_properties(${target} PROPERTIES
    ENABLE_EXPORTS ON
    LINK_LIBRARY_OVERRIDE "WHOLE_ARCHIVE,actorpipe_compute")
endfunction()
