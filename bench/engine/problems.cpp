#include "problems.hpp"

#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>

#include "plain.hpp"
#include "problem_parts.hpp"

namespace warpwright::bench {
namespace {

Problem matmul(const std::string& kernel, int n) {
    const auto size = static_cast<std::size_t>(n) * n;
    const auto a = random_floats(size, 1), b = random_floats(size, 2);
    Problem p;
    p.source = kernel;
    p.buffers = {to_bytes(a), to_bytes(b), Bytes(size * sizeof(float), kPoison)};
    p.output = 2;
    const auto blocks = static_cast<std::uint32_t>(n / 16);
    p.steps = {{kernel, {blocks, blocks, 1}, {16, 16, 1}, {BufferIndex{0}, BufferIndex{1}, BufferIndex{2}, n}}};
    p.work.operations = p.work.words = static_cast<double>(size) * n;
    p.plain = [n](std::vector<Bytes>& m) { plain_matmul(as<float>(m[0]), as<float>(m[1]), as<float>(m[2]), n); };

    // In double; i, k, j so that it takes no time to speak of. With it, per element, the sum of |a b|, to which
    // float rounding errors are relative.
    auto want = std::make_shared<std::vector<double>>(size), scale = std::make_shared<std::vector<double>>(size);
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k) {
            const double left = a[static_cast<std::size_t>(i) * n + k];
            const float* row = &b[static_cast<std::size_t>(k) * n];
            double* sums = &(*want)[static_cast<std::size_t>(i) * n];
            double* scales = &(*scale)[static_cast<std::size_t>(i) * n];
            for (int j = 0; j < n; ++j) {
                sums[j] += left * row[j];
                scales[j] += std::abs(left * row[j]);
            }
        }
    }
    p.check = [want, scale](std::span<const std::byte> got) -> std::string {
        for (std::size_t i = 0; i < want->size(); ++i) {
            const double error = std::abs(element<float>(got, i) - (*want)[i]);
            // Negated so that NaN fails. Rounding errors of n terms grow as sqrt(n); 2e-6 is 33 half ulps.
            if (!(error <= 2e-6 * (*scale)[i]))
                return "element " + std::to_string(i) + " is " + std::to_string(element<float>(got, i)) + ", not " +
                       std::to_string((*want)[i]);
        }
        return {};
    };
    return p;
}

Problem reduce(int n, std::uint32_t blocks) {
    std::mt19937 generator(3);
    std::vector<std::int32_t> in(n);
    // Small enough that no sum overflows.
    for (auto& value : in) value = static_cast<std::int32_t>(generator() % 1001) - 500;
    const std::vector<std::int32_t> want{plain_sum(in.data(), n)};
    Problem p;
    p.source = "reduce_sum";
    p.buffers = {to_bytes(in), Bytes(blocks * sizeof(std::int32_t), kPoison), Bytes(sizeof(std::int32_t), kPoison)};
    p.output = 2;
    p.steps = {
        {"reduce_sum", {blocks, 1, 1}, {256, 1, 1}, {BufferIndex{0}, BufferIndex{1}, n}},
        {"reduce_sum", {1, 1, 1}, {256, 1, 1}, {BufferIndex{1}, BufferIndex{2}, static_cast<std::int32_t>(blocks)}}};
    p.work.bytes = 4.0 * n;
    p.plain = [n](std::vector<Bytes>& m) { *as<std::int32_t>(m[2]) = plain_sum(as<std::int32_t>(m[0]), n); };
    p.check = [want](std::span<const std::byte> got) { return differs(got, want); };
    return p;
}

Problem transpose(int n) {
    const auto size = static_cast<std::size_t>(n) * n;
    const auto in = random_floats(size, 4);
    std::vector<float> want(size);
    plain_transpose(in.data(), want.data(), n);
    Problem p;
    p.source = "transpose";
    p.buffers = {to_bytes(in), Bytes(size * sizeof(float), kPoison)};
    p.output = 1;
    const auto tiles = static_cast<std::uint32_t>(n / 32);
    p.steps = {{"transpose", {tiles, tiles, 1}, {32, 8, 1}, {BufferIndex{0}, BufferIndex{1}, n}}};
    p.work.words = 4.0 * size;
    p.work.bytes = 8.0 * size;
    p.plain = [n](std::vector<Bytes>& m) { plain_transpose(as<float>(m[0]), as<float>(m[1]), n); };
    p.check = [want = std::move(want)](std::span<const std::byte> got) { return differs(got, want); };
    return p;
}

Problem mandelbrot(int size, int limit) {
    const float left = -2.2f, top = -1.5f, pitch = 3.0f / static_cast<float>(size);
    std::vector<std::int32_t> want(static_cast<std::size_t>(size) * size);
    plain_mandelbrot(want.data(), size, size, left, top, pitch, limit);
    Problem p;
    p.source = "mandelbrot";
    p.buffers = {Bytes(want.size() * sizeof(std::int32_t), kPoison)};
    p.output = 0;
    const auto blocks = static_cast<std::uint32_t>(size / 16);
    p.steps = {{"mandelbrot", {blocks, blocks, 1}, {16, 16, 1}, {BufferIndex{0}, size, size, left, top, pitch, limit}}};
    for (const auto steps : want) p.work.operations += 8.0 * steps;
    p.plain = [=](std::vector<Bytes>& m) {
        plain_mandelbrot(as<std::int32_t>(m[0]), size, size, left, top, pitch, limit);
    };
    p.check = [want = std::move(want)](std::span<const std::byte> got) { return differs(got, want); };
    return p;
}

Problem histogram(int n, std::uint32_t blocks) {
    std::mt19937 generator(5);
    std::vector<std::uint32_t> in(n);
    for (auto& value : in) value = generator() % 256;
    std::vector<std::uint32_t> want(256);
    plain_histogram(in.data(), want.data(), n, 256);
    Problem p;
    p.source = "histogram";
    p.buffers = {to_bytes(in), Bytes(256 * sizeof(std::uint32_t), std::byte{0})};
    p.output = 1;
    p.steps = {{"histogram", {blocks, 1, 1}, {256, 1, 1}, {BufferIndex{0}, BufferIndex{1}, n}}};
    p.work.shared_atomics = n;
    p.plain = [n](std::vector<Bytes>& m) { plain_histogram(as<std::uint32_t>(m[0]), as<std::uint32_t>(m[1]), n, 256); };
    p.check = [want = std::move(want)](std::span<const std::byte> got) { return differs(got, want); };
    return p;
}

Problem barriers(std::uint32_t blocks, std::int32_t rounds) {
    Problem p;
    p.source = "barriers";
    p.buffers = {Bytes(sizeof(std::int32_t), kPoison)};
    p.steps = {{"barriers", {blocks, 1, 1}, {256, 1, 1}, {BufferIndex{0}, rounds}}};
    p.plain = [rounds](std::vector<Bytes>& m) { *as<std::int32_t>(m[0]) = rounds; };
    p.check = [rounds](std::span<const std::byte> got) { return differs(got, std::vector<std::int32_t>{rounds}); };
    return p;
}

/// A kernel of `count` instructions, of the kinds and in about the shares of compiled code: integer arithmetic, a load
/// and a store every 25 and a branch every 50. 8 blocks of 128 threads, one element of the buffer each.
Problem straight(int count) {
    constexpr std::uint32_t kBlocks = 8, kThreads = 128;
    std::vector<std::uint32_t> want(kBlocks * kThreads);
    for (std::uint32_t i = 0; i < want.size(); ++i) want[i] = i;
    const Bytes start = to_bytes(want);
    std::string body;
    int written = 8;  // what stands around the body below
    for (int i = 0; written < count; ++i) {
        const std::uint32_t constant = 2654435761u * static_cast<std::uint32_t>(i + 1);
        const std::string number = std::to_string(constant);
        if (i % 25 == 24) {
            body += "st.global.u32 [%rd1], %r1;\nld.global.u32 %r1, [%rd1];\n";
            written += 2;
        } else if (i % 50 == 10) {
            // Taken by about half of the lanes: x even.
            body += "and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra L" + std::to_string(i) +
                    ";\nadd.u32 %r1, %r1, " + number + ";\nL" + std::to_string(i) + ":\n";
            for (auto& x : want) x = x % 2 == 0 ? x : x + constant;
            written += 4;
        } else if (i % 3 == 0) {
            body += "mad.lo.u32 %r1, %r1, 5, " + number + ";\n";
            for (auto& x : want) x = x * 5 + constant;
            ++written;
        } else if (i % 3 == 1) {
            body += "shr.u32 %r2, %r1, 7;\nxor.b32 %r1, %r1, %r2;\n";
            for (auto& x : want) x ^= x >> 7;
            written += 2;
        } else {
            body += "add.u32 %r1, %r1, " + number + ";\n";
            for (auto& x : want) x += constant;
            ++written;
        }
    }
    Problem p;
    p.ptx =
        ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry straight(.param .u64 data) {\n"
        ".reg .pred %p<2>;\n.reg .b32 %r<6>;\n.reg .b64 %rd<3>;\n"
        "ld.param.u64 %rd1, [data];\nmov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ntid.x;\nmov.u32 %r5, %tid.x;\n"
        "mad.lo.u32 %r3, %r3, %r4, %r5;\nmad.wide.u32 %rd1, %r3, 4, %rd1;\nld.global.u32 %r1, [%rd1];\n" +
        body + "st.global.u32 [%rd1], %r1;\nret;\n}\n";
    p.buffers = {start};
    p.steps = {{"straight", {kBlocks, 1, 1}, {kThreads, 1, 1}, {BufferIndex{0}}}};
    p.plain = [bytes = to_bytes(want)](std::vector<Bytes>& m) { m[0] = bytes; };
    p.check = [want](std::span<const std::byte> got) { return differs(got, want); };
    return p;
}

Problem by_name(const std::string& name) {
    int n = 0;
    if (is_sized(name, "naive matmul %d", n)) return matmul("matmul_naive", n);
    if (is_sized(name, "tiled matmul %d", n)) return matmul("matmul_tiled", n);
    if (is_power(name, "int32 sum of 2^%d", n)) return reduce(n, 512);
    if (is_sized(name, "transpose %d", n)) return transpose(n);
    if (is_sized(name, "mandelbrot %d", n)) return mandelbrot(n, 256);
    if (is_power(name, "histogram of 2^%d", n)) return histogram(n, 256);
    unsigned blocks = 0;
    int rounds = 0;
    if (std::sscanf(name.c_str(), "barriers:%ux%d", &blocks, &rounds) == 2) return barriers(blocks, rounds);
    if (std::sscanf(name.c_str(), "straight:%d", &rounds) == 1) return straight(rounds);
    if (Problem p; make_numeric_problem(name, p) || make_data_problem(name, p)) return p;
    throw std::invalid_argument("no such problem: " + name);
}

}  // namespace

const std::vector<std::string>& problem_names() {
    static const std::vector<std::string> names{
        "naive matmul 512",  "naive matmul 1024", "tiled matmul 512",  "int32 sum of 2^22", "transpose 2048",
        "mandelbrot 1024",   "histogram of 2^22", "histogram, global", "4096 bodies",       "stencil 2048",
        "sparse rows 2^16",  "scan of 2^20",      "hash insert 2^18",  "wmma product 256",  "wgmma product 512",
        "softmax 2048x1024", "attention 1024x32", "FFT 2048 of 512",   "sort of 2^17",      "eight ways 2^20",
        "2000 instructions"};
    return names;
}

const std::vector<std::string>& larger_problem_names() {
    static const std::vector<std::string> names{
        "naive matmul 1024", "tiled matmul 1024",  "int32 sum of 2^26",     "transpose 8192",    "mandelbrot 4096",
        "histogram of 2^26", "16384 bodies",       "stencil 8192",          "sparse rows 2^20",  "scan of 2^24",
        "wmma product 1024", "wgmma product 1024", "softmax 16384x1024",    "attention 4096x32", "FFT 16384 of 512",
        "sort of 2^21",      "eight ways 2^24",    "2000 instructions 2^22"};
    return names;
}

Problem make_problem(const std::string& name) {
    Problem problem = by_name(name);
    problem.name = name;
    return problem;
}

}  // namespace warpwright::bench
