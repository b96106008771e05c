// Everything that public CUDA programs ask for is executed: each line of spellings.txt stands in a kernel that loads,
// launches and ends; each line of later.txt is refused by name and place. Results are for tests/oracle and tests/device.
#include <algorithm>
#include <array>

#include "../device/support.hpp"
#include "kernel_text.hpp"

namespace {

using namespace coverage_tests;
using device_tests::Gpu;
using device_tests::parameters;
using testing::HasSubstr;
using warpwright::ErrorKind;

constexpr std::size_t kLinesInAKernel = 24;

struct Outcome {
    bool ok = true;
    unsigned line = 0;  ///< index into the lines; lines.size() = somewhere else
    std::string error;
    ErrorKind kind = ErrorKind::internal;
};

Outcome run(Gpu& gpu, const std::vector<Spelling>& lines, Values values, unsigned threads) {
    unsigned first = 0;
    const auto text = kernel_text(lines, values, first);
    std::vector<std::uint32_t> data(kDataBytes / 4);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint32_t>(7 + i % 61);
    const auto at = gpu.buffer(data);
    std::array<std::uint64_t, 9> block{at, 0, 3, 5, 7, 11, 13, 17, 19};
    std::vector<std::byte> with(80);
    std::memcpy(with.data(), &at, sizeof at);
    std::memcpy(with.data() + 16, block.data() + 1, 64);
    warpwright::device::LaunchOptions options;
    options.timeout = std::chrono::seconds(60);
    const auto result = gpu.try_launch(text, {1}, {threads}, with, options);
    EXPECT_TRUE(gpu.device->release(at).ok());
    if (result) return {};
    const auto line = result.error().where.line;
    const bool inside = line >= first && line < first + lines.size();
    return {false, inside ? line - first : static_cast<unsigned>(lines.size()), result.error().text(), result.error().kind};
}

/// Runs the lines together; where that fails each by itself, so that every one at fault is named.
void expect_run(Gpu& gpu, const std::vector<Spelling>& lines, Values values, unsigned threads) {
    const auto together = run(gpu, lines, values, threads);
    if (together.ok) return;
    bool named = false;
    for (const auto& line : lines) {
        const auto one = run(gpu, {line}, values, threads);
        if (one.ok) continue;
        named = true;
        ADD_FAILURE() << line.text << ": " << one.error << "\n    in: " << line.statements(0);
    }
    if (!named) {
        const auto at = together.line < lines.size() ? lines[together.line].text : std::string("the kernel around them");
        ADD_FAILURE() << "together only, at " << at << ": " << together.error;
    }
}

std::vector<Spelling> part(const std::vector<Spelling>& all, std::size_t index) {
    const auto from = std::min(index * kLinesInAKernel, all.size()), to = std::min(from + kLinesInAKernel, all.size());
    return {all.begin() + static_cast<long>(from), all.begin() + static_cast<long>(to)};
}

class Coverage : public testing::TestWithParam<std::size_t> {
protected:
    /// This part of the list; what must be alone is left out and run at once.
    void each(bool with_together, Values values, unsigned threads) {
        Gpu gpu;
        std::vector<Spelling> lines;
        for (const auto& line : part(read_list("spellings.txt"), GetParam())) {
            if (!with_together && line.together()) continue;
            if (line.alone())
                expect_run(gpu, {line}, values, threads);
            else
                lines.push_back(line);
        }
        expect_run(gpu, lines, values, threads);
    }
};

TEST_P(Coverage, VaryingValues) { each(true, Values::varying, 64); }
TEST_P(Coverage, UniformValues) { each(true, Values::uniform, 64); }
// The second warp has lanes missing: the code that runs under a mask.
TEST_P(Coverage, UnderAMask) { each(false, Values::varying, 40); }

INSTANTIATE_TEST_SUITE_P(Part, Coverage, testing::Range<std::size_t>(0, (read_list("spellings.txt").size() + kLinesInAKernel - 1) / kLinesInAKernel));

TEST(Later, IsRefusedByNameAndPlace) {
    Gpu gpu;
    for (const auto& line : read_list("later.txt")) {
        const auto r = run(gpu, {line}, Values::varying, 64);
        ASSERT_FALSE(r.ok) << line.text << " is executed: it belongs to spellings.txt";
        EXPECT_EQ(r.kind, ErrorKind::input) << r.error;
        EXPECT_EQ(r.line, 0u) << line.text << ": " << r.error;
        EXPECT_THAT(r.error, HasSubstr(line.base())) << line.text;
    }
}

}  // namespace
