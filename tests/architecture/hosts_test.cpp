// What is of one processor or of one operating system stands in few files (docs/hosts.md): each has its row here, and a
// row whose file no longer needs it is refused.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "source_tree.hpp"

namespace warpwright::architecture {
namespace hosts_test {

namespace fs = std::filesystem;

const fs::path kRoot = WARPWRIGHT_SOURCE_DIR;

struct Row {
    const char* place;  ///< a file, or a folder with / at its end
    const char* why;
};

bool is_in(const std::string& file, const std::string& place) {
    return place.ends_with('/') ? file.starts_with(place) : file == place;
}

/// Lines of src/ whose code matches and that lie in none of the rows, then the rows in which no line matches.
std::vector<std::string> strays(const std::regex& form, const std::vector<Row>& rows) {
    std::vector<std::string> out;
    std::set<std::string> used;
    for (const auto& file : files_under(kRoot / "src", {".cpp", ".hpp", ".h", ".inc"})) {
        const std::string name = fs::relative(file, kRoot / "src").generic_string();
        const std::string text = code_only(read_text(file));
        std::smatch found;
        if (!std::regex_search(text, found, form)) continue;
        bool listed = false;
        for (const auto& row : rows)
            if (is_in(name, row.place)) listed = true, used.insert(row.place);
        const auto line = 1 + std::count(text.begin(), text.begin() + found.position(), '\n');
        if (!listed) out.push_back(name + ":" + std::to_string(line) + ": " + found.str());
    }
    for (const auto& row : rows)
        if (!used.contains(row.place)) out.push_back(std::string(row.place) + ": its row is no longer needed");
    return out;
}

// What a build starts is this machine's, also where it builds for another (cmake/native.cmake): a compiler driver under
// an emulator would start this machine's clang, with a pass that this clang cannot load.
TEST(Hosts, NoRuleOfTheBuildStartsWhatItBuilds) {
    std::vector<std::string> found;
    std::size_t drivers = 0;
    for (const auto& file : files_under(kRoot / "src", {".txt", ".cmake"})) {
        const std::string text = read_text(file);
        for (const char* word : {"CMAKE_CROSSCOMPILING_EMULATOR", "COMMAND warpwright", "TARGET_FILE:warpwright_nvcc"})
            if (text.find(word) != std::string::npos) found.push_back(fs::relative(file, kRoot).string() + ": " + word);
        if (text.find("${WW_NATIVE_NVCC} --ptx") != std::string::npos) ++drivers;
    }
    EXPECT_EQ(found, std::vector<std::string>{});
    EXPECT_GE(drivers, 2u) << "kernels of libraries and of PyTorch's operators";
}

// Types that a compiler has on one processor and not on another: GCC 12 knows _Float16 in C++ on x86-64 alone.
TEST(Hosts, TypesAreThoseOfEveryProcessor) {
    std::vector<std::string> found;
    for (const char* folder : {"src", "tests", "tools", "bench"})
        for (const auto& file : files_under(kRoot / folder, {".cpp", ".hpp", ".h"}))
            if (std::regex_search(code_only(read_text(file)), std::regex(R"(\b(_Float16|__fp16|__bf16|__float128)\b)")))
                found.push_back(fs::relative(file, kRoot).string());
    EXPECT_EQ(found, std::vector<std::string>{});
}

// Instructions, registers and levels of processors. A file that has them has another way for the other ones too.
TEST(Hosts, CodeForOneProcessorStandsInTheseFiles) {
    const std::vector<Row> rows = {
        {"counters/kernels.inc", "distinct sectors and conflicts of banks; in the compilers' vectors elsewhere"},
        {"counters/kernels.cpp", "which of those the processor can run"},
        {"counters/lanes256.inc", "the same in registers of 256 bits"},
        {"counters/lanes512.inc", "the same in registers of 512 bits"},
        {"cudart/observe/guard_slots.cpp", "where a signal's context says whether a write failed"},
        {"debuginfo/host_code.cpp", "names of registers in disassembled code"},
        {"engine/codegen/arith/arith.hpp", "halves on processors that cannot convert them"},
        {"engine/codegen/arith/runtime.cpp", "the rounding mode, and those halves"},
        {"engine/codegen/jit.cpp", "which processor the code is made for"},
        {"engine/codegen/ordered_access.cpp", "lanes moved by permutations; by the runtime elsewhere"},
        {"engine/codegen/shuffle.cpp", "any order of a warp's words in two instructions"},
        {"engine/runtime/lane_gather.cpp", "lanes at any addresses; lane by lane elsewhere"},
        {"engine/runtime/lane_gather_avx2.cpp", "the same in registers of 256 bits"},
        {"engine/runtime/lane_rows.cpp", "a word of each lane's row; lane by lane elsewhere"},
        {"engine/runtime/lane_pattern.cpp", "lanes moved by permutations; lane by lane elsewhere"},
        {"engine/runtime/lane_pattern_avx2.cpp", "the same in registers of 256 bits"},
        {"engine/runtime/lane_words.hpp", "words of several lanes in one register, for those two"},
        {"engine/shared/host_nan.hpp", "which NaNs the processor gives"},
        {"engine/tensor/exact_mma.cpp", "products of integers, in wider vectors"},
        {"engine/tensor/float_mma.cpp", "products of floats, in wider vectors"},
        {"engine/tensor/moves.cpp", "addresses of fragments, four at a time"},
        {"engine/tensor/tiles_avx512.cpp", "tiles of products; float_mma.cpp elsewhere"},
        {"profile/program.cpp", "whether the static CUDA runtime can be replaced"},
        {"support/host_time.cpp", "where a signal's context says what was interrupted"},
        {"support/clones.hpp", "functions for several levels of one processor"},
        {"takeover/", "jumps into other functions, written in assembly"},
    };
    const std::regex form(
        R"(immintrin|arm_neon|arm_sve|\b_mm\d*_\w+|\b__m(128|256|512)|_MM_ROUND|Intrinsic::(x86|aarch64)_|__builtin_(ia32|cpu)_|target_clones|)"
        R"(__attribute__\(\(target|\b__(x86_64|amd64|aarch64|arm64|SSE\w*|AVX\w*|ARM_\w+)(__)?\b|Triple::(x86|aarch64)|isX86|isAArch64|\basm\b(?!/))");
    for (const auto& one : strays(form, rows)) ADD_FAILURE() << one;
}

// Headers and functions that Linux alone has, and its files of facts.
TEST(Hosts, CallsOfLinuxStandInTheRoomOfTheHost) {
    const std::vector<Row> rows = {
        {"confine/", "a sandbox is made of what one system offers"},
        {"host/", "the room for them"},
        {"support/elf_view.hpp", "the form of the files that it reads"},
        {"takeover/", "a library for Linux's loader, where programs have NVIDIA's runtime inside"},
    };
    const std::regex form(
        R"(<(elf|link|features|malloc)\.h>|<linux/|<sys/(random|sysinfo|prctl|personality|syscall|epoll|eventfd|inotify|signalfd|timerfd|sendfile)\.h>|)"
        R"(\b(memfd_create|madvise|mremap|getrandom|gettid|dlmopen|dladdr1|dlinfo|dl_iterate_phdr|pipe2|execvpe|pthread_getattr_np|)"
        R"(sched_[gs]etaffinity|pidfd_open|getdents64|prctl|personality|sysinfo)\s*\()");
    for (const auto& one : strays(form, rows)) ADD_FAILURE() << one;
    // Texts are no code: the files of /proc by their names.
    for (const auto& file : files_under(kRoot / "src", {".cpp", ".hpp", ".inc"})) {
        const std::string name = fs::relative(file, kRoot / "src").generic_string();
        if (is_in(name, "host/") || is_in(name, "confine/") || is_in(name, "takeover/")) continue;
        if (name == "cli/commands/untrusted.cpp") continue;  // what a sandbox may read
        for (const auto& literal : literals(read_text(file)))
            EXPECT_FALSE(literal.text.starts_with("/proc/")) << name << ":" << literal.line << ": " << literal.text;
    }
}

// A build for another processor by accident would be one without its paths.
TEST(Hosts, StraysAndStaleRowsAreFound) {
    EXPECT_FALSE(strays(std::regex(R"(\bgive_back\s*\()"), {{"host/", ""}}).empty());
    EXPECT_EQ(strays(std::regex("no_such_name_in_the_sources"), {{"host/", ""}}).size(), 1u);
}

}  // namespace hosts_test
}  // namespace warpwright::architecture
