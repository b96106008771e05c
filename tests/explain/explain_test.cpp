#include "explain/page.hpp"
#include "record/page_texts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain/pictures.hpp"

namespace warpwright::explain {
namespace explain_test {

using testing::HasSubstr;

arch::DeviceModel limits(const std::string& name) {
    auto m = arch::load_limits(name);
    EXPECT_TRUE(m.ok()) << (m ? "" : m.error().text());
    return m ? *m : arch::DeviceModel{};
}

Setting setting(bool shared, std::uint32_t x, std::uint32_t y = 1, const std::string& model = "h200",
                std::uint32_t bytes = 4) {
    Setting s;
    s.model = limits(model);
    s.shared = shared;
    s.block = {x, y, 1};
    s.bytes = bytes;
    return s;
}

IndexExpression parsed(const std::string& text, std::vector<std::int64_t> dims = {}) {
    auto e = IndexExpression::parse(text, std::move(dims));
    EXPECT_TRUE(e.ok()) << text << ": " << (e ? "" : e.error().text());
    return e ? *e : IndexExpression{};
}

Cost cost(const std::string& text, const Setting& s, std::vector<std::int64_t> dims = {}) {
    auto c = cost_of(parsed(text, std::move(dims)), s);
    EXPECT_TRUE(c.ok()) << text << ": " << (c ? "" : c.error().text());
    return c ? *c : Cost{};
}

std::int64_t value(const std::string& text) {
    auto v = parsed(text).index(nullptr);
    EXPECT_TRUE(v.ok()) << text << ": " << (v ? "" : v.error().text());
    return v ? *v : -1;
}

TEST(Expression, HasTheOperatorsOfC) {
    EXPECT_EQ(value("a[1 + 2*3]"), 7);
    EXPECT_EQ(value("7/2 + 7%4"), 6);
    EXPECT_EQ(value("-7/2 + 10"), 7);  // towards zero
    EXPECT_EQ(value("1 << 3 | 1"), 9);
    EXPECT_EQ(value("6 ^ 3 & 2"), 4);
    EXPECT_EQ(value("0x1F & ~3"), 28);
    EXPECT_EQ(value("2 < 3 && !(4 == 5) ? 8u : 9"), 8);
    EXPECT_EQ(value("10 - 3 - 2"), 5);
    EXPECT_EQ(value("0 && 1/0 || 1"), 1);  // as in C, what is not needed is not evaluated
}

TEST(Expression, OpenClsNamesMeanWhatCudasDo) {
    const auto same = [](const std::string& opencl, const std::string& cuda) {
        const auto s = setting(false, 32, 8);
        const Cost a = cost(opencl, s), b = cost(cuda, s);
        EXPECT_EQ(a.requests, b.requests) << opencl;
        EXPECT_EQ(a.passes, b.passes) << opencl;
        EXPECT_EQ(parsed(opencl).names(), parsed(cuda).names()) << opencl;
    };
    same("x[get_local_id(0)*32 + get_local_id( 1 )]", "x[threadIdx.x*32 + threadIdx.y]");
    same("x[get_global_id(0)*8]", "x[(blockIdx.x*blockDim.x + threadIdx.x)*8]");
    same("x[get_global_id(0) + 3*get_global_size(0)]",
         "x[blockIdx.x*blockDim.x + threadIdx.x + 3*(gridDim.x*blockDim.x)]");
    same("x[get_group_id(2) + get_num_groups(1) + get_local_size(1)*get_local_id(0)]",
         "x[blockIdx.z + gridDim.y + blockDim.y*threadIdx.x]");
    for (const char* text : {"x[get_local_id()]", "x[get_local_id(3)]", "x[get_local_id(k)]", "x[get_local_id(0]"}) {
        const auto wrong = IndexExpression::parse(text);
        ASSERT_FALSE(wrong.ok()) << text;
        EXPECT_THAT(wrong.error().what, HasSubstr("the dimension")) << text;
        EXPECT_EQ(wrong.error().where.column, 3u) << text;
    }
}

TEST(Expression, ErrorsAreLocated) {
    const auto expect = [](const std::string& text, unsigned column, const std::string& what) {
        auto e = IndexExpression::parse(text);
        ASSERT_FALSE(e.ok()) << text;
        EXPECT_EQ(e.error().kind, ErrorKind::input) << text;
        EXPECT_EQ(e.error().where.column, column) << text << ": " << e.error().text();
        EXPECT_THAT(e.error().what, HasSubstr(what)) << text;
    };
    expect("", 1, "no expression");
    expect("tile[threadIdx.x*32 + ]", 23, "']' is not expected");
    expect("tile[threadIdx.x", 17, "']' is missing");
    expect("tile[(1 + 2]", 12, "']' is not expected");
    expect("tile[threadIdx.w]", 6, "no 'threadIdx.w'");
    expect("tile[threadIdx*4]", 6, "needs .x");
    expect("tile[f(3)]", 6, "is called");
    expect("tile[index[3]]", 6, "comes from memory");
    expect("tile[1.5]", 6, "whole numbers");
    expect("tile[k = 3]", 8, "assigns");
    expect("tile[99999999999999999999]", 6, "does not fit");
    expect("tile[1 ? 2]", 8, "without ':'");
    expect("tile[1] + 3", 9, "not expected");
    expect("tile[1][2]", 6, "2 indices");
    expect("tile[" + std::string(500, '(') + "1", 0 + 207, "nested too deep");
}

TEST(Expression, ValuesThatAreNoIndexAreLocated) {
    auto s = setting(true, 32);
    const auto expect = [&](const std::string& text, unsigned column, const std::string& what,
                            std::vector<std::int64_t> dims = {}) {
        auto c = cost_of(parsed(text, std::move(dims)), s);
        ASSERT_FALSE(c.ok()) << text;
        EXPECT_EQ(c.error().where.column, column) << c.error().text();
        EXPECT_THAT(c.error().what, HasSubstr(what)) << text;
    };
    expect("tile[5 % threadIdx.x]", 8, "division by zero in thread (0, 0, 0)");
    expect("tile[3 - threadIdx.x]", 6, "the index is -1 in thread (4, 0, 0)");
    expect("tile[0][threadIdx.x]", 9, "the index is 16, the extent 16 in thread (16, 0, 0)", {4, 16});
    EXPECT_FALSE(cost_of(parsed("tile[threadIdx.x*W]"), s).ok());  // W has no value
    s.given["W"] = 3;
    EXPECT_TRUE(cost_of(parsed("tile[threadIdx.x*W]"), s).ok());
}

TEST(Banks, TheTextsExamples) {
    // A column of a 32 x 32 array: 32 ways, in each of 8 warps, for each of 32 values of k.
    Cost c = cost("tile[threadIdx.x*32 + k]", setting(true, 32, 8));
    EXPECT_EQ(c.requests, 8u * 32);
    EXPECT_EQ(c.worst, 32u);
    EXPECT_EQ(c.passes, 32u * 8 * 32);
    EXPECT_EQ(c.conflicts, 31u * 8 * 32);
    EXPECT_EQ(c.ideal, 8u * 32);
    EXPECT_EQ(cost("tile[threadIdx.x*33 + k]", setting(true, 32, 8)).worst, 1u);
    EXPECT_EQ(cost("tile[threadIdx.y*32 + k]", setting(true, 32, 8)).worst, 1u);  // broadcast
    EXPECT_EQ(cost("tile[threadIdx.x*2]", setting(true, 32)).worst, 2u);
    EXPECT_EQ(cost("tile[threadIdx.x*8]", setting(true, 32)).worst, 8u);
    EXPECT_EQ(cost("tile[threadIdx.x][threadIdx.y]", setting(true, 32, 32), {32, 32}).worst, 32u);
    EXPECT_EQ(cost("tile[threadIdx.x][threadIdx.y]", setting(true, 32, 32), {32, 33}).worst, 1u);
    EXPECT_EQ(cost("tile[threadIdx.x*16]", setting(true, 32, 1, "cc1.3")).worst, 32u);  // 16 ways, two half warps
    auto wide = setting(true, 32, 1, "k40c", 8);
    wide.wide_banks = true;
    EXPECT_EQ(cost("tile[threadIdx.x]", wide).worst, 1u);
}

TEST(Banks, ProposalsAreVerifiedAndRemoveTheConflict) {
    for (const char* text :
         {"tile[threadIdx.x*32 + k]", "tile[threadIdx.x*16]", "tile[threadIdx.x*32 + threadIdx.y]"}) {
        const Setting s = setting(true, 32, 8);
        auto fixes = propose({parsed(text)}, s);
        ASSERT_TRUE(fixes.ok());
        ASSERT_GE(fixes->size(), 2u) << text;
        bool padding = false, swizzle = false;
        for (const Fix& f : *fixes) {
            const Cost again = *cost_of(f.expressions.front(), s);
            EXPECT_EQ(again.passes, f.total.passes);
            padding |= f.kind == Fix::Kind::padding && f.by == 1 && again.passes == again.requests;
            // Rows of 16 elements are permuted in themselves: two of them still meet in a bank.
            const unsigned left = std::string(text).find("*16") == std::string::npos ? 1 : 2;
            swizzle |= f.kind == Fix::Kind::swizzle && again.passes == left * again.requests;
        }
        EXPECT_TRUE(padding) << text;
        EXPECT_TRUE(swizzle) << text;
    }
    EXPECT_EQ(propose({parsed("tile[threadIdx.x*32 + k]")}, setting(true, 32))->front().expressions.front().text(),
              "tile[threadIdx.x*33 + k]");
    EXPECT_TRUE(propose({parsed("tile[threadIdx.x]")}, setting(true, 32))->empty());
    // Rows and columns together: the change must serve both.
    auto both =
        propose({parsed("t[threadIdx.y][threadIdx.x]", {32, 32}), parsed("t[threadIdx.x][threadIdx.y]", {32, 32})},
                setting(true, 32, 32));
    ASSERT_TRUE(both.ok());
    ASSERT_EQ(both->size(), 2u);
    EXPECT_EQ(both->at(0).kind, Fix::Kind::padding);
    EXPECT_EQ(both->at(0).expressions[0].dims().back(), 33);
    EXPECT_EQ(both->at(1).kind, Fix::Kind::swizzle);
    EXPECT_EQ(both->at(1).total.passes, 64u);
}

TEST(Segments, ByGeneration) {
    EXPECT_EQ(cost("a[threadIdx.x]", setting(false, 32)).passes, 4u);
    EXPECT_EQ(cost("a[threadIdx.x + 1]", setting(false, 32)).passes, 5u);
    EXPECT_EQ(cost("a[threadIdx.x + 1]", setting(false, 32, 1, "cc2.0")).passes, 2u);
    EXPECT_EQ(cost("a[threadIdx.x + 1]", setting(false, 32, 1, "cc1.0")).passes, 32u);
    const Cost c = cost("a[threadIdx.x*2]", setting(false, 32));
    EXPECT_EQ(c.passes, 8u);
    EXPECT_EQ(c.moved, 256u);
    EXPECT_EQ(c.wanted, 128u);
    EXPECT_EQ(cost("a[threadIdx.x]", setting(false, 64, 1, "hd7970")).passes, 4u);  // lines of 64 bytes, 64 lanes
}

TEST(Segments, Proposals) {
    auto column = propose({parsed("a[threadIdx.x*1024 + threadIdx.y]")}, setting(false, 32, 32));
    ASSERT_TRUE(column.ok());
    ASSERT_FALSE(column->empty());
    EXPECT_EQ(column->front().kind, Fix::Kind::exchange);
    EXPECT_EQ(column->front().total.passes, 4u * 32);
    auto off = propose({parsed("a[threadIdx.x + 1]")}, setting(false, 32));
    ASSERT_EQ(off->size(), 1u);
    EXPECT_EQ(off->front().kind, Fix::Kind::align);
    EXPECT_EQ(off->front().by, 28);
    auto fields = propose({parsed("a[threadIdx.x*4 + 2]")}, setting(false, 32));
    ASSERT_FALSE(fields->empty());
    EXPECT_EQ(fields->front().kind, Fix::Kind::fields);
    EXPECT_EQ(fields->front().expressions.front().text(), "a[threadIdx.x + 2]");
    EXPECT_EQ(fields->front().total.passes, 4u);
    EXPECT_EQ(parsed("a[3 * threadIdx.x]").padded({"3", 3}, -2)->text(), "a[threadIdx.x]");
}

TEST(Page, HasNoMissingTextAndPicturesOfTheRightSize) {
    auto words = Words::load("en");
    ASSERT_TRUE(words.ok());
    for (const bool shared : {true, false})
        for (const char* model : {"h200", "cc1.1", "cc1.3", "gtx580", "k40c", "hd7970"}) {
            Question q{{"a[threadIdx.x*32 + k]"}, {}, setting(shared, 32, 4, model), "float", {}};
            auto made = explain(q);
            ASSERT_TRUE(made.ok()) << made.error().text();
            const record::shown::Page own = record::in_language(*made, *words);
            const record::shown::Page* page = &own;
            std::string all = page->title + page->purpose + page->task;
            for (const auto& t : page->conclusions) all += t;
            for (const auto& t : page->recommendations) all += t;
            unsigned maps = 0;
            for (const auto& s : page->sections) {
                all += s.heading;
                for (const auto& b : s.blocks) {
                    if (const auto* t = std::get_if<record::shown::Table>(&b)) {
                        all += t->title + t->caption;
                        for (const auto& c : t->columns) all += c.name;
                        for (const auto& r : t->rows) EXPECT_EQ(r.size(), t->columns.size());
                    }
                    if (const auto* m = std::get_if<record::shown::CellMap>(&b)) {
                        ++maps;
                        all += m->title + m->caption;
                        for (const auto& l : m->legend) all += l.text;
                        EXPECT_EQ(m->rows.size(), m->row_names.size());
                        ASSERT_FALSE(m->rows.empty());
                        for (const auto& r : m->rows) EXPECT_EQ(r.size(), m->column_names.size());
                    }
                }
            }
            EXPECT_GE(maps, 1u);
            EXPECT_EQ(all.find("[explain"), std::string::npos) << all;
            EXPECT_FALSE(page->conclusions.empty());
        }
}

// Half warps are served apart (1.x): within each, a bank that serves two words works again.
TEST(Page, TheBankPictureOfHalfWarpsShowsTheirConflicts) {
    auto words = Words::load("en");
    ASSERT_TRUE(words.ok());
    const Setting s = setting(true, 32, 1, "cc1.3");
    const IndexExpression once = parsed("t[threadIdx.x]"), twice = parsed("t[threadIdx.x*2]");
    const auto free = bank_picture(*Binding::bind(once, s)->request(0), s, "x", "x");
    ASSERT_EQ(free.rows.size(), 2u);
    EXPECT_EQ(free.rows[0][0].tone, 0) << "the second half warp is another request";
    const auto conflicts = bank_picture(*Binding::bind(twice, s)->request(0), s, "x", "x");
    ASSERT_EQ(conflicts.rows.size(), 4u);
    for (unsigned r = 0; r < 4; ++r) EXPECT_EQ(conflicts.rows[r][0].tone, 2) << r;
}

TEST(Page, TheBankPictureOfAColumnIsOneColumn) {
    auto words = Words::load("en");
    ASSERT_TRUE(words.ok());
    const Setting s = setting(true, 32);
    const IndexExpression e = parsed("t[threadIdx.x*32 + 3]");
    const auto map = bank_picture(*Binding::bind(e, s)->request(0), s, "x", "x");
    ASSERT_EQ(map.rows.size(), 32u);
    for (unsigned r = 0; r < 32; ++r)
        for (unsigned b = 0; b < 32; ++b) EXPECT_EQ(map.rows[r][b].text, b == 3 ? std::to_string(r) : "");
    EXPECT_EQ(map.rows[0][3].tone, 2);
}

TEST(Page, RefusesWhatNoDeviceHas) {
    auto words = Words::load("en");
    const auto error = [&](Question q) {
        auto page = explain(q);
        return page ? std::string() : page.error().text();
    };
    Question q{{"a[threadIdx.x]"}, {}, setting(true, 32, 33), "float", {}};
    EXPECT_THAT(error(q), HasSubstr("1024 in all"));
    q.setting = setting(true, 32);
    q.setting.wide_banks = true;
    EXPECT_THAT(error(q), HasSubstr("no 8-byte banks"));
    q.setting.wide_banks = false;
    q.warp = 1;
    EXPECT_THAT(error(q), HasSubstr("no warp 1"));
    q.warp.reset();
    q.expressions = {"a[threadIdx.x]", "b[threadIdx.x]"};
    EXPECT_THAT(error(q), HasSubstr("different arrays"));
    // An index alone names no array: a message must not quote the empty name.
    for (const auto& expressions : {std::vector<std::string>{"a[threadIdx.x]", "threadIdx.x * 4"},
                                    std::vector<std::string>{"threadIdx.x * 4", "a[threadIdx.x]"}}) {
        q.expressions = expressions;
        EXPECT_THAT(error(q), HasSubstr("'threadIdx.x * 4' names no array, and 'a[threadIdx.x]' does"));
    }
    EXPECT_EQ(type_bytes("double2"), 16u);
    EXPECT_EQ(type_bytes("float3"), 0u);
    EXPECT_EQ(type_bytes("string"), 0u);
}

TEST(Lanes, AreWrittenAsRanges) {
    EXPECT_EQ(lanes_text(0xFFFFFFFF), "0-31");
    EXPECT_EQ(lanes_text(0b10111), "0-2, 4");
    EXPECT_EQ(lanes_text(~std::uint64_t{0}), "0-63");
}

}  // namespace explain_test
}  // namespace warpwright::explain
