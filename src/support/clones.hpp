// Marks a function to be compiled for several x86-64 levels; the loader picks the best that the processor has.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
    #define WARPWRIGHT_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
    #define WARPWRIGHT_CLONES
#endif
