// A program that has more libraries loaded than most: those that the words name, and calls a function of the last,
// cuSPARSE.
#include <dlfcn.h>

#include <cstdio>

#include "cusparse.h"

int main(int words, char** word) {
    void* last = nullptr;
    for (int k = 1; k < words; ++k)
        if (last = dlopen(word[k], RTLD_NOW | RTLD_GLOBAL); !last) return std::printf("%s\n", dlerror()), 1;
    const auto create = last ? reinterpret_cast<decltype(&cusparseCreate)>(dlsym(last, "cusparseCreate")) : nullptr;
    const auto destroy = last ? reinterpret_cast<decltype(&cusparseDestroy)>(dlsym(last, "cusparseDestroy")) : nullptr;
    cusparseHandle_t handle = nullptr;
    if (!create || !destroy || create(&handle) != CUSPARSE_STATUS_SUCCESS) return std::printf("no cusparseCreate\n"), 1;
    return destroy(handle) == CUSPARSE_STATUS_SUCCESS ? 0 : 1;
}
