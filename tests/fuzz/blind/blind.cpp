// The fuzz targets without clang's coverage, for machines with many processors and none of its runtime: mutations of
// the kept inputs until the time is over. A finding ends the program; the input is the file that it names at the
// beginning. Run: ww_fuzz_blind TARGET SECONDS SEED FOLDER CORPUS...   (FOLDER: for the input that is being tried;
// a file in the place of CORPUS is tried as it is)
#include <execinfo.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/mutate.hpp"
#include "common/mutate_ptx.hpp"
#include "engine/random_kernel.hpp"

#define FUZZ_TARGETS(X) \
    X(ptx_parser)       \
    X(fat_binary)       \
    X(link_ptx)         \
    X(device_model) X(ladder) X(records) X(npy) X(png) X(expression) X(ptxas_info) X(names) X(store) X(kernel)
#define DECLARE(name) void fuzz_##name(std::string_view text);
FUZZ_TARGETS(DECLARE)

using namespace warpwright;
namespace fs = std::filesystem;

namespace {

constexpr std::array kTwists{engine_tests::Twist::none, engine_tests::Twist::leaving, engine_tests::Twist::undefined};

/// Where the process stood when a signal ended it, as addresses for addr2line; there is often no debugger.
void tell_where(int signal) {
    std::array<void*, 64> frames{};
    ::backtrace_symbols_fd(frames.data(), ::backtrace(frames.data(), static_cast<int>(frames.size())), STDERR_FILENO);
    (void)::signal(signal, SIG_DFL);
    (void)::raise(signal);
}

void tell_of_signals() {
    static std::array<std::byte, 65536> stack;
    const stack_t other{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
    (void)::sigaltstack(&other, nullptr);
    std::array<void*, 1> first{};
    (void)::backtrace(first.data(), 1);  // it loads a library when it is first used
    struct sigaction action{};
    action.sa_handler = tell_where;
    action.sa_flags = SA_ONSTACK;
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) (void)::sigaction(signal, &action, nullptr);
}

}  // namespace

int main(int count, char** words) {
    tell_of_signals();
    const std::map<std::string, void (*)(std::string_view)> targets{
#define TARGET(name) {#name, fuzz_##name},
        FUZZ_TARGETS(TARGET)};
    if (count < 6 || !targets.contains(words[1]))
        return std::fputs("TARGET SECONDS SEED FOLDER CORPUS...\n", stderr), 2;
    const std::string name = words[1];
    std::vector<std::string> seeds;
    for (int k = 5; k < count; ++k) {
        if (fs::is_regular_file(words[k])) {  // a finding, to be seen again
            std::ifstream in(words[k], std::ios::binary);
            targets.at(name)(std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()));
            std::printf("%s: nothing\n", words[k]);
            continue;
        }
        for (const auto& entry : fs::recursive_directory_iterator(words[k])) {
            if (!entry.is_regular_file() || entry.file_size() > 65536) continue;
            std::ifstream in(entry.path(), std::ios::binary);
            seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
        }
    }
    if (seeds.empty()) return 0;
    const bool is_ptx = name == "kernel" || name == "ptx_parser" || name == "link_ptx";
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::atol(words[2]));
    const std::string file = std::string(words[4]) + "/" + name + "-" + words[3];
    std::printf("%s\n", file.c_str());
    std::uint64_t inputs = 0, state = std::strtoull(words[3], nullptr, 10) * 0x9e3779b97f4a7c15u + 1;
    const auto number = [&] { return state = state * 6364136223846793005u + 1442695040888963407u, state >> 33; };
    while (std::chrono::steady_clock::now() < end) {
        std::string text = seeds[number() % seeds.size()];
        // A third of the kernels are valid ones made by chance, as they are.
        const bool made = name == "kernel" && number() % 3 == 0;
        if (made) text = engine_tests::RandomKernel(number() & 0xffffffffu, kTwists[number() % kTwists.size()]).text();
        for (auto times = made ? 0 : number() % 4 + 1; times; --times) {
            const auto seed = static_cast<unsigned>(number());
            text = is_ptx && seed % 16 ? test::PtxMutator(seed)(text) : test::Mutator(seed)(text);
        }
        // Kernels take long enough for a file each; of the others the number of the input repeats it.
        if (name == "kernel" || name == "store") std::ofstream(file, std::ios::binary) << text;
        if (inputs++ % 4096 == 0) std::ofstream(file + ".count") << inputs;
        targets.at(name)(text);
    }
    fs::remove(file);
    std::ofstream(file + ".count") << inputs;
    return 0;
}
