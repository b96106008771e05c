// A file whose device code is linked in a step of its own (-dc): where the linked code lies, told to our runtime library
// before it hears of the file's kernels. The object that -dlink makes has the name.
#pragma once

#ifndef __CUDA_ARCH__
extern "C" {
extern const char ww_linked_code[] __asm__("__warpwright_linked_code") __attribute__((visibility("hidden")));
void __cudaWarpwrightLinked(const void* code) __attribute__((weak));
}
static __attribute__((constructor(101))) void ww_tell_linked() {
    if (__cudaWarpwrightLinked) __cudaWarpwrightLinked(ww_linked_code);
}
#endif
