// Runs saxpy.cu on the emulated GPU through the library, checks it, and prints two of the exact counts.
#include <cstdio>
#include <span>
#include <vector>
#include <warpwright/warpwright.hpp>

using warpwright::record::Count;

namespace {

int fail(const warpwright::Error& error) {
    std::fprintf(stderr, "%s\n", error.text().c_str());
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    const int n = 1000;
    std::vector<float> x(n), y(n);
    for (int i = 0; i < n; ++i) {
        x[i] = static_cast<float>(i);
        y[i] = 1.0f;
    }
    auto gpu = warpwright::Device::open();
    if (!gpu) return fail(gpu.error());
    auto program = gpu->compile(argc > 1 ? argv[1] : "saxpy.cu");
    if (!program) return fail(program.error());
    auto device_x = gpu->upload(std::span<const float>(x));
    if (!device_x) return fail(device_x.error());
    auto device_y = gpu->upload(std::span<const float>(y));
    if (!device_y) return fail(device_y.error());

    auto launch = gpu->launch(*program, "saxpy", {(n + 255) / 256}, {256}, {2.0f, *device_x, *device_y, n});
    if (!launch) return fail(launch.error());
    auto result = gpu->download<float>(*device_y, n);
    if (!result) return fail(result.error());
    for (int i = 0; i < n; ++i) {
        if ((*result)[i] != 2.0f * static_cast<float>(i) + 1.0f) {
            std::fprintf(stderr, "y[%d] is %g\n", i, static_cast<double>((*result)[i]));
            return 1;
        }
    }
    const auto& counts = launch->counts->total;
    std::printf("saxpy of %d: right; global load requests %llu, sectors %llu\n", n,
                static_cast<unsigned long long>(counts[Count::global_load_requests]),
                static_cast<unsigned long long>(counts[Count::global_load_sectors]));
    return 0;
}
