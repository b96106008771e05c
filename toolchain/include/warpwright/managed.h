// Where a program's managed variables lie, told to our runtime library before it hears of the program's kernels. The linker
// makes the two names where the section exists. What a file has in the section ends with a page (it is the last part of it
// there, and nothing where the file has no such variable): no other variable shares a page with these, so that `check` can
// close them to the host while a kernel may use them.
#pragma once

#ifndef __CUDA_ARCH__
__asm__(".pushsection ww_managed,1,\"aw\",@progbits\n\t.balign 4096\n\t.popsection");
extern "C" {
extern const char ww_managed_begin[] __asm__("__start_ww_managed") __attribute__((weak, visibility("hidden")));
extern const char ww_managed_end[] __asm__("__stop_ww_managed") __attribute__((weak, visibility("hidden")));
void __cudaWarpwrightManaged(const void* begin, const void* end) __attribute__((weak));
}
static __attribute__((constructor(101))) void ww_tell_managed() {
    if (ww_managed_begin && ww_managed_begin != ww_managed_end && __cudaWarpwrightManaged) __cudaWarpwrightManaged(ww_managed_begin, ww_managed_end);
}
#endif
