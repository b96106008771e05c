// createpolicy: the words of policies. All expected ones were recorded on an H100.
#include "support.hpp"

namespace cache_policy_test {

using namespace device_tests;

constexpr const char* kPriorities[] = {"L2::evict_last", "L2::evict_normal", "L2::evict_first", "L2::evict_unchanged"};

std::string named(unsigned k) { return std::string(kPriorities[k % 4]) + (k < 4 ? "" : ".L2::evict_first"); }

struct Range {
    std::uint64_t address;
    std::uint32_t primary, total;
    std::uint64_t words[8];  ///< by the priorities; with the second four, evict_first is the secondary one
};
const Range kRanges[] = {
    {0x7f1234567890,
     1,
     1u,
     {0x1c06702000000000, 0x1e06702000000000, 0x1a06702000000000, 0x1806702000000000, 0x1d06702000000000,
      0x1f06702000000000, 0x1b06702000000000, 0x1906702000000000}},
    {0x7f1234567890,
     265,
     1048576u,
     {0x1c13302000000000, 0x1e13302000000000, 0x1a13302000000000, 0x1813302000000000, 0x1d13302000000000,
      0x1f13302000000000, 0x1b13302000000000, 0x1913302000000000}},
    {0x7f1234567890,
     265,
     4194304u,
     {0x1c32c02000000000, 0x1e32c02000000000, 0x1a32c02000000000, 0x1832c02000000000, 0x1d32c02000000000,
      0x1f32c02000000000, 0x1b32c02000000000, 0x1932c02000000000}},
    {0x7f1234567890,
     65545,
     16777216u,
     {0x1c52b02000000000, 0x1e52b02000000000, 0x1a52b02000000000, 0x1852b02000000000, 0x1d52b02000000000,
      0x1f52b02000000000, 0x1b52b02000000000, 0x1952b02000000000}},
    {0x7f1234567890,
     268435465,
     536870912u,
     {0x1ca5182000000000, 0x1ea5182000000000, 0x1aa5182000000000, 0x18a5182000000000, 0x1da5182000000000,
      0x1fa5182000000000, 0x1ba5182000000000, 0x19a5182000000000}},
    {0x7f1234567890,
     268435465,
     2147483648u,
     {0x1cc3422000000000, 0x1ec3422000000000, 0x1ac3422000000000, 0x18c3422000000000, 0x1dc3422000000000,
      0x1fc3422000000000, 0x1bc3422000000000, 0x19c3422000000000}},
    {0x7f0000000000,
     265,
     512u,
     {0x1c00002000000000, 0x1e00002000000000, 0x1a00002000000000, 0x1800002000000000, 0x1d00002000000000,
      0x1f00002000000000, 0x1b00002000000000, 0x1900002000000000}},
    {0x7f00000ff010,
     1,
     524288u,
     {0x1c07f02000000000, 0x1e07f02000000000, 0x1a07f02000000000, 0x1807f02000000000, 0x1d07f02000000000,
      0x1f07f02000000000, 0x1b07f02000000000, 0x1907f02000000000}},
    {0x7f00000ff010,
     16,
     524288u,
     {0x1c07f02000000000, 0x1e07f02000000000, 0x1a07f02000000000, 0x1807f02000000000, 0x1d07f02000000000,
      0x1f07f02000000000, 0x1b07f02000000000, 0x1907f02000000000}},
    {0x7f00000ff010,
     265,
     524288u,
     {0x1c07f02000000000, 0x1e07f02000000000, 0x1a07f02000000000, 0x1807f02000000000, 0x1d07f02000000000,
      0x1f07f02000000000, 0x1b07f02000000000, 0x1907f02000000000}},
    {0x7f00000ff010,
     4105,
     524288u,
     {0x1c07f04000000000, 0x1e07f04000000000, 0x1a07f04000000000, 0x1807f04000000000, 0x1d07f04000000000,
      0x1f07f04000000000, 0x1b07f04000000000, 0x1907f04000000000}},
    {0x7f00000ff010,
     65545,
     524288u,
     {0x1c07f22000000000, 0x1e07f22000000000, 0x1a07f22000000000, 0x1807f22000000000, 0x1d07f22000000000,
      0x1f07f22000000000, 0x1b07f22000000000, 0x1907f22000000000}},
    {0x7f00000ff010,
     65545,
     1048576u,
     {0x1c17f12000000000, 0x1e17f12000000000, 0x1a17f12000000000, 0x1817f12000000000, 0x1d17f12000000000,
      0x1f17f12000000000, 0x1b17f12000000000, 0x1917f12000000000}},
    {0x7f00000ff010,
     1048576,
     1048576u,
     {0x1c17ffe000000000, 0x1e17ffe000000000, 0x1a17ffe000000000, 0x1817ffe000000000, 0x1d17ffe000000000,
      0x1f17ffe000000000, 0x1b17ffe000000000, 0x1917ffe000000000}},
};

TEST(CachePolicy, RangesAreThoseOfHardware) {
    Gpu gpu;
    std::string body;
    for (unsigned k = 0; k < 8; ++k)
        body += "createpolicy.range.global." + named(k) + ".b64 %rd3, [%rd2], %r1, %r2;\nst.global.u64 [%rd1+" +
                std::to_string(8 * k) + "], %rd3;\n";
    const auto ptx = module("u64 out, u64 a, u32 primary, u32 total",
                            "ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [a]; ld.param.u32 %r1, [primary]; "
                            "ld.param.u32 %r2, [total];\n" +
                                body);
    for (const auto& r : kRanges) {
        auto out = gpu.buffer(std::vector<std::uint64_t>(8));
        gpu.launch(ptx, {1}, {1}, parameters(out, r.address, r.primary, r.total));
        EXPECT_EQ(gpu.read<std::uint64_t>(out, 8), std::vector<std::uint64_t>(std::begin(r.words), std::end(r.words)))
            << r.address << " " << r.primary << " " << r.total;
    }
}

TEST(CachePolicy, FractionsAreThoseOfHardware) {
    Gpu gpu;
    const std::pair<float, std::uint64_t> fractions[] = {
        {0.0f, 0x1400000000000000},      {0.018625f, 0x1400000000000000}, {0.09375f, 0x1410000000000000},
        {0.171875f, 0x1420000000000000}, {0.253f, 0x1440000000000000},    {0.328125f, 0x1450000000000000},
        {0.40625f, 0x1460000000000000},  {0.487375f, 0x1470000000000000}, {0.5625f, 0x1480000000000000},
        {0.640625f, 0x14a0000000000000}, {0.72175f, 0x14b0000000000000},  {0.796875f, 0x14c0000000000000},
        {0.875f, 0x14d0000000000000},    {0.956125f, 0x14f0000000000000}, {1.003f, 0x1400000000000000},
    };
    const auto ptx = module("u64 out, f32 part", R"(
ld.param.u64 %rd1, [out]; ld.param.f32 %f1, [part];
createpolicy.fractional.L2::evict_last.b64 %rd2, %f1;
st.global.u64 [%rd1], %rd2;)");
    for (const auto& [part, word] : fractions) {
        auto out = gpu.buffer(std::vector<std::uint64_t>(1));
        gpu.launch(ptx, {1}, {1}, parameters(out, part));
        EXPECT_EQ(gpu.read<std::uint64_t>(out, 1)[0], word) << part;
    }
    const std::pair<std::string, std::uint64_t> constants[] = {
        {"fractional.L2::evict_last.b64 %rd2", 0x14f0000000000000},
        {"fractional.L2::evict_last.b64 %rd2, 0.3", 0x1440000000000000},
        {"fractional.L2::evict_last.b64 %rd2, 0.06251", 0x1400000000000000},
        {"fractional.L2::evict_first.L2::evict_first.b64 %rd2, 1.0", 0x13f0000000000000},
        {"cvt.L2.b64 %rd2, %rd3", 0x7f1234567890}};
    for (const auto& [form, word] : constants) {
        auto out = gpu.buffer(std::vector<std::uint64_t>(1));
        gpu.launch(module("u64 out", "ld.param.u64 %rd1, [out]; mov.u64 %rd3, 0x7f1234567890;\ncreatepolicy." + form +
                                         ";\nst.global.u64 [%rd1], %rd2;"),
                   {1}, {1}, parameters(out));
        EXPECT_EQ(gpu.read<std::uint64_t>(out, 1)[0], word) << form;
    }
}

}  // namespace cache_policy_test
