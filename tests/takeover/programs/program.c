/* Calls the functions of the runtime that is in it, in a constructor as well, and loads a library that does the same. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

void** __cudaRegisterFatBinary(void* wrapper);
int cudaMalloc(void** pointer, size_t bytes);
int cudaFree(void* pointer);
int cudaMemset(void* to, int value, size_t bytes);
int cudaMemcpy(void* to, const void* from, size_t bytes, int kind);
int cudaGetDeviceCount(int* count);
int cudaGetExportTable(const void** table, const void* id);
int cudaMyOwnHelper(int number);
int cudaLibraryLoadData(void**, const void*, void*, void*, unsigned, void*, void*, unsigned);

/* As a program with kernels has it. */
__attribute__((section(".nv_fatbin"), used)) static const char kernels[16];
static int early = -1;

__attribute__((constructor)) static void at_start(void) { cudaGetDeviceCount(&early); }

int main(int argc, char** argv) {
    void* memory = NULL;
    unsigned char bytes[8] = {0};
    const void* table = NULL;
    printf("devices at the start: %d\n", early);
    printf("malloc %d\n", cudaMalloc(&memory, 8));
    printf("memset %d\n", cudaMemset(memory, 7, 8));
    printf("memcpy %d, ", cudaMemcpy(bytes, memory, 8, 2));
    printf("last byte %d\n", bytes[7]);
    printf("free %d\n", cudaFree(memory));
    printf("export table %d\n", cudaGetExportTable(&table, bytes));
    printf("own helper %d\n", cudaMyOwnHelper(1));
    printf("library %d\n", cudaLibraryLoadData(&memory, NULL, NULL, NULL, 0, NULL, NULL, 0));
    if (argc < 2) return 0;
    void* plugin = dlopen(argv[1], RTLD_NOW);
    int (*count)(void) = plugin ? (int (*)(void))dlsym(plugin, "devices_of_plugin") : NULL;
    printf("plugin's devices: %d\n", count ? count() : -2);
    return 0;
}
