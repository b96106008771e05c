// Counts of whole kernels on the emulated GPU against what an H200 counted for the same PTX (kernels/h200.csv). Where
// machine code differs from PTX (merged loads, predicates for branches), kDifferent names the kernel, the count and
// why.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "device/emulated/emulated.hpp"

namespace kernels_test {

using warpwright::record::Count;

const std::string kFolder = WARPWRIGHT_SOURCE_DIR "/tests/oracle/kernels/";

std::vector<std::string> split(const std::string& line, char by) {
    std::vector<std::string> parts;
    std::istringstream in(line);
    for (std::string part; std::getline(in, part, by);) parts.push_back(part);
    return parts;
}

std::vector<std::string> lines_of(const std::string& path) {
    std::ifstream in(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

/// case -> metric -> what the hardware counted.
std::map<std::string, std::map<std::string, std::uint64_t>> measured() {
    const auto lines = lines_of(kFolder + "h200.csv");
    std::map<std::string, std::map<std::string, std::uint64_t>> all;
    const auto names = split(lines.at(0), ',');
    for (std::size_t i = 1; i < lines.size(); ++i) {
        const auto fields = split(lines[i], ',');
        for (std::size_t k = 1; k < fields.size(); ++k) all[fields[0]][names[k]] = std::stoull(fields[k]);
    }
    return all;
}

struct Pair {
    Count count;
    std::vector<const char*> metrics;  ///< their sum
};

const std::vector<Pair>& pairs() {
    static const std::vector<Pair> list = {
        {Count::global_load_requests, {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"}},
        {Count::global_load_sectors, {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"}},
        {Count::global_store_requests, {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"}},
        {Count::global_store_sectors, {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"}},
        {Count::global_atomic_requests,
         {"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"}},
        {Count::global_atomic_sectors,
         {"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"}},
        {Count::local_load_requests, {"l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum"}},
        {Count::local_load_sectors, {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"}},
        {Count::local_store_requests, {"l1tex__t_requests_pipe_lsu_mem_local_op_st.sum"}},
        {Count::local_store_sectors, {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"}},
        {Count::shared_load_wavefronts, {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"}},
        {Count::shared_load_bank_conflicts, {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"}},
        {Count::shared_store_wavefronts, {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"}},
        {Count::shared_store_bank_conflicts, {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"}},
        {Count::shared_atomic_wavefronts, {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"}},
        {Count::shared_atomic_bank_conflicts, {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum"}},
    };
    return list;
}

#include "kernels_different.inc"

/// The reason that a count may differ, or null.
const Difference* difference_of(const std::string& name, Count count) {
    for (const Difference& d : kDifferent)
        if (name.rfind(d.kernel, 0) == 0 && d.count == count) return &d;
    return nullptr;
}

TEST(Kernels, counts_are_the_hardwares) {
    const auto hardware = measured();
    auto made = warpwright::device::make_emulated({});
    ASSERT_TRUE(made) << made.error().text();
    auto& device = **made;
    std::map<std::string, std::shared_ptr<warpwright::device::Module>> modules;
    unsigned compared = 0, excused = 0;
    for (const std::string& line : lines_of(kFolder + "cases.csv")) {
        const auto f = split(line, ',');
        ASSERT_EQ(f.size(), 7u) << line;
        if (!modules.contains(f[1])) {
            std::ifstream in(kFolder + f[1]);
            auto loaded = device.load(f[1], std::string((std::istreambuf_iterator<char>(in)), {}));
            ASSERT_TRUE(loaded) << loaded.error().text();
            modules[f[1]] = *loaded;
        }
        std::vector<std::byte> block;
        const auto append = [&](const void* value, std::size_t bytes) {
            while (block.size() % bytes) block.push_back(std::byte{0});
            const auto* from = static_cast<const std::byte*>(value);
            block.insert(block.end(), from, from + bytes);
        };
        std::vector<warpwright::device::Address> buffers;
        for (const std::string& argument : split(f[6], ' ')) {
            const std::uint64_t number = std::stoull(argument.substr(2));
            if (argument[0] == 'i') {
                const auto narrow = static_cast<std::uint32_t>(number);
                append(&narrow, 4);
            } else if (argument[0] == 'l') {
                append(&number, 8);
            } else {
                // The same contents as tools/kernel_record.cpp gives them.
                std::vector<std::uint32_t> words(number / 4 + 1, 0);
                if (argument[0] == 'p')
                    for (std::size_t i = 0; i < words.size(); ++i)
                        words[i] = (static_cast<std::uint32_t>(i) * 2654435761u) >> 24;
                auto buffer = device.allocate(words.size() * 4);
                ASSERT_TRUE(buffer) << buffer.error().text();
                ASSERT_TRUE(device.write(*buffer, std::as_bytes(std::span(words))));
                buffers.push_back(*buffer);
                append(&buffers.back(), 8);
            }
        }
        warpwright::device::LaunchConfig config;
        std::istringstream(f[3]) >> config.grid.x >> config.grid.y >> config.grid.z;
        std::istringstream(f[4]) >> config.block.x >> config.block.y >> config.block.z;
        config.dynamic_shared = std::stoull(f[5]);
        auto result = device.launch(*modules[f[1]], f[2], config, block, {});
        for (const auto buffer : buffers) ASSERT_TRUE(device.release(buffer));
        if (!result) {
            ADD_FAILURE() << f[0] << ": " << result.error().text();
            continue;
        }
        ASSERT_TRUE(result->counts);
        const auto& hw = hardware.at(f[0]);
        for (const Pair& pair : pairs()) {
            std::uint64_t theirs = 0;
            for (const char* metric : pair.metrics) theirs += hw.at(metric);
            const std::uint64_t ours = result->counts->total[pair.count];
            if (const Difference* d = difference_of(f[0], pair.count)) {
                // A difference that is gone must leave the list.
                EXPECT_NE(ours, theirs) << f[0] << " " << count_key(pair.count) << " no longer differs: " << d->why;
                ++excused;
            } else {
                EXPECT_EQ(ours, theirs) << f[0] << " " << count_key(pair.count);
                ++compared;
            }
        }
    }
    EXPECT_GT(compared, 1000u);
    EXPECT_LT(excused * 10, compared);
}

/// Lanes that a guard lets through, and no others, write; whatever the count and the CPU's vector length.
TEST(Kernels, a_guarded_store_keeps_every_lane) {
    constexpr unsigned kWords = 512;
    for (const char* cpu : {"native", "avx2", "x86-64"}) {
#if !defined(__x86_64__)
        if (std::string(cpu) != "native") continue;
#endif
        warpwright::device::EmulatedOptions options;
        options.cpu = cpu;
        auto made = warpwright::device::make_emulated(options);
        ASSERT_TRUE(made) << made.error().text();
        auto& device = **made;
        std::ifstream in(kFolder + "patterns.ptx");
        auto module = device.load("patterns.ptx", std::string((std::istreambuf_iterator<char>(in)), {}));
        ASSERT_TRUE(module) << module.error().text();
        const auto from = device.allocate(kWords * 4).value(), to = device.allocate(kWords * 4).value();
        ASSERT_TRUE(device.fill(from, 3, kWords * 4));
        for (const char* kernel : {"copy4", "switch_by_lane"})
            for (const std::uint32_t n : {1u, 5u, 8u, 31u, 32u, 33u, 40u, 63u, 64u}) {
                const unsigned first = kernel[0] == 's' ? 256 : 0;
                ASSERT_TRUE(device.fill(to, 0, kWords * 4));
                std::array<std::byte, 20> block;
                std::memcpy(block.data(), &from, 8);
                std::memcpy(block.data() + 8, &to, 8);
                std::memcpy(block.data() + 16, &n, 4);
                auto result = device.launch(**module, kernel, {{1, 1, 1}, {64, 1, 1}}, block, {});
                ASSERT_TRUE(result) << result.error().text();
                std::vector<std::uint32_t> words(kWords);
                ASSERT_TRUE(device.read(std::as_writable_bytes(std::span(words)), to));
                for (unsigned i = 0; i < 64; ++i)
                    ASSERT_EQ(words[first + i] != 0, i < n)
                        << kernel << " of " << n << ", thread " << i << " on " << cpu;
            }
    }
}

}  // namespace kernels_test
