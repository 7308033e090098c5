# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the scripts share: headings, the number of cores, configuring a build.

# heading TEXT...
heading() {
  printf '\n==== %s\n' "$*"
}

cores() {
  nproc 2>/dev/null || echo 2
}

# configure FOLDER OPTIONS...: an optimised build with Ninja in FOLDER, through
# ccache where it is installed.
configure() {
  local folder=$1
  shift
  local -a launcher=()
  if command -v ccache >/dev/null; then
    launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    "${launcher[@]}" "$@"
}
