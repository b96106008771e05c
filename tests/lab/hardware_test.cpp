// The experiments about hardware, run at small sizes on the emulated device: the figures of their pages against the
// texts' rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "device/emulated/emulated.hpp"
#include "lab/experiments/hardware.hpp"
#include "lab/experiments/pipeline.hpp"
#include "record/page_texts.hpp"
#include "text/words.hpp"

namespace warpwright::lab {
namespace hardware_test {

using record::shown::Page;

struct Laboratory {
    Laboratory() {
        auto loaded = arch::load_model("h200");
        EXPECT_TRUE(loaded.ok());
        if (loaded) model = std::move(*loaded);
        device::EmulatedOptions options;
        options.threads = 2;
        options.limits.multiprocessors = model.sm.multiprocessors;
        auto made = device::make_emulated(options);
        EXPECT_TRUE(made.ok());
        if (made) device = std::move(*made);
        choices.quick = true;
    }
    Page run(const char* name) {
        const Experiment* e = find_experiment(name);
        EXPECT_NE(e, nullptr) << name;
        Context context{*device, model, true, std::make_shared<Target>()};
        context.options.threads = 2;
        auto made = e ? e->run(context, choices) : Result<record::Page>(Error{});
        Result<Page> page =
            made ? Result<Page>(record::in_language(*made, Words::plain())) : Result<Page>(made.error());
        EXPECT_TRUE(page.ok()) << name << ": " << (page ? "" : page.error().text());
        if (!page) return {};
        for (const std::string& p : page->problems) ADD_FAILURE() << name << ": " << p;
        check(*page);
        return std::move(*page);
    }
    /// No text is missing, rows are as wide as their columns, nothing is empty.
    static void check(const Page& page) {
        std::vector<std::string> all{page.title, page.purpose, page.task};
        for (const auto* list : {&page.conclusions, &page.recommendations, &page.corrections}) {
            EXPECT_FALSE(list->empty() && list != &page.corrections) << page.id;
            all.insert(all.end(), list->begin(), list->end());
        }
        std::set<std::string> ids;
        for (const auto& s : page.sections) {
            all.push_back(s.heading);
            for (const auto& b : s.blocks) {
                const auto id = [&](const auto& x) {
                    EXPECT_TRUE(ids.insert(x.id).second) << page.id << ' ' << x.id << " stands twice";
                    EXPECT_EQ(x.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string::npos)
                        << x.id;
                    all.insert(all.end(), {x.title, x.caption});
                };
                if (const auto* t = std::get_if<record::shown::Table>(&b)) {
                    id(*t);
                    EXPECT_FALSE(t->rows.empty()) << page.id << ' ' << t->id;
                    for (const auto& r : t->rows) EXPECT_EQ(r.size(), t->columns.size()) << page.id << ' ' << t->id;
                    for (const auto& c : t->columns) all.push_back(c.name);
                } else if (const auto* p = std::get_if<record::shown::Plot>(&b)) {
                    id(*p);
                    EXPECT_FALSE(p->series.empty()) << page.id << ' ' << p->id;
                    for (const auto& s : p->series) {
                        all.push_back(s.name);
                        EXPECT_FALSE(s.x.empty()) << page.id << ' ' << p->id << ' ' << s.name;
                        EXPECT_EQ(s.x.size(), s.y.size());
                    }
                    all.insert(all.end(), {p->x_label, p->y_label});
                } else if (const auto* m = std::get_if<record::shown::CellMap>(&b)) {
                    id(*m);
                    EXPECT_EQ(m->rows.size(), m->row_names.size()) << m->id;
                    for (const auto& r : m->rows) EXPECT_EQ(r.size(), m->column_names.size()) << m->id;
                    for (const auto& l : m->legend) all.push_back(l.text);
                } else if (const auto* t = std::get_if<record::shown::Timeline>(&b)) {
                    id(*t);
                    for (const auto& lane : t->lanes) {
                        EXPECT_FALSE(lane.spans.empty()) << t->id;
                        all.push_back(lane.name);
                    }
                } else if (const auto* p = std::get_if<record::shown::Paragraph>(&b)) {
                    all.push_back(p->text);
                }
            }
        }
        for (const std::string& text : all) EXPECT_EQ(text.find("[" + page.id), std::string::npos) << text;
    }

    arch::DeviceModel model;
    std::unique_ptr<device::Device> device;
    Choices choices;
};

template <class T>
const T& block(const Page& page, const std::string& id) {
    for (const auto& s : page.sections)
        for (const auto& b : s.blocks)
            if (const T* x = std::get_if<T>(&b))
                if (x->id == id) return *x;
    ADD_FAILURE() << page.id << " has no " << id;
    static const T none{};
    return none;
}

double number(const record::shown::Scalar& s) {
    if (const auto* n = std::get_if<std::int64_t>(&s)) return static_cast<double>(*n);
    if (const auto* x = std::get_if<double>(&s)) return *x;
    return std::nan("");
}

const record::shown::Series& counted(const record::shown::Plot& p, std::size_t which = 0) {
    for (const auto& s : p.series)
        if (s.basis == record::Basis::counted && which-- == 0) return s;
    ADD_FAILURE() << p.id << " counts nothing";
    static const record::shown::Series none{};
    return none;
}

TEST(Divergence, ADivisionOnOneSideOfABranchCostsAsOneByAll) {
    const Page page = Laboratory().run("divergence");
    const auto& t = block<record::shown::Table>(page, "division");
    ASSERT_EQ(t.rows.size(), 2u);
    // The text: "effectively nearly as expensive".
    EXPECT_GE(number(t.rows[0][1]), number(t.rows[1][1])) << "the branch saves no instruction";
    EXPECT_LT(number(t.rows[0][1]), 1.5 * number(t.rows[1][1]));
    EXPECT_EQ(number(t.rows[0][3]), 100) << "every warp's branch diverges";
    EXPECT_EQ(number(t.rows[1][2]), 32) << "without it no lane is idle";
}

TEST(Latency, WhatACycleCanStart) {
    const Page page = Laboratory().run("latency");
    EXPECT_EQ(block<record::shown::Table>(page, "starting").rows.size(), 5u);
    const auto& parity = block<record::shown::Timeline>(page, "parity");
    ASSERT_EQ(parity.lanes.size(), 2u);
    for (const auto& span : parity.lanes[0].spans) EXPECT_EQ(std::stoi(span.label) % 2, 1);
    for (const auto& span : parity.lanes[1].spans) EXPECT_EQ(std::stoi(span.label) % 2, 0);
    const auto& dual = block<record::shown::Timeline>(page, "dual-k40c");
    ASSERT_EQ(dual.lanes.size(), 2u);
    const auto pairs = [&](std::size_t lane) {
        return std::count_if(dual.lanes[lane].spans.begin(), dual.lanes[lane].spans.end(),
                             [](const record::shown::Span& s) { return s.label == "2"; });
    };
    EXPECT_EQ(pairs(0), 0) << "what waits for the one before is never started with it";
    EXPECT_GT(pairs(1), 0);
    const auto& gcn = block<record::shown::Timeline>(page, "gcn");
    ASSERT_EQ(gcn.lanes.size(), 5u);
    EXPECT_EQ(gcn.lanes[0].spans.size(), 16u) << "the scalar unit starts one in each cycle";
    for (std::size_t unit = 1; unit < 5; ++unit) EXPECT_EQ(gcn.lanes[unit].spans.front().begin, double(unit - 1));
}

TEST(Occupancy, TheTextsRuleOfSixteenWarpsStandsBesideTheCurve) {
    const Page page = Laboratory().run("occupancy");
    const auto& plot = block<record::shown::Plot>(page, "c2050");
    const auto rule = std::find_if(plot.series.begin(), plot.series.end(),
                                   [](const record::shown::Series& s) { return s.basis == record::Basis::quoted; });
    ASSERT_NE(rule, plot.series.end());
    EXPECT_EQ(rule->x, (std::vector<double>{16, 16}));
}

TEST(Coalescing, TransactionsAreTheRules) {
    const Page page = Laboratory().run("coalescing");
    // Columns: pattern, then transactions and bytes of five generations, then sectors as counted.
    const auto& t = block<record::shown::Table>(page, "patterns");
    ASSERT_EQ(t.rows.size(), 6u);
    const std::vector<std::vector<double>> expected = {
        {2, 128, 2, 128, 1, 128, 4, 128, 4, 128, 4},   {32, 1024, 2, 256, 1, 128, 4, 128, 4, 128, 4},
        {32, 1024, 3, 224, 2, 256, 5, 160, 5, 160, 5}, {32, 1024, 3, 192, 2, 256, 4, 128, 4, 128, 4},
        {32, 1024, 2, 256, 2, 256, 8, 256, 8, 256, 8}, {32, 1024, 32, 1024, 32, 4096, 32, 1024, 32, 1024, 32}};
    for (std::size_t r = 0; r < expected.size(); ++r)
        for (std::size_t c = 0; c < expected[r].size(); ++c)
            EXPECT_EQ(number(t.rows[r][c + 1]), expected[r][c]) << "row " << r << ", column " << c + 1;
    const auto& offset = counted(block<record::shown::Plot>(page, "offset-transactions"));
    for (std::size_t i = 0; i < offset.x.size(); ++i)
        EXPECT_EQ(offset.y[i], std::fmod(offset.x[i], 8) == 0 ? 128 : 160) << "offset " << offset.x[i];
    const auto& stride = counted(block<record::shown::Plot>(page, "stride-transactions"));
    for (std::size_t i = 0; i < stride.x.size(); ++i)
        EXPECT_EQ(stride.y[i], 32 * std::min(32.0, 4 * stride.x[i])) << "stride " << stride.x[i];
}

TEST(Banks, WavefrontsAreTheGreatestCommonDivisor) {
    const Page page = Laboratory().run("banks");
    const auto& s = counted(block<record::shown::Plot>(page, "stride"));
    ASSERT_EQ(s.x.size(), 65u);
    for (std::size_t i = 0; i < s.x.size(); ++i)
        EXPECT_EQ(s.y[i], s.x[i] == 0 ? 1 : std::gcd(static_cast<int>(s.x[i]), 32)) << "stride " << s.x[i];
    const auto& pitch = block<record::shown::Table>(page, "pitch");
    ASSERT_EQ(pitch.rows.size(), 18u);
    for (std::size_t r = 0; r < 17; ++r) {
        EXPECT_EQ(number(pitch.rows[r][3]), number(pitch.rows[r][1])) << "rows of " << number(pitch.rows[r][0]);
        EXPECT_EQ(number(pitch.rows[r][4]), 1) << "rows of " << number(pitch.rows[r][0]);
    }
    EXPECT_EQ(number(pitch.rows[17][3]), 1);  // swizzled
    // 8-byte elements, stride 1: a half warp at a time; in Kepler's 8-byte mode the whole warp.
    const auto& wide = block<record::shown::Table>(page, "eight-bytes");
    EXPECT_EQ(number(wide.rows[1][1]), 2);
    EXPECT_EQ(number(wide.rows[1][5]), 1);
    EXPECT_EQ(block<record::shown::CellMap>(page, "picture-eight").rows.size(), 8u);
    EXPECT_EQ(block<record::shown::CellMap>(page, "picture-padded").rows.size(), 1u);
}

TEST(Divergence, LanesAreThoseOfTheConditions) {
    const Page page = Laboratory().run("divergence");
    const auto& t = block<record::shown::Table>(page, "branches");
    ASSERT_EQ(t.rows.size(), 3u);
    for (const auto& row : t.rows) {
        EXPECT_EQ(number(row[4]), number(row[5]));
        EXPECT_EQ(number(row[6]), number(row[7]));
    }
    EXPECT_EQ(number(t.rows[0][1]), 12.5);  // one warp of eight
    EXPECT_EQ(number(t.rows[0][6]), 3);     // threads 0, 1, 2
    EXPECT_EQ(number(t.rows[1][1]), 0);
    EXPECT_EQ(number(t.rows[2][1]), 100);
    EXPECT_EQ(number(t.rows[2][4]), 16);
    const auto& trees = block<record::shown::Table>(page, "trees");
    for (const auto& row : trees.rows) {
        EXPECT_EQ(number(row[1]), number(row[2]));
        EXPECT_EQ(number(row[3]), number(row[4]));
    }
    EXPECT_EQ(number(trees.rows[1][1]), 4 + 2 + 1 + 5);
    EXPECT_EQ(number(trees.rows[1][5]), 5);
    EXPECT_EQ(number(trees.rows[0][1]), 5 * 8 + 4 + 2 + 1);
    const auto& p = block<record::shown::Plot>(page, "chance");
    for (std::size_t which = 0; which < 2; ++which) {
        const double lanes = which ? 64 : 32;
        const auto& s = counted(p, which);
        for (std::size_t i = 0; i < s.x.size(); ++i)
            EXPECT_NEAR(s.y[i], 1 - std::pow(s.x[i], lanes) - std::pow(1 - s.x[i], lanes), 0.06)
                << lanes << " lanes, " << s.x[i];
    }
}

TEST(OccupancyPage, HasEveryComputeCapability) {
    const Page page = Laboratory().run("occupancy");
    EXPECT_GE(block<record::shown::Table>(page, "limits").rows.size(), 25u);
    EXPECT_GE(block<record::shown::Table>(page, "kernels").rows.size(), 4u);
    // The blocks that the held memory leaves room for are those that were meant.
    const auto& held = block<record::shown::Table>(page, "held");
    std::vector<double> blocks;
    for (const auto& row : held.rows)
        if (number(row[1]) == 1) blocks.push_back(number(row[2]));
    EXPECT_THAT(blocks, testing::UnorderedElementsAre(1, 2, 4, 8, 16, 32));
}

TEST(Spaces, LocalMemoryShows) {
    const Page page = Laboratory().run("spaces");
    const auto& t = block<record::shown::Table>(page, "sums");
    ASSERT_EQ(t.rows.size(), 14u);
    // Rungs in order, all with SPREAD 0, then all with 1: register, spilled, local, shared, constant, global,
    // read_only.
    EXPECT_EQ(number(t.rows[0][3]), 0);
    EXPECT_EQ(number(t.rows[1][3]), 0);   // no count shows what an assembler spills
    EXPECT_EQ(number(t.rows[2][3]), 64);  // 32 stores, 32 loads
    EXPECT_EQ(number(t.rows[3][7]), 1);
    EXPECT_EQ(number(t.rows[5][6]), 1);
    EXPECT_EQ(number(t.rows[12][6]), 4);
}

TEST(Latency, WarpsHideWhatTheFormulaSays) {
    const Page page = Laboratory().run("latency");
    for (const auto& row : block<record::shown::Table>(page, "warps").rows)
        EXPECT_EQ(number(row[2]), number(row[3])) << std::get<std::string>(row[0]);
}

TEST(Pipeline, ByHand) {
    // One scheduler, a result after 4 cycles: each warp starts one instruction in 4.
    const Pipeline p{1, 1, 1, 4, 1, 1.0};
    EXPECT_DOUBLE_EQ(p.run(1).share, 0.25);
    EXPECT_DOUBLE_EQ(p.run(3).share, 0.75);
    EXPECT_DOUBLE_EQ(p.run(4).share, 1);
    EXPECT_DOUBLE_EQ(p.run(9).share, 1);
    EXPECT_EQ(p.warps_needed(), 4u);
    // Two independent ones in each warp: half as many warps.
    EXPECT_DOUBLE_EQ((Pipeline{1, 1, 1, 4, 2, 1.0}).run(1).share, 0.5);
    EXPECT_DOUBLE_EQ((Pipeline{1, 1, 1, 4, 2, 1.0}).run(2).share, 1);
    EXPECT_EQ((Pipeline{1, 1, 1, 4, 2, 1.0}).warps_needed(), 2u);
    // A scheduler that issues every other cycle; two at once where they are independent.
    EXPECT_DOUBLE_EQ((Pipeline{1, 2, 1, 4, 1, 0.5}).run(2).share, 1);
    EXPECT_DOUBLE_EQ((Pipeline{1, 1, 2, 4, 1, 2.0}).run(8).share, 0.5);
    EXPECT_DOUBLE_EQ((Pipeline{1, 1, 2, 4, 2, 2.0}).run(4).share, 1);
}

TEST(Tensor, AnInstructionDoesMoreOnTensorCores) {
    Laboratory lab;
    lab.choices.rungs = {"tiled", "mma_sync"};
    lab.choices.sizes = {{64}};
    const Page page = lab.run("tensor");
    const auto& t = block<record::shown::Table>(page, "products");
    ASSERT_EQ(t.rows.size(), 2u);
    EXPECT_EQ(number(t.rows[0][2]), 0);
    EXPECT_GT(number(t.rows[1][2]), 0);
    EXPECT_GT(number(t.rows[1][4]), 4 * number(t.rows[0][4]));
    // Multiply-adds of the whitepapers: V100 64 and 512, A100 64 and 1024, H100 128 and 2048.
    const auto& g = block<record::shown::Table>(page, "generations");
    EXPECT_EQ(number(g.rows[1][3]), 512);
    EXPECT_EQ(number(g.rows[2][3]), 1024);
    EXPECT_EQ(number(g.rows[3][3]), 2048);
    EXPECT_EQ(number(g.rows[2][4]), 2048);
    EXPECT_EQ(number(g.rows[1][7]), 40960);  // as the text has it
}

}  // namespace hardware_test
}  // namespace warpwright::lab
