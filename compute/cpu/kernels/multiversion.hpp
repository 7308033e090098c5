// SPDX-License-Identifier: Apache-2.0
/// How a kernel is compiled: once for each level of the instruction set.
#pragma once

/// Stands before the definition of a kernel that is called from outside: the
/// widest version that the processor has is chosen when the program is loaded.
/// All versions give the same bits, since they do the same IEEE operations in
/// the same order (see `lanes.hpp`) and none fuses a product with a sum.
#ifdef ACTORPIPE_KERNEL_VERSIONS
#define ACTORPIPE_KERNEL                                                       \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define ACTORPIPE_KERNEL
#endif

/// Stands before what a kernel calls, which must become part of each version.
#define ACTORPIPE_INLINE inline __attribute__((always_inline))

/// Stands before a loop whose rounds do not depend on each other, even where
/// what is written is what is read.
#ifdef __clang__
#define ACTORPIPE_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define ACTORPIPE_INDEPENDENT _Pragma("GCC ivdep")
#endif
