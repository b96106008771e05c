// Launches the kernels of a case list (kernel_cases.py), for a profiler to count. Plain C++; the driver is found at run
// time: g++ -std=c++20 -O2 tools/kernel_record.cpp -ldl -o kernel_record
// Use: kernel_record FOLDER   (of cases.csv and its PTX files; one launch a line, in order)
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Handle = void*;
using DevicePointer = unsigned long long;
int (*cuInit)(unsigned);
int (*cuDeviceGet)(int*, int);
int (*cuDevicePrimaryCtxRetain)(Handle*, int);
int (*cuCtxSetCurrent)(Handle);
int (*cuCtxSynchronize)();
int (*cuModuleLoadData)(Handle*, const void*);
int (*cuModuleGetFunction)(Handle*, Handle, const char*);
int (*cuModuleUnload)(Handle);
int (*cuMemAlloc)(DevicePointer*, std::size_t);
int (*cuMemFree)(DevicePointer);
int (*cuMemcpyHtoD)(DevicePointer, const void*, std::size_t);
int (*cuLaunchKernel)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void**,
                      void**);

template <class F>
void find(void* library, F& function, const char* name) {
    function = reinterpret_cast<F>(dlsym(library, name));
    if (!function) std::fprintf(stderr, "the driver has no %s\n", name), std::exit(3);
}

void check(int code, const std::string& what) {
    if (code) std::fprintf(stderr, "%s: driver error %d\n", what.c_str(), code), std::exit(1);
}

std::vector<std::string> split(const std::string& line, char by) {
    std::vector<std::string> parts;
    std::istringstream in(line);
    for (std::string part; std::getline(in, part, by);) parts.push_back(part);
    return parts;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return std::fprintf(stderr, "usage: kernel_record FOLDER\n"), 2;
    void* library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) return std::fprintf(stderr, "no NVIDIA driver: %s\n", dlerror()), 3;
    find(library, cuInit, "cuInit");
    find(library, cuDeviceGet, "cuDeviceGet");
    find(library, cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
    find(library, cuCtxSetCurrent, "cuCtxSetCurrent");
    find(library, cuCtxSynchronize, "cuCtxSynchronize");
    find(library, cuModuleLoadData, "cuModuleLoadData");
    find(library, cuModuleGetFunction, "cuModuleGetFunction");
    find(library, cuModuleUnload, "cuModuleUnload");
    find(library, cuMemAlloc, "cuMemAlloc_v2");
    find(library, cuMemFree, "cuMemFree_v2");
    find(library, cuMemcpyHtoD, "cuMemcpyHtoD_v2");
    find(library, cuLaunchKernel, "cuLaunchKernel");
    check(cuInit(0), "cuInit");
    int device = 0;
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    Handle context = nullptr;
    check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(context), "cuCtxSetCurrent");

    const std::string folder = argv[1];
    std::ifstream cases(folder + "/cases.csv");
    unsigned launches = 0;
    for (std::string line; std::getline(cases, line);) {
        const auto f = split(line, ',');
        std::ifstream file(folder + "/" + f.at(1));
        const std::string ptx((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        Handle module = nullptr, function = nullptr;
        check(cuModuleLoadData(&module, ptx.c_str()), f[0]);
        check(cuModuleGetFunction(&function, module, f.at(2).c_str()), f[0]);
        unsigned g[3], b[3];
        std::istringstream grid(f.at(3)), block(f.at(4));
        grid >> g[0] >> g[1] >> g[2];
        block >> b[0] >> b[1] >> b[2];
        std::vector<std::uint64_t> values;
        std::vector<DevicePointer> buffers;
        for (const std::string& argument : split(f.at(6), ' ')) {
            const std::uint64_t number = std::stoull(argument.substr(2));
            if (argument[0] == 'i' || argument[0] == 'l') {
                values.push_back(number);
                continue;
            }
            // Small numbers, the same on the emulated side: word i is (i * 2654435761 mod 2^32) / 2^24.
            std::vector<std::uint32_t> words(number / 4 + 1, 0);
            if (argument[0] == 'p')
                for (std::size_t i = 0; i < words.size(); ++i)
                    words[i] = (static_cast<std::uint32_t>(i) * 2654435761u) >> 24;
            DevicePointer buffer = 0;
            check(cuMemAlloc(&buffer, words.size() * 4), f[0]);
            check(cuMemcpyHtoD(buffer, words.data(), words.size() * 4), f[0]);
            buffers.push_back(buffer);
            values.push_back(buffer);
        }
        std::vector<void*> parameters;
        for (std::uint64_t& v : values) parameters.push_back(&v);
        const unsigned shared = static_cast<unsigned>(std::stoul(f.at(5)));
        check(cuLaunchKernel(function, g[0], g[1], g[2], b[0], b[1], b[2], shared, nullptr, parameters.data(), nullptr),
              f[0]);
        check(cuCtxSynchronize(), f[0]);
        ++launches;
        for (const DevicePointer buffer : buffers) check(cuMemFree(buffer), f[0]);
        check(cuModuleUnload(module), f[0]);
    }
    std::printf("launched %u\n", launches);
    return launches ? 0 : 1;
}
