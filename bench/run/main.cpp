// What `run` costs beside the engine: the wall time of `warpwright run` of a program, profile, report and all, over
// that of a process that makes the same launches on the engine alone, counters on. Both take turns; medians.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "compile/kernel/compile.hpp"
#include "compile/process.hpp"
#include "compile/program/build_program.hpp"
#include "device/emulated/emulated.hpp"
#include "support/disk_cache.hpp"

namespace {

using namespace warpwright;
namespace fs = std::filesystem;

struct Case {
    const char* kernel;
    unsigned grid_x, grid_y, block_x, block_y;
    int n, launches;
    std::vector<std::string> words() const {
        return {kernel,
                std::to_string(grid_x),
                std::to_string(grid_y),
                std::to_string(block_x),
                std::to_string(block_y),
                std::to_string(n),
                std::to_string(launches)};
    }
};

const Case kCases[] = {{"add", 3907, 1, 256, 1, 1000000, 1},     {"add", 65536, 1, 256, 1, 1 << 24, 10},
                       {"add", 8, 1, 256, 1, 2048, 5000},        {"transpose", 64, 64, 32, 8, 2048, 20},
                       {"matmul", 32, 32, 16, 16, 512, 4},       {"tiled", 64, 64, 16, 16, 1024, 2},
                       {"diverge", 16384, 1, 256, 1, 1 << 20, 4}};

int stop(const std::string& why) {
    std::fputs(("bench_run: " + why + "\n").c_str(), stderr);
    return 1;
}

/// The same launches with nothing between.
int alone(const Case& c) {
    compile::CompileRequest request;
    request.path = WARPWRIGHT_BENCH_RUN;
    request.arch = "sm_90";
    compile::CompileOptions options;
    options.cache_dir = default_cache_directory();
    auto ptx = compile::compile(request, options);
    if (!ptx) return stop(ptx.error().text());
    device::EmulatedOptions emulated;
    emulated.cache_directory = default_cache_directory();
    auto device = device::make_emulated(emulated);
    if (!device) return stop(device.error().text());
    auto module = (*device)->load("programs.ptx", ptx->ptx);
    if (!module) return stop(module.error().text());
    const bool square = std::strcmp(c.kernel, "add") && std::strcmp(c.kernel, "diverge");
    const std::uint64_t bytes = (square ? std::uint64_t(c.n) * c.n : std::uint64_t(c.n)) * 4;
    auto out = (*device)->allocate(bytes), in = (*device)->allocate(bytes);
    if (!out || !in) return stop("no memory");
    std::vector<std::byte> zeros(bytes);
    if (auto ok = (*device)->write(*in, zeros); !ok) return stop(ok.error().text());
    struct {
        std::uint64_t out, in;
        int n;
    } parameters{*out, *in, c.n};
    device::LaunchConfig config;
    config.grid = {c.grid_x, c.grid_y}, config.block = {c.block_x, c.block_y};
    const std::span<const std::byte> block(reinterpret_cast<const std::byte*>(&parameters), 20);
    for (int k = 0; k < c.launches; ++k) {
        auto r = (*device)->launch(**module, c.kernel, config, block, {});
        if (!r) return stop(r.error().text());
    }
    return 0;
}

double timed(const std::vector<std::string>& words) {
    const auto start = std::chrono::steady_clock::now();
    auto ended = compile::run_process(words);
    if (!ended || ended->exit_code != 0) {
        stop(words[0] + ": " + (ended ? ended->errors : ended.error().text()));
        std::exit(1);
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 2 && !std::strcmp(argv[1], "--alone")) return alone(kCases[std::atoi(argv[2])]);
    const int repeat = argc > 1 ? std::max(1, std::atoi(argv[1])) : 7;
    char path[PATH_MAX] = {};
    if (::readlink("/proc/self/exe", path, sizeof path - 1) < 0) return stop("no /proc");
    const fs::path self = path, build = self.parent_path().parent_path().parent_path();
    const std::string tool = build / "warpwright", program = build / "bench/run/bench_run_program";
    compile::WholeRequest whole;
    whole.sources = {WARPWRIGHT_BENCH_RUN}, whole.program = program, whole.runtime_folder = build / "cudart13",
    whole.line_info = true;
    compile::CompileOptions options;
    options.cache_dir = default_cache_directory();
    if (auto ok = compile::build_program(whole, options); !ok) return stop(ok.error().text());
    fmt::print("{:<12}{:>12}{:>9}{:>10}{:>12}{:>12}{:>8}{:>8}\n", "kernel", "blocks", "threads", "launches", "engine",
               "run", "ratio", "range");
    for (int k = 0; const Case& c : kCases) {
        const std::string number = std::to_string(k++);
        std::vector<std::string> run{tool, "run", "--log", "/dev/null", program, "--"};
        for (const auto& w : c.words()) run.push_back(w);
        const std::vector<std::string> engine{self, "--alone", number};
        timed(engine), timed(run);  // caches
        std::vector<double> a, b, ratio;
        for (int i = 0; i < repeat; ++i)
            a.push_back(timed(engine)), b.push_back(timed(run)), ratio.push_back(b.back() / a.back());
        const auto [low, high] = std::minmax_element(ratio.begin(), ratio.end());
        fmt::print("{:<12}{:>12}{:>9}{:>10}{:>10.3f} s{:>10.3f} s{:>8.2f}  {:.2f}-{:.2f}\n", c.kernel,
                   std::uint64_t{c.grid_x} * c.grid_y, c.block_x * c.block_y, c.launches, median(a), median(b),
                   median(ratio), *low, *high);
        std::fflush(stdout);
    }
    return 0;
}
