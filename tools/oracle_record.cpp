// Records what a GPU computes for every form of tests/oracle: the golden data of the instruction oracle.
// Plain C++; the driver is found at run time, and no CUDA toolkit is needed:
//   g++ -std=c++20 -O2 -Itests/oracle tools/oracle_record.cpp tests/oracle/{forms*,inputs,module_text,golden}.cpp -ldl
//   -o oracle_record
// Use: oracle_record OUT [--ptx FOLDER]   (with --ptx it only writes a PTX file a form, for an assembler to try)
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "forms.hpp"

namespace {

// The few entry points of the driver that are needed, declared as its documentation gives them.
using Handle = void*;
using DevicePointer = unsigned long long;
int (*cuInit)(unsigned);
int (*cuDeviceGet)(int*, int);
int (*cuDeviceGetName)(char*, int, int);
int (*cuDevicePrimaryCtxRetain)(Handle*, int);
int (*cuCtxSetCurrent)(Handle);
int (*cuCtxSynchronize)();
int (*cuModuleLoadDataEx)(Handle*, const void*, unsigned, int*, void**);
int (*cuModuleGetFunction)(Handle*, Handle, const char*);
int (*cuModuleUnload)(Handle);
int (*cuMemAlloc)(DevicePointer*, std::size_t);
int (*cuMemcpyHtoD)(DevicePointer, const void*, std::size_t);
int (*cuMemcpyDtoH)(void*, DevicePointer, std::size_t);
int (*cuMemsetD8)(DevicePointer, unsigned char, std::size_t);
int (*cuLaunchKernel)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void**,
                      void**);
constexpr int kErrorLogBuffer = 5, kErrorLogBytes = 6;  // CU_JIT_ERROR_LOG_BUFFER and its size

template <class F>
void find(void* library, F& function, const char* name) {
    function = reinterpret_cast<F>(dlsym(library, name));
    if (!function) std::fprintf(stderr, "the driver has no %s\n", name), std::exit(3);
}

void check(int code, const std::string& what) {
    if (code) std::fprintf(stderr, "%s: driver error %d\n", what.c_str(), code), std::exit(1);
}

void open_driver() {
    void* library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) std::fprintf(stderr, "no NVIDIA driver: %s\n", dlerror()), std::exit(3);
    find(library, cuInit, "cuInit");
    find(library, cuDeviceGet, "cuDeviceGet");
    find(library, cuDeviceGetName, "cuDeviceGetName");
    find(library, cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
    find(library, cuCtxSetCurrent, "cuCtxSetCurrent");
    find(library, cuCtxSynchronize, "cuCtxSynchronize");
    find(library, cuModuleLoadDataEx, "cuModuleLoadDataEx");
    find(library, cuModuleGetFunction, "cuModuleGetFunction");
    find(library, cuModuleUnload, "cuModuleUnload");
    find(library, cuMemAlloc, "cuMemAlloc_v2");
    find(library, cuMemcpyHtoD, "cuMemcpyHtoD_v2");
    find(library, cuMemcpyDtoH, "cuMemcpyDtoH_v2");
    find(library, cuMemsetD8, "cuMemsetD8_v2");
    find(library, cuLaunchKernel, "cuLaunchKernel");
}

/// Loads forms [first, first + count); null, and the assembler's words, when it takes no module of them.
Handle load(const std::vector<oracle::Form>& forms, std::size_t first, std::size_t count, std::string& reason) {
    const std::string text = oracle::module_text(forms, first, count);
    static char log[8192];
    std::memset(log, 0, sizeof log);
    int options[] = {kErrorLogBuffer, kErrorLogBytes};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
    Handle module = nullptr;
    const int code = cuModuleLoadDataEx(&module, text.c_str(), 2, options, values);
    if (code == 0) return module;
    reason = std::string(log).substr(0, 200);
    if (reason.empty()) reason = "driver error " + std::to_string(code);
    return nullptr;
}

struct Buffers {
    DevicePointer inputs = 0, results = 0, scratch = 0;
};

void run(Handle module, const oracle::Form& form, std::size_t index, const Buffers& buffers, oracle::Recorded& out) {
    Handle function = nullptr;
    check(cuModuleGetFunction(&function, module, ("form_" + std::to_string(index)).c_str()), form.name);
    const auto inputs = oracle::inputs_of(form);
    out.results.assign(std::size_t{form.vectors} * form.results.size(), 0);
    check(cuMemcpyHtoD(buffers.inputs, inputs.data(), inputs.size() * 8), form.name);
    check(cuMemsetD8(buffers.results, 0xAB, out.results.size() * 8), form.name);
    DevicePointer in = buffers.inputs, results = buffers.results, scratch = buffers.scratch;
    unsigned vectors = form.vectors;
    void* parameters[] = {&in, &results, &scratch, &vectors};
    check(
        cuLaunchKernel(function, vectors / oracle::kBlock, 1, 1, oracle::kBlock, 1, 1, 0, nullptr, parameters, nullptr),
        form.name);
    check(cuCtxSynchronize(), form.name);
    check(cuMemcpyDtoH(out.results.data(), buffers.results, out.results.size() * 8), form.name);
    out.accepted = true;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return std::fprintf(stderr, "usage: oracle_record OUT [--ptx FOLDER]\n"), 2;
    const auto forms = oracle::all_forms();
    if (argc == 4 && std::string(argv[2]) == "--ptx") {
        for (std::size_t i = 0; i < forms.size(); ++i)
            std::ofstream(std::string(argv[3]) + "/form_" + std::to_string(i) + ".ptx")
                << "// " << forms[i].name << "\n"
                << oracle::module_text(forms, i, 1);
        std::printf("%zu forms\n", forms.size());
        return 0;
    }
    open_driver();
    check(cuInit(0), "cuInit");
    int device = 0;
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    Handle context = nullptr;
    check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    char name[128] = {};
    check(cuDeviceGetName(name, sizeof name, device), "cuDeviceGetName");
    Buffers buffers;
    check(cuMemAlloc(&buffers.inputs, 1 << 20), "cuMemAlloc");
    check(cuMemAlloc(&buffers.results, 1 << 20), "cuMemAlloc");
    check(cuMemAlloc(&buffers.scratch, 1 << 20), "cuMemAlloc");

    oracle::Golden golden;
    golden.device = name;
    golden.forms.resize(forms.size());
    std::size_t rejected = 0;
    constexpr std::size_t kTogether = 16;
    for (std::size_t first = 0; first < forms.size(); first += kTogether) {
        const std::size_t count = std::min(kTogether, forms.size() - first);
        std::string reason;
        Handle together = load(forms, first, count, reason);
        for (std::size_t i = first; i < first + count; ++i) {
            golden.forms[i].name = forms[i].name;
            Handle module = together ? together : load(forms, i, 1, golden.forms[i].reason);
            if (!module) {
                ++rejected;
                std::printf("rejected: %s: %s\n", forms[i].name.c_str(), golden.forms[i].reason.c_str());
                continue;
            }
            run(module, forms[i], i, buffers, golden.forms[i]);
            if (!together) check(cuModuleUnload(module), "cuModuleUnload");
        }
        if (together) check(cuModuleUnload(together), "cuModuleUnload");
    }
    if (!oracle::write_golden(argv[1], golden, forms)) return std::fprintf(stderr, "cannot write %s\n", argv[1]), 1;
    std::printf("%s: %zu forms recorded, %zu rejected\n", name, forms.size() - rejected, rejected);
    return 0;
}
