// Runs every form of tests/oracle with many inputs on a real GPU and on the emulated one, and prints the vectors on
// which they differ. The recorded golden data has a few hundred vectors per form; this finds what they miss.
//   cmake --build --preset release --target ww_oracle_compare
//   build/release/tests/oracle/ww_oracle_compare [VECTORS [PART PARTS]]
// VECTORS per form (a multiple of 128; 1048576 unless given); PART of PARTS takes every PARTS-th form, so that several
// processes share the work. Exit status: 0 no difference, 1 differences, 3 no GPU.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>

#include "agree.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/device.hpp"
#include "device/emulated/emulated.hpp"
#include "forms.hpp"

namespace {

using warpwright::Result;
using warpwright::device::Address;
using warpwright::device::Device;

/// A device with buffers for the inputs, the results and the scratch memory of one form.
struct Bench {
    std::unique_ptr<Device> device;
    Address inputs = 0, results = 0, scratch = 0;
};

Result<Bench> bench_on(Result<std::unique_ptr<Device>> device, std::size_t vectors) {
    if (!device) return std::move(device).error();
    Bench bench{std::move(*device)};
    const std::size_t bytes[] = {4 * vectors * 8, 2 * vectors * 8, vectors * oracle::kScratchBytes};
    Address* const place[] = {&bench.inputs, &bench.results, &bench.scratch};
    for (unsigned i = 0; i < 3; ++i) {
        auto address = bench.device->allocate(bytes[i]);
        if (!address) return std::move(address).error();
        *place[i] = *address;
    }
    return bench;
}

Result<std::vector<std::uint64_t>> results_on(Bench& bench, const oracle::Form& form,
                                              const std::vector<std::uint64_t>& values, const std::string& text) {
    auto module = bench.device->load("form.ptx", text);
    if (!module) return std::move(module).error();
    std::vector<std::uint64_t> out(std::size_t{form.vectors} * form.results.size());
    if (auto r = bench.device->write(bench.inputs, std::as_bytes(std::span(values))); !r) return std::move(r).error();
    if (auto r = bench.device->fill(bench.results, 0xAB, out.size() * 8); !r) return std::move(r).error();
    if (auto r = bench.device->fill(bench.scratch, 0, std::size_t{form.vectors} * oracle::kScratchBytes); !r)
        return std::move(r).error();
    std::array<std::byte, 28> block;
    std::memcpy(block.data(), &bench.inputs, 8);
    std::memcpy(block.data() + 8, &bench.results, 8);
    std::memcpy(block.data() + 16, &bench.scratch, 8);
    std::memcpy(block.data() + 24, &form.vectors, 4);
    warpwright::device::LaunchConfig config;
    config.grid.x = form.vectors / oracle::kBlock;
    config.block.x = oracle::kBlock;
    warpwright::device::LaunchOptions options;
    options.counters = false;
    options.timeout = std::chrono::seconds(60);
    auto launched = bench.device->launch(**module, "form_0", config, block, options);
    if (!launched) return std::move(launched).error();
    if (auto r = bench.device->read(std::as_writable_bytes(std::span(out)), bench.results); !r)
        return std::move(r).error();
    return out;
}

/// Prints how the two differ, with the first eight vectors, and gives the number of results that do.
std::size_t report(const oracle::Form& form, const std::vector<std::uint64_t>& values,
                   const std::vector<std::uint64_t>& ours, const std::vector<std::uint64_t>& theirs) {
    std::size_t wrong = 0;
    for (unsigned v = 0; v < form.vectors; ++v) {
        for (std::size_t k = 0; k < form.results.size(); ++k) {
            const std::size_t at = k * form.vectors + v;
            if (oracle::agrees(form, form.results[k], ours[at], theirs[at]) || ++wrong > 8) continue;
            std::printf("%s: result %zu ours 0x%llx, GPU 0x%llx, inputs", form.name.c_str(), k,
                        static_cast<unsigned long long>(ours[at]), static_cast<unsigned long long>(theirs[at]));
            for (std::size_t j = 0; j < form.inputs.size(); ++j)
                std::printf(" 0x%llx", static_cast<unsigned long long>(values[j * form.vectors + v]));
            std::printf("\n");
        }
    }
    if (wrong) std::printf("%s: %zu of %u vectors differ\n", form.name.c_str(), wrong, form.vectors);
    return wrong;
}

}  // namespace

int main(int argc, char** argv) {
    const unsigned vectors = argc > 1 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)) : 1u << 20;
    const std::size_t part = argc > 3 ? std::strtoul(argv[2], nullptr, 10) : 0;
    const std::size_t parts = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 1;
    if (vectors == 0 || vectors % oracle::kBlock || parts == 0) {
        std::fprintf(stderr, "usage: ww_oracle_compare [VECTORS [PART PARTS]], VECTORS a multiple of %u\n",
                     oracle::kBlock);
        return 2;
    }
    auto gpu = bench_on(warpwright::device::make_cuda({}), vectors);
    auto emulated = bench_on(warpwright::device::make_emulated({}), vectors);
    if (!gpu || !emulated) {
        std::fprintf(stderr, "ww_oracle_compare: %s\n", (gpu ? emulated : gpu).error().text().c_str());
        return 3;
    }
    auto forms = oracle::all_forms();
    std::size_t compared = 0, refused = 0, different = 0;
    for (std::size_t i = part; i < forms.size(); i += parts) {
        oracle::Form& form = forms[i];
        form.vectors = vectors;
        const auto values = oracle::inputs_of(form);
        const std::string text = oracle::module_text({form}, 0, 1);
        const auto theirs = results_on(*gpu, form, values, text);
        const auto ours = results_on(*emulated, form, values, text);
        if (!theirs || !ours) {
            ++refused;
            if (theirs.ok() != ours.ok())
                std::printf("%s: only %s takes it: %s\n", form.name.c_str(), theirs ? "the GPU" : "the emulated device",
                            (theirs ? ours : theirs).error().text().c_str());
            continue;
        }
        ++compared;
        different += report(form, values, *ours, *theirs) != 0;
        std::fflush(stdout);
    }
    std::printf("%zu forms compared with %u vectors each, %zu refused, %zu differ\n", compared, vectors, refused,
                different);
    return different ? 1 : 0;
}
