// Findings as JSON, there and back.
#include "record/finding.hpp"

#include <gtest/gtest.h>

namespace warpwright::record {
namespace {

TEST(FindingsJson, KeepsArraysAndAllocations) {
    Finding f;
    f.kind = FindingKind::unwritten_copy;
    f.message = "m";
    f.space = "global";
    f.allocation = {4096, 64};
    f.allocated = FindingPlace{};
    f.allocated->file = "app.cu", f.allocated->line = 8;
    f.allocated_as = "c";
    f.array = FindingArray{"s", "s[7][12]", "float s[8][33]", 5, 1056};
    const auto back = read_findings(findings_json({f}));
    ASSERT_TRUE(back);
    ASSERT_EQ(back->size(), 1u);
    const auto& g = back->front();
    EXPECT_EQ(g.kind, FindingKind::unwritten_copy);
    ASSERT_TRUE(g.allocated);
    EXPECT_EQ(g.allocated->line, 8u);
    EXPECT_EQ(g.allocated_as, "c");
    ASSERT_TRUE(g.array);
    EXPECT_EQ(g.array->element, "s[7][12]");
    EXPECT_EQ(g.array->declaration, "float s[8][33]");
    EXPECT_EQ(g.array->line, 5u);
    EXPECT_EQ(g.array->bytes, 1056u);
    EXPECT_FALSE(g.other);
}

TEST(FindingsJson, AnArrayThatIsNoneIsRefused) {
    EXPECT_FALSE(read_findings(R"({"schema":1,"findings":[{"kind":"leak","severity":"error","message":"","count":1,
        "at":{"file":"","line":0},"array":{"name":1}}]})"));
}

TEST(FindingKinds, StandInTheOrderOfTheirNumbers) {
    for (std::size_t k = 0; k < finding_kinds().size(); ++k)
        EXPECT_EQ(static_cast<std::size_t>(finding_kinds()[k].kind), k) << finding_kinds()[k].name;
}

}  // namespace
}  // namespace warpwright::record
