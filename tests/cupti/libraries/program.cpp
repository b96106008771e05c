// A program that "uses a GPU": what it is told on its command line, in order.
//   launch NAME GRID BLOCK | ex NAME GRID BLOCK | copy KIND BYTES | set BYTES | graph NAME | capture 0|1 | say TEXT |
//   exit CODE
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "made_up.hpp"

int main(int argc, char** argv) {
    void* library = dlopen(std::getenv("WARPWRIGHT_LIBCUDA"), RTLD_NOW | RTLD_GLOBAL);
    if (!library) return std::fprintf(stderr, "%s\n", dlerror()), 99;
    const auto symbol = [&](const char* name) { return dlsym(library, name); };
    reinterpret_cast<decltype(&made_up_start)>(symbol("made_up_start"))();
    for (int k = 1; k < argc; ++k) {
        const auto number = [&] { return std::strtoul(argv[++k], nullptr, 10); };
        if (!std::strcmp(argv[k], "launch") || !std::strcmp(argv[k], "ex")) {
            const bool ex = argv[k][0] == 'e';
            const char* name = argv[++k];
            const auto grid = static_cast<unsigned>(number()), block = static_cast<unsigned>(number());
            if (ex)
                reinterpret_cast<decltype(&made_up_launch_ex)>(symbol("made_up_launch_ex"))(name, grid, block, 9);
            else
                reinterpret_cast<decltype(&made_up_launch)>(symbol("made_up_launch"))(name, grid, block, 64, 7);
        } else if (!std::strcmp(argv[k], "copy")) {
            const int kind = static_cast<int>(number());
            reinterpret_cast<decltype(&made_up_copy)>(symbol("made_up_copy"))(kind, number(), 7);
        } else if (!std::strcmp(argv[k], "set")) {
            reinterpret_cast<decltype(&made_up_set)>(symbol("made_up_set"))(number(), 7);
        } else if (!std::strcmp(argv[k], "graph")) {
            reinterpret_cast<decltype(&made_up_graph)>(symbol("made_up_graph"))(argv[++k]);
        } else if (!std::strcmp(argv[k], "capture")) {
            reinterpret_cast<decltype(&made_up_capture)>(symbol("made_up_capture"))(static_cast<int>(number()));
        } else if (!std::strcmp(argv[k], "say")) {
            std::puts(argv[++k]);
        } else if (!std::strcmp(argv[k], "exit")) {
            return static_cast<int>(number());
        }
    }
    return 0;
}
