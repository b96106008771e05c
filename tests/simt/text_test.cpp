// The text of the warp IR: what print() gives is read back by parse() to the same function, for every kernel of the
// tests after every pass; a damaged text gives one error or another function, whose own text is read back.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
// rapidcheck needs GoogleTest first
#include <rapidcheck/gtest.h>

#include "ptx/parser.hpp"
#include "simt/text.hpp"

namespace warpwright::simt {
namespace text_test {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string read(const fs::path& path) {
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
}

std::vector<std::string> kernels() {
    std::vector<std::string> out;
    for (const char* folder : {"oracle/kernels", "ptx/data", "ptx/golden", "simt/passes", "cli", "coverage"})
        for (const auto& entry : fs::recursive_directory_iterator(fs::path(WARPWRIGHT_SOURCE_DIR) / "tests" / folder))
            if (entry.path().extension() == ".ptx") out.push_back(entry.path().string());
    std::sort(out.begin(), out.end());
    return out;
}

bool same(const Operand& a, const Operand& b) {
    return a.kind == b.kind && a.negated == b.negated && a.f32_bits == b.f32_bits && a.value == b.value &&
           a.bits == b.bits;
}

bool same(const Inst& a, const Inst& b) {
    return a.kind == b.kind &&
           std::equal(a.in.begin(), a.in.end(), b.in.begin(), b.in.end(),
                      [](const auto& x, const auto& y) { return same(x, y); }) &&
           a.out == b.out && a.space == b.space && a.type == b.type && a.offset == b.offset && a.symbol == b.symbol &&
           a.copy_bytes == b.copy_bytes && a.special == b.special && a.system == b.system && a.counted == b.counted &&
           a.from == b.from && !a.ptx == !b.ptx &&
           (!a.ptx ||
            (a.ptx->op == b.ptx->op && a.ptx->mods == b.ptx->mods && a.ptx->types == b.ptx->types &&
             a.ptx->access == b.ptx->access && a.ptx->extent == b.ptx->extent && a.ptx->nounroll == b.ptx->nounroll));
}

bool same(const Terminator& a, const Terminator& b) {
    return a.kind == b.kind && same(a.condition, b.condition) && a.targets == b.targets && a.counted == b.counted &&
           !a.ptx == !b.ptx && (!a.ptx || a.ptx->spelling() == b.ptx->spelling());
}

/// The first difference; places in the source are not compared, nor what of the operands is in no text.
std::string difference(const Function& a, const Function& b) {
    if (a.name != b.name || a.kernel != b.kernel || a.stage != b.stage) return "what the function is";
    if (a.static_shared != b.static_shared || a.local_bytes != b.local_bytes || a.param_offsets != b.param_offsets ||
        a.dynamic_shared != b.dynamic_shared || a.callees != b.callees)
        return "its memory or what it calls";
    if (a.irreducible != b.irreducible || a.strict != b.strict || a.has_calls != b.has_calls || a.waits != b.waits ||
        a.registers_estimate != b.registers_estimate)
        return "what is known of it";
    if (a.values.size() != b.values.size() || a.blocks.size() != b.blocks.size() || a.loops.size() != b.loops.size())
        return "the number of values, blocks or loops";
    const bool ordered = a.stage != Stage::built;  // before that nothing is known of predecessors and loops
    for (std::size_t k = 0; k < a.loops.size(); ++k)
        if ((ordered && a.loops[k].blocks != b.loops[k].blocks) || a.loops[k].latch != b.loops[k].latch ||
            a.loops[k].spins != b.loops[k].spins || a.loops[k].parent != b.loops[k].parent)
            return "loop " + std::to_string(k);
    for (std::size_t k = 0; k < a.blocks.size(); ++k) {
        const auto &x = a.blocks[k], &y = b.blocks[k];
        const auto where = "b" + std::to_string(k);
        if ((ordered && x.preds != y.preds) || x.loop != y.loop || x.sync != y.sync || x.yield != y.yield) return where;
        if (!same(x.end, y.end)) return where + ", its end";
        if (x.insts.size() != y.insts.size()) return where + ", its length";
        for (std::size_t n = 0; n < x.insts.size(); ++n) {
            if (!same(x.insts[n], y.insts[n])) return where + ", instruction " + std::to_string(n);
            for (const auto v : x.insts[n].out)
                if (v != kNone && a.values[v].type != b.values[v].type) return where + ", type of a result";
        }
    }
    return "";
}

class TextOf : public testing::TestWithParam<std::string> {};

TEST_P(TextOf, IsReadBackAfterEveryPass) {
    const auto module = ptx::parse(read(GetParam()), fs::path(GetParam()).filename().string());
    if (!module) GTEST_SKIP() << "a text that is refused: " << module.error().text();
    unsigned functions = 0;
    for (std::uint32_t k = 0; k < module->functions.size(); ++k) {
        if (!module->functions[k].defined) continue;
        LowerOptions options;
        options.after = [&](std::string_view pass, const Function& f) {
            const auto text = print(f);
            const auto back = parse(text, *module);
            ASSERT_TRUE(back) << pass << ": " << back.error().text() << "\n" << text;
            EXPECT_EQ(print(*back), text) << pass;
            EXPECT_EQ(difference(f, *back), "") << pass << "\n" << text;
            ++functions;
        };
        (void)lower(*module, k, options).ok();  // some kernels are there to be refused
        if (HasFailure()) break;
    }
}

INSTANTIATE_TEST_SUITE_P(Kernels, TextOf, testing::ValuesIn(kernels()), [](const auto& info) {
    const fs::path path = info.param;
    auto name = path.parent_path().filename().string() + "_" + path.stem().string();
    for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return name + "_" + std::to_string(info.index);
});

const std::string kModule = R"(.version 8.0
.target sm_90
.address_size 64
.global .align 4 .b8 table[64];
.visible .entry k(.param .u64 v0, .param .u32 n)
{
.reg .pred %p<4>;
.reg .b32 %r<8>;
.reg .b64 %rd<4>;
.reg .f32 %f<4>;
.shared .align 4 .b8 tile[128];
ld.param.u64 %rd1, [v0];
ld.param.u32 %r1, [n];
mov.u32 %r2, %tid.x;
mov.u32 %r5, %ctaid.x;
mov.u64 %rd2, table;
L:
ld.global.relaxed.gpu.f32 %f1, [%rd1+8];
ld.global.u32 %r3, [%rd2+-4];
vadd.u32.u32.u32 %r4, %r2.b1, %r3.h0;
add.f32 %f2, %f1, 0f3f800000;
st.shared.f32 [tile+4], %f2;
bar.sync 0;
sub.u32 %r1, %r1, %r4;
setp.ne.u32 %p1, %r1, %r5;
@%p1 bra L;
st.global.u32 [%rd1], %r1;
ret;
}
)";

struct Dumped {
    ptx::Module module;
    std::string text;
};

const Dumped& dumped() {
    static const Dumped made = [] {
        Dumped d{std::move(*ptx::parse(kModule, "test.ptx")), ""};
        auto f = lower(d.module, 0);
        d.text = print(*f);
        return d;
    }();
    return made;
}

TEST(Text, NamesEveryOperand) {
    const auto& text = dumped().text;
    for (const char* part :
         {"special mov.u32 %tid.x", "special mov.u32 %ctaid.x", "param ld.param.u64 [&v0]", "param ld.param.u32 [n]",
          "address mov.u64 &table", "load ld.global.relaxed.gpu.f32 [", "+8]", "-4]", "written=r,r.b1,r.h0",
          "0f3f800000", "variable tile +0", "store st.shared.f32 [0+4]"})
        EXPECT_THAT(text, HasSubstr(part)) << text;
}

TEST(Text, ShapesStandBehindTheResults) {
    const auto& d = dumped();
    const auto f = lower(d.module, 0);
    ASSERT_TRUE(f);
    const auto text = print(*f, analyse(*f, {64, 1, 1}));
    EXPECT_THAT(text, HasSubstr("special mov.u32 %tid.x ; affine 1*lane"));
    EXPECT_THAT(text, HasSubstr("special mov.u32 %ctaid.x ; uniform"));
    EXPECT_THAT(text, HasSubstr("; may split lanes"));
    const auto back = parse(text, d.module);
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_EQ(print(*back), print(*f)) << "shapes are comments";
}

TEST(Text, ErrorsNameTheLine) {
    const auto& d = dumped();
    const auto error = [&](std::string text) {
        const auto f = parse(text, d.module);
        return f ? std::string("none") : f.error().text();
    };
    EXPECT_THAT(error(""), HasSubstr("there is no function"));
    EXPECT_THAT(error("kernel other\nb0:\n  exit\n"),
                HasSubstr("warp IR:1: error: the module has no function 'other'"));
    EXPECT_THAT(error("kernel k values=4000000000\n"), HasSubstr("'values=4000000000' is not known here"));
    EXPECT_THAT(error("kernel k\n  param v0 +0\n  param n +8\nb0:\n  v0:b32 = moved mov.u32 1\n  exit\n"),
                HasSubstr("warp IR:5:"));
    EXPECT_THAT(error("kernel k values=1\n  param v0 +0\n  param n +8\nb0:\n  jump b7\n"),
                HasSubstr("target out of range"));
}

/// One change of a byte, a cut, or a line twice.
std::string damaged(std::string text) {
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    switch (*rc::gen::inRange(0, 4)) {
        case 0:
            text[at] = *rc::gen::elementOf(std::string("0123456789vb:=,.+-[]{}()&%!@;_ \nrx"));
            break;
        case 1:
            text.erase(at, *rc::gen::inRange<std::size_t>(1, 40));
            break;
        case 2:
            text.insert(at, text.substr(*rc::gen::inRange<std::size_t>(0, text.size()), 20));
            break;
        default: {
            const auto from = std::min(text.find('\n', at), text.size() - 1) + 1;
            text.insert(from, text.substr(from, text.find('\n', from) - from + 1));
            break;
        }
    }
    return text;
}

RC_GTEST_PROP(Text, DamagedIsRefusedOrAnotherFunction, ()) {
    const auto& d = dumped();
    auto text = d.text;
    for (int k = *rc::gen::inRange(1, 4); k > 0 && !text.empty(); --k) text = damaged(text);
    const auto f = parse(text, d.module);
    if (!f) {
        RC_ASSERT(!f.error().what.empty());
        return;
    }
    const auto again = print(*f);
    const auto back = parse(again, d.module);
    RC_ASSERT(back.ok());
    RC_ASSERT(print(*back) == again);
    RC_ASSERT(difference(*f, *back) == "");
}

}  // namespace text_test
}  // namespace warpwright::simt
