// Arguments as a block of parameters, and launches as a record.
#include "launch/pack.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "launch/record.hpp"

namespace warpwright::launch {
namespace pack_test {

using testing::HasSubstr;

KernelInfo saxpy() {
    KernelInfo kernel;
    kernel.name = "_Z5saxpyPfi";
    kernel.parameters = {{"a", 0, 4, 4, "f32"}, {"x", 8, 8, 8, "u64"}, {"n", 16, 2, 2, "u16"}};
    return kernel;
}

template <class T>
T at(const std::vector<std::byte>& block, std::size_t offset) {
    T value;
    std::memcpy(&value, block.data() + offset, sizeof value);
    return value;
}

TEST(Pack, PutsEachArgumentAtItsPlace) {
    const float a = 1.5f;
    const std::uint64_t x = 0x1234567890, n = 7;
    const std::uint16_t count = 7;
    const Argument arguments[] = {argument(a), argument(x), argument(count)};
    const auto block = pack(saxpy(), arguments);
    ASSERT_TRUE(block) << block.error().text();
    EXPECT_EQ(block->size(), 18u);
    EXPECT_EQ(block->size(), parameter_bytes(saxpy()));
    EXPECT_EQ(at<float>(*block, 0), 1.5f);
    EXPECT_EQ(at<std::uint32_t>(*block, 4), 0u) << "the gap";
    EXPECT_EQ(at<std::uint64_t>(*block, 8), x);
    EXPECT_EQ(at<std::uint16_t>(*block, 16), n);
    const void* values[] = {&a, &x, &count};
    EXPECT_EQ(pack_pointers(saxpy(), values), *block);
}

TEST(Pack, RefusesOtherNumbersAndSizesThanTheKernels) {
    const float a = 1.5f;
    const std::uint64_t x = 0;
    const Argument two[] = {argument(a), argument(x)};
    const auto few = pack(saxpy(), two);
    ASSERT_FALSE(few);
    EXPECT_EQ(few.error().kind, ErrorKind::usage);
    EXPECT_EQ(few.error().what, "the kernel 'saxpy(float*, int)' takes 3 arguments, 2 given");
    EXPECT_EQ(few.error().hint, "its parameters: f32, u64, u16");
    const Argument wide[] = {argument(x), argument(x), argument(a)};
    const auto wrong = pack(saxpy(), wide);
    ASSERT_FALSE(wrong);
    EXPECT_THAT(wrong.error().what,
                HasSubstr("argument 0 of saxpy(float*, int) has 8 bytes, its parameter (.f32) has 4"));
}

TEST(Record, TellsOfOneLaunchAndOfSeveralTogether) {
    LaunchConfig config;
    config.grid = {2, 3, 1}, config.block = {64, 1, 1};
    LaunchResult result;
    result.host_seconds = 2, result.compile_seconds = 1;
    result.counts.emplace();
    result.counts->total[record::Count::instructions] = 10;
    result.counts->lines.push_back({"b.cu", 7, result.counts->total});
    auto r = record_of(saxpy(), config, result);
    EXPECT_EQ(r.kernel, "saxpy(float*, int)");
    EXPECT_EQ(r.grid, config.grid);
    EXPECT_EQ(r.block, config.block);
    EXPECT_EQ(r.emulation_s, 2.0);
    EXPECT_EQ(r.compile_s, 1.0);
    result.counts->lines.push_back({"a.cu", 3, result.counts->total});
    add(r, result);
    EXPECT_EQ((*r.counts)[record::Count::instructions], 20u);
    EXPECT_EQ(r.emulation_s, 4.0);
    ASSERT_EQ(r.lines.size(), 2u);
    EXPECT_EQ(r.lines[0].file, "a.cu");
    EXPECT_EQ(r.lines[1].counts[record::Count::instructions], 20u);
}

TEST(Record, OfARealDeviceHasNoTimeOfTheHost) {
    LaunchResult result;
    result.device_seconds = 1e-6;
    const auto r = record_of(saxpy(), {}, result);
    EXPECT_FALSE(r.emulation_s || r.compile_s || r.counts);
}

}  // namespace pack_test
}  // namespace warpwright::launch
