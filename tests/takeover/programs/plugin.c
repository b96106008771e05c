/* A library that has the static runtime in it and uses it in its constructor. */
#include <dlfcn.h>
#include <stddef.h>

void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFunction(void** handle, const char* host);
int cudaGetDeviceCount(int* count);
int cudaLibraryLoadData(void**, const void*, void*, void*, unsigned, void*, void*, unsigned);

__attribute__((section(".nv_fatbin"), used)) static const char kernels[16];
static int devices = -1;
__attribute__((constructor)) static void at_start(void) { cudaGetDeviceCount(&devices); }
/* As the runtime does at the first call that needs a device. */
__attribute__((visibility("default"))) int opens_driver(void) { return dlopen("libcuda.so.1", RTLD_NOW) != NULL; }
__attribute__((visibility("default"))) int devices_of_plugin(void) { return devices; }
