// Everything that public CUDA programs ask for is executed: each line of spellings.txt (and of forms.txt: the same with
// other kinds of operands) stands in a kernel that loads, launches and ends; each line of later.txt is refused by name
// and place. What the results must be is for memory_test.cpp beside this, tests/oracle and tests/engine_tensor.
#include <algorithm>
#include <span>

#include "../device/support.hpp"
#include "kernel_text.hpp"

namespace coverage_test {

using namespace coverage_tests;
using device_tests::Gpu;
using testing::HasSubstr;
using warpwright::ErrorKind;

constexpr std::size_t kLinesInAKernel = 48;

struct Outcome {
    bool ok = true;
    unsigned line = 0;  ///< index into the lines; lines.size() = somewhere else
    std::string error;
    ErrorKind kind = ErrorKind::internal;
};

/// How the lines are run.
struct How {
    Values values;
    unsigned threads;
    std::string guard;
};

Outcome run(Gpu& gpu, const std::vector<Spelling>& lines, const How& how) {
    unsigned first = 0;
    const auto text = kernel_text(lines, how.values, first, how.guard);
    std::vector<std::uint32_t> data(kDataBytes / 4);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint32_t>(7 + i % 61);
    const auto at = gpu.buffer(data);
    std::vector<std::uint64_t> with{at, 0};
    for (unsigned i = 0; i < 8; ++i) with.push_back(3 + 2 * i);
    const auto bytes = std::as_bytes(std::span(with));
    warpwright::device::LaunchOptions options;
    options.timeout = std::chrono::seconds(60);
    const auto result = gpu.try_launch(text, {1}, {how.threads}, {bytes.begin(), bytes.end()}, options);
    EXPECT_TRUE(gpu.device->release(at).ok());
    if (result) return {};
    const auto line = result.error().where.line;
    const bool inside = line >= first && line < first + lines.size();
    return {false, inside ? line - first : static_cast<unsigned>(lines.size()), result.error().text(),
            result.error().kind};
}

/// Runs the lines together; where that fails each by itself, so that every one at fault is named.
void expect_run(Gpu& gpu, const std::vector<Spelling>& lines, const How& how) {
    const auto together = run(gpu, lines, how);
    if (together.ok) return;
    bool named = false;
    for (const auto& line : lines) {
        const auto one = run(gpu, {line}, how);
        if (one.ok) continue;
        named = true;
        ADD_FAILURE() << line.text << ": " << one.error << "\n    in: " << line.statements(0, how.guard);
    }
    if (!named) {
        const auto at =
            together.line < lines.size() ? lines[together.line].text : std::string("the kernel around them");
        ADD_FAILURE() << "together only, at " << at << ": " << together.error;
    }
}

/// A few lines of a list.
struct Part {
    std::string file;
    std::size_t from, to;
};
void PrintTo(const Part& part, std::ostream* out) { *out << part.file << " " << part.from << " to " << part.to; }

std::vector<Part> parts() {
    std::vector<Part> all;
    for (const auto* file : {"spellings.txt", "forms.txt"}) {
        const auto n = read_list(file).size();
        for (std::size_t from = 0; from < n; from += kLinesInAKernel)
            all.push_back({file, from, std::min(from + kLinesInAKernel, n)});
    }
    return all;
}

class Coverage : public testing::TestWithParam<Part> {
protected:
    void each(bool with_together, const How& how) {
        Gpu gpu;
        std::vector<Spelling> lines;
        const auto all = read_list(GetParam().file);
        for (auto i = GetParam().from; i < GetParam().to; ++i) {
            if (!with_together && all[i].together()) continue;
            if (all[i].alone())
                expect_run(gpu, {all[i]}, how);
            else
                lines.push_back(all[i]);
        }
        if (!lines.empty()) expect_run(gpu, lines, how);
    }
};

TEST_P(Coverage, VaryingValues) { each(true, {Values::varying, 64, ""}); }
TEST_P(Coverage, UniformValues) { each(true, {Values::uniform, 64, ""}); }
// The second warp has lanes missing and a guard takes more away: the code that runs under a mask.
TEST_P(Coverage, UnderAMask) { each(false, {Values::varying, 40, "@%p6 "}); }

INSTANTIATE_TEST_SUITE_P(Lines, Coverage, testing::ValuesIn(parts()));

// Blocks that are no multiple of 32 vote, shuffle and wait with full member masks all the same.
TEST(PartOfAWarp, VotesShufflesAndWaits) {
    Gpu gpu;
    std::vector<Spelling> lines;
    for (const auto& line : read_list("spellings.txt"))
        if (line.together() && line.text.find(".aligned") == std::string::npos) lines.push_back(line);
    EXPECT_EQ(lines.size(), 20u);
    for (const auto values : {Values::varying, Values::uniform})
        for (const unsigned threads : {1u, 40u}) expect_run(gpu, lines, {values, threads, ""});
}

// They reach the texture unit, which finds that a number is no object, at their line.
TEST(Objects, AreAskedFor) {
    Gpu gpu;
    for (const auto& line : read_list("objects.txt")) {
        const auto r = run(gpu, {line}, {Values::varying, 64, ""});
        EXPECT_FALSE(r.ok) << line.text;
        EXPECT_EQ(r.kind, ErrorKind::fault) << r.error;
        EXPECT_THAT(r.error, HasSubstr(line.text));
        EXPECT_THAT(r.error, HasSubstr("object does not exist"));
    }
}

TEST(Later, IsRefusedByNameAndPlace) {
    Gpu gpu;
    auto lines = read_list("later.txt");
    // What is on no list: a function of nobody's.
    Spelling unknown;
    unknown.text = "callee:function_of_nobody", unknown.group = "none",
    unknown.operands = "call.uni function_of_nobody;";
    lines.push_back(unknown);
    for (const auto& line : lines) {
        const auto r = run(gpu, {line}, {Values::varying, 64, ""});
        if (r.ok) {
            ADD_FAILURE() << line.text << " is executed: it belongs to spellings.txt";
            continue;
        }
        EXPECT_EQ(r.kind, ErrorKind::input) << r.error;
        EXPECT_EQ(r.line, 0u) << line.text << ": " << r.error;
        EXPECT_THAT(r.error, HasSubstr(line.is_callee() ? line.base() : line.text));
    }
}

}  // namespace coverage_test
