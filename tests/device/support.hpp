// What the tests of the emulated GPU share: PTX text around a kernel's body, a device with typed buffers, and launches
// with parameters given as C++ values.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "device/emulated/emulated.hpp"

namespace device_tests {

using warpwright::ErrorKind;
using warpwright::device::Address;
using warpwright::device::LaunchConfig;
using warpwright::device::LaunchOptions;
using warpwright::device::LaunchResult;
using warpwright::launch::Extent;
using warpwright::record::Count;
using warpwright::record::Counts;

inline const std::string kHeader = ".version 8.0\n.target sm_90\n.address_size 64\n";
inline const std::string kRegisters =
    ".reg .pred %p<16>;\n.reg .b16 %h<16>;\n.reg .b32 %r<64>;\n.reg .b64 %rd<64>;\n.reg .f32 %f<32>;\n.reg .f64 "
    "%d<16>;\n";

/// One kernel: `parameters` as in "u64 out, u32 n"; the body has registers %p, %h, %r, %rd, %f, %d, and ends with ret.
inline std::string kernel(const std::string& parameters, const std::string& body, const std::string& name = "k") {
    std::string list;
    std::istringstream in(parameters);
    for (std::string type, word; in >> type >> word;) list += " .param ." + type + " " + word;
    return ".visible .entry " + name + "(" + list + ")\n{\n" + kRegisters + body + "\nret;\n}\n";
}
inline std::string module(const std::string& parameters, const std::string& body) {
    return kHeader + kernel(parameters, body);
}

/// %r1 = the thread's global index in x, %r2 = tid.x, %rd1 = the parameter `pointer`, %rd2 = %rd1 + 4 * %r1.
inline std::string index_into(const std::string& pointer) {
    return "mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x;\n"
           "mad.lo.s32 %r1, %r3, %r4, %r2;\n"
           "ld.param.u64 %rd1, [" +
           pointer + "]; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2;\n";
}

/// 1-based line of the text that holds `mark`.
inline unsigned line_of(const std::string& text, const std::string& mark) {
    const auto at = text.find(mark);
    EXPECT_NE(at, std::string::npos) << mark;
    return 1 + static_cast<unsigned>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

inline void put(std::vector<std::byte>&) {}
template <class T, class... Rest>
void put(std::vector<std::byte>& to, T first, Rest... rest) {
    to.resize((to.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T));
    const auto at = to.size();
    to.resize(at + sizeof(T));
    std::memcpy(to.data() + at, &first, sizeof(T));
    put(to, rest...);
}
template <class... T>
std::vector<std::byte> parameters(T... values) {
    std::vector<std::byte> block;
    put(block, values...);
    return block;
}

class Gpu {
public:
    explicit Gpu(unsigned threads = 1, const std::string& cpu = "", std::uint64_t memory = std::uint64_t{1} << 30,
                 const warpwright::launch::Limits& limits = {}) {
        warpwright::device::EmulatedOptions options;
        options.threads = threads;
        options.cpu = cpu;
        options.memory = memory;
        options.limits = limits;
        auto made = warpwright::device::make_emulated(options);
        if (!made) throw std::runtime_error(made.error().text());  // a test program without a device has nothing to say
        device = std::move(*made);
    }

    template <class T>
    Address buffer(const std::vector<T>& values) {
        const auto at = device->allocate(values.size() * sizeof(T)).value();
        EXPECT_TRUE(device->write(at, std::as_bytes(std::span(values))).ok());
        return at;
    }
    template <class T>
    std::vector<T> read(Address at, std::size_t count) {
        std::vector<T> values(count);
        auto r = device->read(std::as_writable_bytes(std::span(values)), at);
        EXPECT_TRUE(r.ok()) << r.error().text();
        return values;
    }

    warpwright::Result<LaunchResult> try_launch(const std::string& ptx, Extent grid, Extent block,
                                                std::vector<std::byte> with, LaunchOptions options = {},
                                                std::uint64_t dynamic_shared = 0, const std::string& name = "k",
                                                Extent cluster = {0, 0, 0}) {
        auto loaded = device->load("test.ptx", ptx);
        if (!loaded) return loaded.error();
        LaunchConfig config;
        config.grid = grid;
        config.block = block;
        config.dynamic_shared = dynamic_shared;
        config.cluster = cluster;
        return device->launch(**loaded, name, config, with, options);
    }
    /// Launches and expects success. Never hangs: a minute is the limit.
    LaunchResult launch(const std::string& ptx, Extent grid, Extent block, std::vector<std::byte> with,
                        LaunchOptions options = {}, std::uint64_t dynamic_shared = 0, Extent cluster = {0, 0, 0}) {
        if (options.timeout.count() == 0) options.timeout = std::chrono::seconds(60);
        auto result = try_launch(ptx, grid, block, std::move(with), options, dynamic_shared, "k", cluster);
        if (!result) {
            ADD_FAILURE() << result.error().text() << "\n" << ptx;
            return {};
        }
        return *result;
    }
    Counts counts(const std::string& ptx, Extent grid, Extent block, std::vector<std::byte> with) {
        auto result = launch(ptx, grid, block, std::move(with));
        return result.counts ? result.counts->total : Counts{};
    }

    std::unique_ptr<warpwright::device::Device> device;
};

template <class T = std::uint32_t>
std::vector<T> iota(std::size_t n, T from = 0) {
    std::vector<T> v(n);
    std::iota(v.begin(), v.end(), from);
    return v;
}

}  // namespace device_tests
