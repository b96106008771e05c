// Records what a GPU computes for the warp-matrix instructions (mma.sync, mma.sp, wmma, ldmatrix's relatives),
// over the probe inputs of tests/engine_tensor/probes.hpp. Needs an NVIDIA driver at run time, nothing else:
// the kernels are PTX text made here, one a form. A form that the driver does not take is reported and left out.
//
// Build (only cuda.h of a CUDA toolkit is needed, no nvcc, no link to the driver):
//   g++ -std=c++20 -O2 -I$CUDA_HOME/include tools/record_tensor.cpp -o record_tensor -ldl
// Use:
//   record_tensor --golden tensor.golden          fingerprints and the first cases: the file that the tests read
//   record_tensor --full DIR [--files N]          every output, raw, spread over N files, to fit a model to
//   record_tensor --ptx DIR                       only writes the kernels (to look at them, or to run ptxas on them)
#include <cuda.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "../tests/engine_tensor/probes.hpp"

using probes::Form;
using probes::Format;
using probes::MapForm;

namespace {

struct Driver {
    void* library = dlopen("libcuda.so.1", RTLD_NOW);
    template <class F>
    F* get(const char* name) {
        void* p = library ? dlsym(library, name) : nullptr;
        if (!p) std::fprintf(stderr, "no driver function %s\n", name), std::exit(3);
        return reinterpret_cast<F*>(p);
    }
    void check(CUresult r, const char* what) {
        if (r == CUDA_SUCCESS) return;
        std::fprintf(stderr, "%s: driver error %d\n", what, int(r));
        std::exit(1);
    }
};

std::string list(const std::string& prefix, unsigned count) {
    std::string s = "{";
    for (unsigned i = 0; i < count; ++i) s += (i ? ", %" : "%") + prefix + std::to_string(i);
    return s + "}";
}

/// Register class and count of an operand: f64 and f32 have their own classes, all else is b32.
struct Registers {
    std::string prefix, type;
    unsigned count, words;  ///< registers, and 32-bit words in all
};
Registers registers(char operand, const Format& f, unsigned words) {
    const std::string p(1, operand);
    if (f.name == "f64") return {p + "d", "f64", words / 2, words};
    if (f.name == "f32") return {p + "f", "f32", words, words};
    return {p + "r", "b32", words, words};
}
std::string declare(const Registers& r) {
    return "  .reg ." + r.type + " %" + r.prefix + "<" + std::to_string(r.count) + ">;\n";
}
/// Loads or stores a fragment: register i of a lane lies at [i][lane].
std::string transfer(const Registers& r, const std::string& base, bool load) {
    std::string s;
    for (unsigned i = 0; i < r.count; ++i) {
        const unsigned size = r.type == "f64" ? 8 : 4;
        const std::string where = "[%" + base + " + " + std::to_string(i * 32 * size) + "]",
                          reg = "%" + r.prefix + std::to_string(i);
        s += load ? "  ld.global." + r.type + " " + reg + ", " + where + ";\n"
                  : "  st.global." + r.type + " " + where + ", " + reg + ";\n";
    }
    return s;
}
std::string head(const std::string& version) {
    return ".version " + version +
           "\n.target sm_90a\n.address_size 64\n"
           ".visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pe, .param .u64 pd)\n{\n"
           "  .reg .u64 %base<8>;\n  .reg .u64 %t<4>;\n  .reg .b32 %lane, %block, %meta;\n"
           "  mov.u32 %lane, %tid.x;\n  mov.u32 %block, %ctaid.x;\n";
}
/// base<i> = parameter + block * bytes + lane * lane_bytes
std::string address(unsigned i, const std::string& param, std::size_t bytes, unsigned lane_bytes) {
    const std::string b = "%base" + std::to_string(i);
    return "  ld.param.u64 " + b + ", [" + param + "];\n  cvta.to.global.u64 " + b + ", " + b +
           ";\n  mul.wide.u32 %t0, %block, " + std::to_string(bytes) + ";\n  add.u64 " + b + ", " + b +
           ", %t0;\n  mul.wide.u32 %t0, %lane, " + std::to_string(lane_bytes) + ";\n  add.u64 " + b + ", " + b +
           ", %t0;\n";
}

std::string mma_kernel(const Form& f, const std::string& version) {
    const auto words = [&](char o) { return unsigned(probes::operand_words(f, o) / 32); };
    const Registers a = registers('a', f.a.name == "f64" ? f.a : probes::format("b1"), words('a'));
    const Registers b = registers('b', f.a.name == "f64" ? f.b : probes::format("b1"), words('b'));
    const Registers c = registers('c', f.c, words('c')), d = registers('d', f.d, words('d'));
    const auto lane = [](const Registers& r) { return r.type == "f64" ? 8u : 4u; };
    std::string s = head(version) + declare(a) + declare(b) + declare(c) + declare(d);
    s += address(0, "pa", a.words * 128, lane(a)) + address(1, "pb", b.words * 128, lane(b)) +
         address(2, "pc", c.words * 128, lane(c));
    s += address(3, "pe", 128, 4) + address(4, "pd", d.words * 128, lane(d));
    s += transfer(a, "base0", true) + transfer(b, "base1", true) + transfer(c, "base2", true);
    if (f.sparse) s += "  ld.global.b32 %meta, [%base3];\n";
    s += "  " + f.ptx + " " + list(d.prefix, d.count) + ", " + list(a.prefix, a.count) + ", " +
         list(b.prefix, b.count) + ", " + list(c.prefix, c.count) +
         (f.sparse ? ", %meta, " + std::to_string(f.selector) : "") + ";\n";
    return s + transfer(d, "base4", false) + "  ret;\n}\n";
}

/// Words a lane holds of a wmma operand.
unsigned wmma_words(const Form& f, char o) {
    const Format& t = o == 'a' ? f.a : o == 'b' ? f.b : o == 'c' ? f.c : f.d;
    if (t.name == "f16" && (o == 'a' || o == 'b')) return 8;
    const unsigned count = unsigned(probes::operand_words(f, o) / 32);
    return count;
}
std::string wmma_kernel(const Form& f, const std::string& version) {
    const std::string shape = ".m" + std::to_string(f.m) + "n" + std::to_string(f.n) + "k" + std::to_string(f.k);
    const auto regs = [&](char o) {
        const Format& t = o == 'a' ? f.a : o == 'b' ? f.b : o == 'c' ? f.c : f.d;
        const bool own = t.name == "f64" || ((o == 'c' || o == 'd') && t.name == "f32");
        return registers(o, own ? t : probes::format("b1"), wmma_words(f, o));
    };
    const Registers a = regs('a'), b = regs('b'), c = regs('c'), d = regs('d');
    std::string s = head(version) + declare(a) + declare(b) + declare(c) + declare(d);
    s += address(0, "pa", 4 * probes::operand_words(f, 'a'), 0) +
         address(1, "pb", 4 * probes::operand_words(f, 'b'), 0) +
         address(2, "pc", 4 * probes::operand_words(f, 'c'), 0) +
         address(4, "pd", 4 * probes::operand_words(f, 'd'), 0);
    const auto load = [&](char o, bool row, const Registers& r, const std::string& base, unsigned stride,
                          const std::string& type) {
        return std::string("  wmma.load.") + o + ".sync.aligned." + (row ? "row" : "col") + shape + ".global." + type +
               " " + list(r.prefix, r.count) + ", [%" + base + "], " + std::to_string(stride) + ";\n";
    };
    s += load('a', f.a_row, a, "base0", f.a_row ? f.k : f.m, f.a.name);
    s += load('b', !f.b_col, b, "base1", f.b_col ? f.k : f.n, f.b.name);
    s += load('c', true, c, "base2", f.n, f.c.name);
    s += "  " + f.ptx + " " + list(d.prefix, d.count) + ", " + list(a.prefix, a.count) + ", " +
         list(b.prefix, b.count) + ", " + list(c.prefix, c.count) + ";\n";
    s += "  wmma.store.d.sync.aligned.row" + shape + ".global." + f.d.name + " [%base4], " + list(d.prefix, d.count) +
         ", " + std::to_string(f.n) + ";\n";
    return s + "  ret;\n}\n";
}
std::string map_kernel(const MapForm& f, const std::string& version) {
    const bool own = f.type.name == "f64" || (f.operand == 'c' && f.type.name == "f32");
    const Registers r = registers('r', own ? f.type : probes::format("b1"), f.words);
    std::string name = f.name;
    name.insert(name.rfind('.'), ".global");
    return head(version) + declare(r) + address(0, "pa", std::size_t(f.rows) * f.cols * f.type.bits / 8, 0) +
           address(4, "pd", f.words * 128, r.type == "f64" ? 8 : 4) + "  " + name + " " + list(r.prefix, r.count) +
           ", [%base0], " + std::to_string(f.row_major ? f.cols : f.rows) + ";\n" + transfer(r, "base4", false) +
           "  ret;\n}\n";
}

/// Memory is filled from `pa`; for a load the registers go to `pd`, for a store the registers come from `pb` and the
/// memory goes to `pd`.
std::string move_kernel(const probes::MoveForm& f, const std::string& version) {
    const Registers r = {"r", "b32", f.registers, f.registers};
    std::string s =
        head(version) + declare(r) + "  .shared .align 16 .b8 mem[512];\n  .reg .b32 %m<8>;\n  .reg .b32 %w<4>;\n";
    s += address(0, "pa", 0, 16) + address(1, "pb", 0, 4) + address(4, "pd", 0, 4);
    s += "  mov.u32 %m0, mem;\n  mad.lo.u32 %m1, %lane, 16, %m0;\n";
    s += "  ld.global.v4.b32 {%w0, %w1, %w2, %w3}, [%base0];\n  st.shared.v4.b32 [%m1], {%w0, %w1, %w2, %w3};\n  "
         "bar.sync 0;\n";
    s += "  mad.lo.u32 %m2, %lane, 5, 3;\n  and.b32 %m2, %m2, 31;\n  mad.lo.u32 %m2, %m2, 16, %m0;\n";
    if (!f.memory || f.store) s += transfer(r, "base1", true);
    if (!f.memory)
        s += "  " + f.ptx + " %r0, %r0;\n";
    else if (f.store)
        s += "  " + f.ptx + " [%m2], " + list("r", f.registers) + ";\n";
    else
        s += "  " + f.ptx + " " + list("r", f.registers) + ", [%m2];\n";
    if (!f.store) return s + transfer(r, "base4", false) + "  ret;\n}\n";
    s += "  bar.sync 0;\n  ld.shared.v4.b32 {%w0, %w1, %w2, %w3}, [%m1];\n  mad.wide.u32 %base4, %lane, 12, %base4;\n";
    return s + "  st.global.v4.b32 [%base4], {%w0, %w1, %w2, %w3};\n  ret;\n}\n";
}

struct Runner {
    Driver driver;
    CUdeviceptr buffers[5] = {};
    std::string version;

    decltype(cuModuleLoadDataEx)* module_load = driver.get<decltype(cuModuleLoadDataEx)>("cuModuleLoadDataEx");
    decltype(cuModuleUnload)* module_unload = driver.get<decltype(cuModuleUnload)>("cuModuleUnload");
    decltype(cuModuleGetFunction)* get_function = driver.get<decltype(cuModuleGetFunction)>("cuModuleGetFunction");
    decltype(cuLaunchKernel)* launch = driver.get<decltype(cuLaunchKernel)>("cuLaunchKernel");
    decltype(cuMemcpyHtoD)* to_device = driver.get<decltype(cuMemcpyHtoD)>("cuMemcpyHtoD_v2");
    decltype(cuMemcpyDtoH)* to_host = driver.get<decltype(cuMemcpyDtoH)>("cuMemcpyDtoH_v2");
    decltype(cuMemsetD32)* fill_words = driver.get<decltype(cuMemsetD32)>("cuMemsetD32_v2");
    decltype(cuCtxSynchronize)* synchronize = driver.get<decltype(cuCtxSynchronize)>("cuCtxSynchronize");

    Runner() {
        driver.check(driver.get<decltype(cuInit)>("cuInit")(0), "cuInit");
        CUdevice device = 0;
        CUcontext context = nullptr;
        driver.check(driver.get<decltype(cuDeviceGet)>("cuDeviceGet")(&device, 0), "cuDeviceGet");
        driver.check(driver.get<decltype(cuDevicePrimaryCtxRetain)>("cuDevicePrimaryCtxRetain")(&context, device),
                     "context");
        driver.check(driver.get<decltype(cuCtxSetCurrent)>("cuCtxSetCurrent")(context), "context");
        for (auto& b : buffers)
            driver.check(driver.get<decltype(cuMemAlloc)>("cuMemAlloc_v2")(&b, 16u << 20), "cuMemAlloc");
        char name[100];
        driver.check(driver.get<decltype(cuDeviceGetName)>("cuDeviceGetName")(name, sizeof name, device), "name");
        int driver_version = 0;
        driver.check(driver.get<decltype(cuDriverGetVersion)>("cuDriverGetVersion")(&driver_version), "version");
        version = driver_version >= 12080 ? "8.7" : driver_version >= 12050 ? "8.5" : "8.0";
        std::fprintf(stderr, "%s, driver for CUDA %d, PTX %s\n", name, driver_version, version.c_str());
    }
    /// Runs `cases` blocks of one warp; empty when the driver does not take the kernel.
    std::vector<std::uint32_t> run(const std::string& name, const std::string& ptx,
                                   const std::vector<std::uint32_t>* const inputs[4], unsigned cases,
                                   std::size_t output_words) {
        char log[2000] = "";
        CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
        void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
        CUmodule module = nullptr;
        if (module_load(&module, ptx.c_str(), 2, options, values) != CUDA_SUCCESS) {
            std::fprintf(stderr, "not taken: %s: %.200s\n", name.c_str(), log);
            return {};
        }
        CUfunction function = nullptr;
        driver.check(get_function(&function, module, "k"), "function");
        for (int i = 0; i < 4; ++i)
            if (inputs[i] && !inputs[i]->empty())
                driver.check(to_device(buffers[i], inputs[i]->data(), inputs[i]->size() * 4), "copy in");
        driver.check(fill_words(buffers[4], 0xdeadbeef, output_words), "poison");
        void* arguments[] = {&buffers[0], &buffers[1], &buffers[2], &buffers[3], &buffers[4]};
        driver.check(launch(function, cases, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr), name.c_str());
        driver.check(synchronize(), name.c_str());
        std::vector<std::uint32_t> out(output_words);
        driver.check(to_host(out.data(), buffers[4], output_words * 4), "copy out");
        driver.check(module_unload(module), "unload");
        return out;
    }
};

/// The matrix in memory whose element (row, col) holds bits [shift, shift + width) of its index row * cols + col.
std::vector<std::uint32_t> index_matrix(const MapForm& f, unsigned shift) {
    const unsigned width = f.type.bits;
    std::vector<std::uint32_t> words(std::size_t(f.rows) * f.cols * width / 32);
    for (unsigned row = 0; row < f.rows; ++row)
        for (unsigned col = 0; col < f.cols; ++col) {
            const std::size_t at = (f.row_major ? row * f.cols + col : col * f.rows + row) * std::size_t(width);
            const std::uint32_t index = row * f.cols + col, mask = width >= 32 ? ~0u : (1u << width) - 1;
            words[at / 32] |= ((index >> shift) & mask) << (at % 32);
        }
    return words;
}

void put(std::ofstream& out, const void* data, std::size_t size) {
    out.write(static_cast<const char*>(data), std::streamsize(size));
}
template <class T>
void put(std::ofstream& out, T value) {
    put(out, &value, sizeof value);
}

/// Per element of the warp's fragment, [element][lane], the index row * cols + col it holds.
std::vector<std::uint16_t> record_map(Runner& runner, const MapForm& f) {
    const unsigned width = f.type.bits, per_word = width >= 32 ? 1 : 32 / width, words_per = width == 64 ? 2 : 1;
    const unsigned elements = f.words / words_per * per_word;
    std::vector<std::uint16_t> map(elements * 32);
    for (unsigned shift = 0; shift < 10; shift += width) {
        const auto matrix = index_matrix(f, shift);
        const std::vector<std::uint32_t>* inputs[4] = {&matrix, nullptr, nullptr, nullptr};
        const auto out = runner.run(f.name, map_kernel(f, runner.version), inputs, 1, f.words * 32);
        if (out.empty()) return {};
        for (unsigned e = 0; e < elements; ++e)
            for (unsigned lane = 0; lane < 32; ++lane) {
                const std::uint32_t word = width == 64 ? out[(e * 32 + lane) * 2] : out[e / per_word * 32 + lane];
                const std::uint32_t mask = width >= 32 ? ~0u : (1u << width) - 1;
                map[e * 32 + lane] |=
                    std::uint16_t(((word >> (width >= 32 ? 0 : e % per_word * width)) & mask) << shift);
            }
    }
    return map;
}

}  // namespace

int main(int argc, char** argv) {
    std::string golden, full, ptx;
    unsigned files = 4;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string option = argv[i];
        if (option == "--golden")
            golden = argv[i + 1];
        else if (option == "--full")
            full = argv[i + 1];
        else if (option == "--ptx")
            ptx = argv[i + 1];
        else if (option == "--files")
            files = unsigned(std::atoi(argv[i + 1]));
    }
    if (golden.empty() && full.empty() && ptx.empty()) {
        std::fprintf(stderr, "use: record_tensor [--golden FILE] [--full DIR [--files N]] [--ptx DIR]\n");
        return 2;
    }
    const auto forms = probes::forms();
    if (!ptx.empty()) {
        unsigned number = 0;
        for (auto& f : forms)
            std::ofstream(ptx + "/" + std::to_string(number++) + ".ptx")
                << "// " << f.ptx << "\n"
                << (f.wmma ? wmma_kernel(f, "8.7") : mma_kernel(f, "8.7"));
        for (auto& f : probes::map_forms())
            std::ofstream(ptx + "/" + std::to_string(number++) + ".ptx") << "// " << f.name << "\n"
                                                                         << map_kernel(f, "8.7");
        for (auto& f : probes::move_forms())
            std::ofstream(ptx + "/" + std::to_string(number++) + ".ptx") << "// " << f.ptx << "\n"
                                                                         << move_kernel(f, "8.7");
        return 0;
    }
    Runner runner;
    std::vector<std::ofstream> parts;
    if (!full.empty())
        for (unsigned i = 0; i < files; ++i)
            parts.emplace_back(full + "/tensor" + std::to_string(i) + ".raw", std::ios::binary);
    std::ofstream out;
    if (!golden.empty()) out.open(golden, std::ios::binary);
    // Records: u32 name length, name, u32 selector, u32 cases, u32 words a case; golden: cases x u32 fingerprint;
    // full: all the words. A map: name, selector 0xffffffff, u32 elements, u32 32; then u16s.
    const auto header = [](std::ofstream& o, const std::string& name, std::uint32_t selector, std::uint32_t cases,
                           std::uint32_t words) {
        put(o, std::uint32_t(name.size()));
        put(o, name.data(), name.size());
        put(o, selector), put(o, cases), put(o, words);
    };
    unsigned number = 0, taken = 0;
    for (auto& f : probes::map_forms()) {
        const auto map = record_map(runner, f);
        if (map.empty()) continue;
        if (out.is_open())
            header(out, f.name, ~0u, std::uint32_t(map.size() / 32), 32), put(out, map.data(), map.size() * 2);
        if (!parts.empty())
            header(parts[0], f.name, ~0u, std::uint32_t(map.size() / 32), 32),
                put(parts[0], map.data(), map.size() * 2);
    }
    for (auto& f : probes::move_forms()) {  // recorded whole: selector 0xfffffffe, 1 case
        const auto input = probes::move_input(f);
        const std::vector<std::uint32_t>* inputs[4] = {&input, &input, nullptr, nullptr};
        const unsigned words = f.store ? 128 : 32 * f.registers;
        const auto result = runner.run(f.ptx, move_kernel(f, runner.version), inputs, 1, words);
        if (result.empty()) continue;
        if (out.is_open()) header(out, f.ptx, ~1u, 1, words), put(out, result.data(), words * 4);
        if (!parts.empty()) header(parts[0], f.ptx, ~1u, 1, words), put(parts[0], result.data(), words * 4);
    }
    for (auto& f : forms) {
        std::vector<std::uint32_t> a, b, c, e;
        for (unsigned i = 0; i < f.cases; ++i) {
            const auto in = probes::inputs(f, i);
            a.insert(a.end(), in.a.begin(), in.a.end());
            b.insert(b.end(), in.b.begin(), in.b.end());
            c.insert(c.end(), in.c.begin(), in.c.end());
            e.insert(e.end(), in.e.begin(), in.e.end());
        }
        const std::vector<std::uint32_t>* inputs[4] = {&a, &b, &c, &e};
        const std::size_t words = probes::operand_words(f, 'd');
        const auto result = runner.run(f.ptx, f.wmma ? wmma_kernel(f, runner.version) : mma_kernel(f, runner.version),
                                       inputs, f.cases, words * f.cases);
        if (result.empty()) continue;
        ++taken;
        if (out.is_open()) {
            header(out, f.ptx, f.selector, f.cases, std::uint32_t(words));
            for (unsigned i = 0; i < f.cases; ++i) {
                const std::uint64_t h = probes::fingerprint(result.data() + i * words, words);
                put(out, std::uint32_t(h ^ (h >> 32)));
            }
        }
        if (!parts.empty()) {
            auto& part = parts[number++ % files];
            header(part, f.ptx, f.selector, f.cases, std::uint32_t(words));
            put(part, result.data(), result.size() * 4);
        }
    }
    std::fprintf(stderr, "%u of %zu forms recorded\n", taken, forms.size());
    return taken ? 0 : 1;
}
