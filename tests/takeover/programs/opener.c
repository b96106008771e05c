// Opens a library and says which file it got; with a third word it calls the function as well.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    void* const library = dlopen(argv[1], RTLD_NOW);
    if (!library) {
        puts(dlerror());
        return 1;
    }
    void* const function = dlsym(library, argv[2]);
    Dl_info info;
    if (!function || !dladdr(function, &info)) return 1;
    puts(info.dli_fname);
    if (argc > 3) printf("%d\n", ((int (*)(void))function)());
    return 0;
}
