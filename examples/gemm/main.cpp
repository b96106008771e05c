// A matrix product, its transposition and the sum of its elements by Warpwright's finished kernels.
//     gemm [emulated|cuda:0|auto] [N]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "warpwright/kernels.hpp"

namespace ww = warpwright;

namespace {

[[noreturn]] void fail(const ww::Error& error) {
    std::fprintf(stderr, "gemm: %s\n", error.text().c_str());
    std::exit(error.kind == ww::ErrorKind::no_device ? 3 : 2);
}

template <class T>
T must(ww::Result<T> result) {
    if (!result) fail(result.error());
    return std::move(result).value();
}

void say(const char* what, const ww::Launch& launch) {
    std::printf("%s by %s", what, launch.kernel.c_str());
    if (launch.device_seconds) std::printf(", %.1f us", *launch.device_seconds * 1e6);
    if (launch.counts)
        std::printf(", %llu warp instructions", static_cast<unsigned long long>(launch.counts->total[ww::record::Count::instructions]));
    std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
    ww::Device gpu = must(ww::Device::open({.device = argc > 1 ? argv[1] : "emulated"}));
    const std::int64_t n = argc > 2 ? std::atoll(argv[2]) : 192;
    if (n < 1) return std::fprintf(stderr, "gemm: N is a number from 1 on\n"), 2;
    // A has i + 1 in each element of row i, B is 1 everywhere: C is (i + 1) n in row i.
    const auto count = static_cast<std::size_t>(n * n);
    std::vector<float> a(count), b(count, 1.0f);
    for (std::size_t i = 0; i < count; ++i) a[i] = static_cast<float>(i / static_cast<std::size_t>(n) + 1);
    const ww::Buffer da = must(gpu.upload(std::span<const float>(a))), db = must(gpu.upload(std::span<const float>(b)));
    const ww::Buffer dc = must(gpu.allocate(count * 4)), dt = must(gpu.allocate(count * 4)), dsum = must(gpu.allocate(4));
    say("product", must(ww::gemm(gpu, {.m = n, .n = n, .k = n}, da, db, dc)));
    say("transposition", must(ww::transpose(gpu, {.rows = n, .columns = n}, dc, dt)));
    say("sum", must(ww::reduce(gpu, {.count = n * n}, dt, dsum)));
    const float sum = must(gpu.download<float>(dsum, 1)).front();
    const float corner = must(gpu.download<float>(dt, static_cast<std::size_t>(n))).back();  // row n - 1 of C, column 0
    const double expected = 0.5 * static_cast<double>(n * n) * static_cast<double>(n * (n + 1));
    const bool right = std::abs(sum - expected) <= 1e-4 * expected && corner == static_cast<float>(n * n);
    std::printf("%s on %s: sum %.6g, expected %.6g\n", right ? "right" : "WRONG", gpu.name().c_str(), static_cast<double>(sum), expected);
    return right ? 0 : 1;
}
