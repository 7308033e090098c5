// SPDX-License-Identifier: Apache-2.0
/// A shared library that is no plugin.
int something_else() {
  return 1;
}
