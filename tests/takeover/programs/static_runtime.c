/* Stands for NVIDIA's static runtime: functions of these names, none of which works. */
#include <stddef.h>

#define REFUSES(name, parameters) \
    int name parameters { return 103; }

volatile int registered_by_itself;

void** __cudaRegisterFatBinary(void* wrapper) {
    registered_by_itself += wrapper != 0;
    return 0;
}
void __cudaRegisterFunction(void** handle, const char* host) { registered_by_itself += handle != 0 && host != 0; }
void __cudaUnregisterFatBinary(void** handle) { registered_by_itself -= handle != 0; }
REFUSES(cudaMalloc, (void** pointer, size_t bytes))
REFUSES(cudaFree, (void* pointer))
REFUSES(cudaMemset, (void* to, int value, size_t bytes))
REFUSES(cudaMemcpy, (void* to, const void* from, size_t bytes, int kind))
REFUSES(cudaLibraryLoadData, (void** library, const void* code, void* a, void* b, unsigned c, void* d, void* e, unsigned f))
REFUSES(cudaGetDeviceCount, (int* count))
/* The runtime has a function of this name, ours does not. */
REFUSES(cudaGetExportTable, (const void** table, const void* id))
/* A function of the program's own. */
REFUSES(cudaMyOwnHelper, (int number))
