// Marks a function to be compiled for several x86-64 levels; the loader picks the best that the processor has.
#pragma once

// (The loader picks before a sanitizer has begun, whose checks would be in the code that picks.)
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
    #define WARPWRIGHT_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
    #define WARPWRIGHT_CLONES
#endif
