// Problems of floats: bodies, stencil, sparse and tensor-core products, softmax, attention, transforms.
#include <numbers>

#include "plain.hpp"
#include "problem_parts.hpp"

namespace warpwright::bench {
namespace {

Problem bodies(int n) {
    Problem p;
    p.source = "nbody";
    p.buffers = {to_bytes(random_floats(static_cast<std::size_t>(n) * 4, 6)),
                 Bytes(static_cast<std::size_t>(n) * 16, kPoison)};
    p.output = 1;
    p.steps = {
        {"nbody", {static_cast<std::uint32_t>(n / 256), 1, 1}, {256, 1, 1}, {BufferIndex{0}, BufferIndex{1}, n}}};
    p.plain = [n](std::vector<Bytes>& m) { plain_bodies(as<float>(m[0]), as<float>(m[1]), n); };
    const double pairs = static_cast<double>(n) * n;
    p.work.operations = 17 * pairs;  // the inverse root counts 5: an estimate and Newton's step
    check_within(p, 1e-4f);
    return p;
}

Problem stencil(int n) {
    const auto size = static_cast<std::size_t>(n) * n;
    Problem p;
    p.source = "stencil";
    p.buffers = {to_bytes(random_floats(size, 7)), Bytes(size * 4, kPoison)};
    p.output = 1;
    p.steps = {{"stencil",
                {static_cast<std::uint32_t>(n / 32), static_cast<std::uint32_t>(n / 8), 1},
                {32, 8, 1},
                {BufferIndex{0}, BufferIndex{1}, n}}};
    p.plain = [n](std::vector<Bytes>& m) { plain_stencil(as<float>(m[0]), as<float>(m[1]), n); };
    p.work.operations = 5.0 * size;
    p.work.words = 6.0 * size;
    p.work.bytes = 8.0 * size;
    check_within(p, 1e-6f);
    return p;
}

Problem sparse(int rows) {
    const auto lengths = random_words(rows, 8, 33);
    std::vector<std::int32_t> starts(rows + 1);
    for (int r = 0; r < rows; ++r) starts[r + 1] = starts[r] + 8 + static_cast<std::int32_t>(lengths[r]);
    const auto size = static_cast<std::size_t>(starts[rows]);
    Problem p;
    p.source = "spmv";
    p.buffers = {to_bytes(starts), to_bytes(random_words(size, 9, rows)), to_bytes(random_floats(size, 10)),
                 to_bytes(random_floats(rows, 11)), Bytes(static_cast<std::size_t>(rows) * 4, kPoison)};
    p.output = 4;
    p.steps = {{"spmv",
                {static_cast<std::uint32_t>(rows / 128), 1, 1},
                {128, 1, 1},
                {BufferIndex{0}, BufferIndex{1}, BufferIndex{2}, BufferIndex{3}, BufferIndex{4}, rows}}};
    p.plain = [rows](std::vector<Bytes>& m) {
        plain_sparse(as<std::int32_t>(m[0]), as<std::int32_t>(m[1]), as<float>(m[2]), as<float>(m[3]), as<float>(m[4]),
                     rows);
    };
    p.work.bytes = 8.0 * size;
    p.work.gathers = static_cast<double>(size);
    p.work.table = 4.0 * rows;
    check_within(p, 1e-5f);
    return p;
}

/// c = a b of bf16 elements, b by columns.
Problem tensor(const std::string& source, int n, Extent3 grid) {
    const auto size = static_cast<std::size_t>(n) * n;
    const auto elements = [&](unsigned seed) {
        std::vector<std::uint16_t> halves;
        for (const float x : random_floats(size, seed))
            halves.push_back(static_cast<std::uint16_t>(__builtin_bit_cast(std::uint32_t, x) >> 16));
        return to_bytes(halves);
    };
    Problem p;
    p.source = source;
    p.opencl = false;
    p.buffers = {elements(12), elements(13), Bytes(size * 4, kPoison)};
    p.output = 2;
    p.steps = {{source + "_product", grid, {128, 1, 1}, {BufferIndex{0}, BufferIndex{1}, BufferIndex{2}, n}}};
    p.plain = [n](std::vector<Bytes>& m) {
        plain_bf16(as<std::uint16_t>(m[0]), as<std::uint16_t>(m[1]), as<float>(m[2]), n);
    };
    p.work.operations = static_cast<double>(size) * n;
    check_within(p, 1e-5f);
    return p;
}

Problem softmax(int rows, int columns) {
    const auto size = static_cast<std::size_t>(rows) * columns;
    Problem p;
    p.source = "softmax";
    p.buffers = {to_bytes(random_floats(size, 14)), Bytes(size * 4, kPoison)};
    p.output = 1;
    p.steps = {
        {"softmax", {static_cast<std::uint32_t>(rows), 1, 1}, {256, 1, 1}, {BufferIndex{0}, BufferIndex{1}, columns}}};
    p.plain = [=](std::vector<Bytes>& m) { plain_softmax(as<float>(m[0]), as<float>(m[1]), rows, columns); };
    p.work.operations = (2 * 8 + 5.0) * size;  // exp counts 8
    p.work.words = 4.0 * size;
    p.work.bytes = 8.0 * size;
    check_within(p, 1e-5f);
    return p;
}

Problem attention(int n) {
    constexpr int kWidth = 32;
    const auto size = static_cast<std::size_t>(n) * kWidth;
    Problem p;
    p.source = "attention";
    p.buffers = {to_bytes(random_floats(size, 15)), to_bytes(random_floats(size, 16)),
                 to_bytes(random_floats(size, 17)), Bytes(size * 4, kPoison)};
    p.output = 3;
    p.steps = {{"attention",
                {static_cast<std::uint32_t>(n / 128), 1, 1},
                {128, 1, 1},
                {BufferIndex{0}, BufferIndex{1}, BufferIndex{2}, BufferIndex{3}, n}}};
    p.plain = [n](std::vector<Bytes>& m) {
        plain_attention(as<float>(m[0]), as<float>(m[1]), as<float>(m[2]), as<float>(m[3]), n);
    };
    p.work.operations = static_cast<double>(n) * n * (3 * kWidth + 2 * 8 + 5);
    check_within(p, 1e-4f);
    return p;
}

Problem transforms(int count) {
    const auto size = static_cast<std::size_t>(count) * 512;
    std::vector<float> turns(512);
    for (int k = 0; k < 256; ++k) {
        const double angle = -2 * std::numbers::pi * k / 512;
        turns[2 * k] = static_cast<float>(std::cos(angle));
        turns[2 * k + 1] = static_cast<float>(std::sin(angle));
    }
    Problem p;
    p.source = "fft";
    p.buffers = {to_bytes(random_floats(2 * size, 18)), Bytes(8 * size, kPoison), to_bytes(turns)};
    p.output = 1;
    p.steps = {{"fft",
                {static_cast<std::uint32_t>(count), 1, 1},
                {256, 1, 1},
                {BufferIndex{0}, BufferIndex{1}, BufferIndex{2}}}};
    p.plain = [count](std::vector<Bytes>& m) {
        plain_transforms(as<float>(m[0]), as<float>(m[1]), as<float>(m[2]), count);
    };
    p.work.operations = 9.0 * 256 * 8 * count;
    p.work.words = 9.0 * 256 * 10 * count;
    p.work.bytes = 16.0 * size;
    check_within(p, 1e-5f);
    return p;
}

}  // namespace

bool make_numeric_problem(const std::string& name, Problem& problem) {
    int n = 0;
    if (is_sized(name, "%d bodies", n))
        problem = bodies(n);
    else if (is_sized(name, "stencil %d", n))
        problem = stencil(n);
    else if (is_power(name, "sparse rows 2^%d", n))
        problem = sparse(n);
    else if (is_sized(name, "wmma product %d", n))
        problem = tensor("wmma", n, {static_cast<std::uint32_t>(n) / 64, static_cast<std::uint32_t>(n) / 16, 1});
    else if (is_sized(name, "wgmma product %d", n))
        problem = tensor("wgmma", n, {static_cast<std::uint32_t>(n) / 64, static_cast<std::uint32_t>(n) / 64, 1}),
        problem.architecture = "sm_90a";
    else if (is_sized(name, "softmax %dx1024", n))
        problem = softmax(n, 1024);
    else if (is_sized(name, "attention %dx32", n))
        problem = attention(n);
    else if (is_sized(name, "FFT %d of 512", n))
        problem = transforms(n);
    else
        return false;
    return true;
}

}  // namespace warpwright::bench
