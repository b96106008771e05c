// Two codes have one fingerprint where no simulation can tell them apart.
#include "machine/fingerprint.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "machine/view.hpp"
#include "ptx/parser.hpp"
#include "simt/passes.hpp"

namespace warpwright::machine {
namespace fingerprint_test {

/// The view of a kernel, with what its operations point to.
Code view_of(const std::string& before, const std::string& body) {
    auto module = std::make_shared<ptx::Module>();
    auto parsed = ptx::parse(".version 8.0\n.target sm_90\n.address_size 64\n" + before +
                                 ".visible .entry k(.param .u64 a)\n{\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n"
                                 ".reg .f32 %f<8>;\n.reg .pred %p<4>;\nld.param.u64 %rd1, [a];\n" +
                                 body + "\nret;\n}\n",
                             "test.ptx");
    if (!parsed) throw std::runtime_error(parsed.error().text());
    *module = *std::move(parsed);
    auto f = simt::lower(*module, 0);
    if (!f) throw std::runtime_error(f.error().text());
    Code code;
    code.keeps.push_back(module);
    append(code, *f);
    return code;
}

const std::string kBody = "ld.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f1, %f1;\nst.global.f32 [%rd1], %f2;";

TEST(Fingerprint, IsThatOfEqualCodeWhereverItStands) {
    const auto code = view_of("", kBody);
    EXPECT_EQ(fingerprint(code), fingerprint(code));
    EXPECT_EQ(fingerprint(code), fingerprint(view_of("", kBody)));
    EXPECT_EQ(fingerprint(code), fingerprint(view_of("\n\n.global .u32 unused;\n", kBody))) << "places in the PTX";
}

TEST(Fingerprint, TellsApartWhatDiffers) {
    std::set<std::string> all{fingerprint(view_of("", kBody))};
    std::size_t n = 1;
    const auto differs = [&](const Code& code, const char* what) {
        all.insert(fingerprint(code));
        EXPECT_EQ(all.size(), ++n) << what;
    };
    differs(view_of("", "ld.global.f32 %f1, [%rd1];\nmul.f32 %f2, %f1, %f1;\nst.global.f32 [%rd1], %f2;"), "an opcode");
    differs(view_of("", "ld.volatile.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f1, %f1;\nst.global.f32 [%rd1], %f2;"),
            "a suffix");
    differs(view_of("", kBody + "\nbar.sync 0;"), "one more");
    differs(view_of(".file 1 \"k.cu\"\n", ".loc 1 7 0\n" + kBody), "the source's line");
    const auto altered = [&](const char* what, auto&& alter) {
        auto code = view_of("", kBody);
        alter(code);
        differs(code, what);
    };
    altered("a file", [](Code& c) { c.files.emplace_back("k.cu"); });
    altered("spills", [](Code& c) { c.told = Spills{8, 4, 4}; });
    altered("work", [](Code& c) { c.blocks[0].ops[0].work += 0x1p-40; });
    altered("values", [](Code& c) { c.blocks[0].ops[1].in.push_back(1); });
    altered("guards", [](Code& c) { c.blocks[0].guards.push_back(1); });
    altered("a phi", [](Code& c) { c.blocks[0].phis.push_back({1, {{0, 2}}}); });
    altered("unrolled", [](Code& c) { c.unrolled.push_back({{}, 4, 8}); });
    altered("a region", [](Code& c) { c.regions.push_back({{}, {{0, true}}, {}}); });
    altered("a join", [](Code& c) { c.regions.push_back({{}, {}, {{1, {2}}}}); });
}

}  // namespace fingerprint_test
}  // namespace warpwright::machine
