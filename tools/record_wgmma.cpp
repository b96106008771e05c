// Records what a GPU computes for wgmma.mma_async, dense and sparse, over the inputs of
// tests/engine_tensor/probes_wgmma.hpp. Needs an NVIDIA driver at run time and compute capability 9.0.
//
//   g++ -std=c++20 -O2 -I$CUDA_HOME/include tools/record_wgmma.cpp -o record_wgmma -ldl
//   record_wgmma --golden FILE     fingerprints, what the tests read; --full FILE: two cases of each form in full;
//   record_wgmma --maps FILE       text: the column of A that each stored element stood for;
//   record_wgmma --ptx DIR         only writes the kernels
#include <cuda.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "../tests/engine_tensor/probes_wgmma.hpp"

using probes::WgmmaProbe;

namespace {

template <class F>
F* driver(const char* name) {
    static void* library = dlopen("libcuda.so.1", RTLD_NOW);
    void* p = library ? dlsym(library, name) : nullptr;
    if (!p) std::fprintf(stderr, "no driver function %s\n", name), std::exit(3);
    return reinterpret_cast<F*>(p);
}
void check(CUresult r, const std::string& what) {
    if (r == CUDA_SUCCESS) return;
    std::fprintf(stderr, "%s: driver error %d\n", what.c_str(), int(r));
    std::exit(1);
}

std::string kernel(const WgmmaProbe& p) {
    const std::size_t bytes = (probes::kWgmmaB + probes::layout_b(p).size() + 2047) / 2048 * 2048;
    const bool single = p.d.name == "f32";
    const std::string reg = single ? "%f" : "%q", type = single ? ".f32 " : ".u32 ";
    std::string list, load, store, copy;
    for (unsigned w = 0; w < p.d_words(); ++w) {
        const std::string r = reg + std::to_string(w), at = "+" + std::to_string(w * 512) + "]";
        list += (w ? ", " : "") + r;
        load += "ld.global" + type + r + ", [%rd5" + at + ";\n";
        store += "st.global" + type + "[%rd6" + at + ", " + r + ";\n";
    }
    for (std::size_t i = 0; i < bytes; i += 2048)
        copy += "ld.global.v4.u32 {%r6, %r7, %r8, %r9}, [%rd1+" + std::to_string(i) + "];\nst.shared.v4.u32 [%r5+" +
                std::to_string(i) + "], {%r6, %r7, %r8, %r9};\n";
    std::string tail = p.sparse ? ", %r10, " + std::to_string(p.selector) + ", 1" : ", 1";
    if (!p.integer()) tail += ", " + std::to_string(p.a_sign) + ", " + std::to_string(p.b_sign);
    if (p.a.bits == 16)
        tail += (p.a_registers ? "" : p.a_transposed ? ", 1" : ", 0") + std::string(p.b_transposed ? ", 1" : ", 0");
    return ".version 8.7\n.target sm_90a\n.address_size 64\n"
           ".visible .entry k(.param .u64 pi, .param .u64 pr, .param .u64 pc, .param .u64 pe, .param .u64 pd, .param "
           ".u64 da, .param .u64 db)\n{\n"
           ".shared .align 1024 .b8 s[32768];\n.reg .b32 %r<16>; .reg .b32 %q<128>; .reg .f32 %f<128>; .reg .b64 "
           "%rd<16>;\n"
           "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r4, s;\n"
           "ld.param.u64 %rd1, [pi]; ld.param.u64 %rd2, [pr]; ld.param.u64 %rd3, [da]; ld.param.u64 %rd4, [db];\n"
           "ld.param.u64 %rd5, [pc]; ld.param.u64 %rd6, [pd]; ld.param.u64 %rd7, [pe];\n"
           "mad.wide.u32 %rd1, %r2, " +
           std::to_string(bytes) + ", %rd1; mad.wide.u32 %rd1, %r1, 16, %rd1; mad.lo.u32 %r5, %r1, 16, %r4;\n" + copy +
           "mad.wide.u32 %rd2, %r2, 2048, %rd2; mad.wide.u32 %rd2, %r1, 16, %rd2; ld.global.v4.u32 {%r6, %r7, %r8, "
           "%r9}, [%rd2];\n"
           "mad.wide.u32 %rd7, %r2, 512, %rd7; mad.wide.u32 %rd7, %r1, 4, %rd7; ld.global.u32 %r10, [%rd7];\n"
           "mul.wide.u32 %rd8, %r2, " +
           std::to_string(p.d_words() * 512) +
           "; mad.wide.u32 %rd8, %r1, 4, %rd8; add.u64 %rd5, %rd5, %rd8; add.u64 %rd6, %rd6, %rd8;\n" + load +
           "fence.proxy.async.shared::cta;\nbar.sync 0;\ncvt.u64.u32 %rd9, %r4; shr.u64 %rd9, %rd9, 4; add.u64 %rd3, "
           "%rd3, %rd9; add.u64 %rd4, %rd4, %rd9;\n"
           "wgmma.fence.sync.aligned;\n" +
           p.ptx + " {" + list + "}, " + (p.a_registers ? "{%r6, %r7, %r8, %r9}" : "%rd3") + ", %rd4" + tail +
           ";\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n" + store + "ret;\n}\n";
}

struct Runner {
    CUdeviceptr buffers[5] = {};
    Runner() {
        CUdevice device = 0;
        CUcontext context = nullptr;
        check(driver<decltype(cuInit)>("cuInit")(0), "cuInit");
        check(driver<decltype(cuDeviceGet)>("cuDeviceGet")(&device, 0), "device");
        check(driver<decltype(cuDevicePrimaryCtxRetain)>("cuDevicePrimaryCtxRetain")(&context, device), "context");
        check(driver<decltype(cuCtxSetCurrent)>("cuCtxSetCurrent")(context), "context");
        for (auto& b : buffers) check(driver<decltype(cuMemAlloc)>("cuMemAlloc_v2")(&b, 16u << 20), "memory");
    }
    template <class Make>
    std::vector<std::uint32_t> run(const WgmmaProbe& p, unsigned cases, Make make) {
        char log[2000] = "";
        CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
        void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
        CUmodule module = nullptr;
        if (driver<decltype(cuModuleLoadDataEx)>("cuModuleLoadDataEx")(&module, kernel(p).c_str(), 2, options,
                                                                       values) != CUDA_SUCCESS) {
            std::fprintf(stderr, "not taken: %s: %.300s\n", p.name().c_str(), log);
            return {};
        }
        CUfunction function = nullptr;
        check(driver<decltype(cuModuleGetFunction)>("cuModuleGetFunction")(&function, module, "k"), "function");
        std::vector<std::uint32_t> in[4];
        for (unsigned i = 0; i < cases; ++i) {
            const probes::WgmmaInputs x = make(i);
            const std::vector<std::uint32_t> parts[4] = {probes::image(p, x), probes::registers_of(x), x.c, x.e};
            for (int j = 0; j < 4; ++j) in[j].insert(in[j].end(), parts[j].begin(), parts[j].end());
        }
        for (int j = 0; j < 4; ++j)
            check(driver<decltype(cuMemcpyHtoD)>("cuMemcpyHtoD_v2")(buffers[j], in[j].data(), in[j].size() * 4),
                  "copy in");
        std::vector<std::uint32_t> out(std::size_t(cases) * p.d_words() * 128);
        check(driver<decltype(cuMemsetD32)>("cuMemsetD32_v2")(buffers[4], 0xdeadbeef, out.size()), "poison");
        std::uint64_t da = probes::layout_a(p).descriptor(0), db = probes::layout_b(p).descriptor(probes::kWgmmaB);
        void* arguments[] = {&buffers[0], &buffers[1], &buffers[2], &buffers[3], &buffers[4], &da, &db};
        check(driver<decltype(cuLaunchKernel)>("cuLaunchKernel")(function, cases, 1, 1, 128, 1, 1, 0, nullptr,
                                                                 arguments, nullptr),
              p.name());
        check(driver<decltype(cuCtxSynchronize)>("cuCtxSynchronize")(), p.name());
        check(driver<decltype(cuMemcpyDtoH)>("cuMemcpyDtoH_v2")(out.data(), buffers[4], out.size() * 4), "copy out");
        check(driver<decltype(cuModuleUnload)>("cuModuleUnload")(module), "unload");
        return out;
    }
};

void put(std::ofstream& o, const void* data, std::size_t size) {
    o.write(static_cast<const char*>(data), std::streamsize(size));
}
void header(std::ofstream& o, const std::string& name, std::uint32_t cases, std::uint32_t words) {
    const std::uint32_t head[4] = {std::uint32_t(name.size()), 0, cases, words};
    put(o, head, 4), put(o, name.data(), name.size()), put(o, head + 1, 12);
}

}  // namespace

int main(int argc, char** argv) {
    std::string golden, full, maps, ptx;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string option = argv[i];
        (option == "--golden" ? golden : option == "--full" ? full : option == "--maps" ? maps : ptx) = argv[i + 1];
    }
    const auto forms = probes::wgmma_probes();
    if (!ptx.empty()) {
        unsigned number = 0;
        for (auto& p : forms)
            std::ofstream(ptx + "/" + std::to_string(number++) + ".ptx") << "// " << p.name() << "\n" << kernel(p);
        return 0;
    }
    Runner runner;
    if (!maps.empty()) {
        std::ofstream out(maps);
        for (auto& p : probes::wgmma_maps()) {
            const auto d = runner.run(p, p.cases, [&](unsigned i) { return probes::map_inputs(p, i); });
            if (d.empty()) continue;
            out << p.name() << "\n";
            for (unsigned row = 0; row < 64; ++row) {
                for (unsigned i = 0; i < p.cases; ++i) {
                    int column = -1, count = 0;
                    for (unsigned j = 0; j < p.n; ++j)
                        if (d[(i * p.d_words() + j / 8 * 4 + row % 16 / 8 * 2 + j % 2) * 128 + row / 16 * 32 +
                              row % 8 * 4 + j % 8 / 2])
                            column = int(j), ++count;
                    out << (count > 1 ? -count : column) << (i + 1 < p.cases ? " " : "\n");
                }
            }
        }
    }
    std::ofstream g, f;
    if (!golden.empty()) g.open(golden, std::ios::binary);
    if (!full.empty()) f.open(full, std::ios::binary);
    unsigned taken = 0;
    for (auto& p : forms) {
        if (golden.empty() && full.empty()) break;
        const auto d = runner.run(p, p.cases, [&](unsigned i) { return probes::inputs(p, i); });
        if (d.empty()) continue;
        ++taken;
        const unsigned words = p.d_words() * 128;
        if (g.is_open()) {
            header(g, p.name(), p.cases, words);
            for (unsigned i = 0; i < p.cases; ++i) {
                const std::uint64_t h = probes::fingerprint(&d[std::size_t(i) * words], words);
                const auto folded = std::uint32_t(h ^ (h >> 32));
                put(g, &folded, 4);
            }
        }
        // Of large forms the fingerprints must do.
        if (f.is_open() && p.n <= 16) {
            header(f, p.name(), 2, words);
            put(f, d.data(), std::size_t(2) * words * 4);
        }
    }
    std::fprintf(stderr, "%u of %zu forms\n", taken, forms.size());
}
