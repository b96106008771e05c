// The tree that the parser builds, part by part.
#include <bit>

#include "ptx/place.hpp"
#include "support.hpp"

namespace warpwright::ptx::test {
namespace parser_test {

using Kind = Operand::Kind;

const Function& k(const Module& module) { return module.functions[module.find_function("k")]; }

const Variable& variable(const Module& module, std::string_view name) {
    for (const Variable& v : module.variables)
        if (v.name == name) return v;
    throw std::runtime_error("no variable " + std::string(name));
}

TEST(Parser, HeadOfTheModule) {
    Module m = parsed(".version 9.1\n.target sm_90a, debug\n.address_size 64\n.file 2 \"a.cu\"\n");
    EXPECT_EQ(m.version_major, 9u);
    EXPECT_EQ(m.version_minor, 1u);
    EXPECT_EQ(m.target, "sm_90a");
    ASSERT_EQ(m.files.size(), 3u);
    EXPECT_EQ(m.files[2], "a.cu");
}

TEST(Parser, OpcodeTypesAndModifiersKeepTheirOrder) {
    Instruction i = first_instruction("ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%f1, _, %f2, %f3}, [%rd1+-16];");
    EXPECT_EQ(i.op, Op::ld);
    EXPECT_EQ(i.mods, (std::vector<Mod>{Mod::global, Mod::nc, Mod::L1_no_allocate, Mod::L2_128B, Mod::v4}));
    EXPECT_EQ(i.types, std::vector<Type>{Type::f32});
    ASSERT_EQ(i.operands.size(), 2u);
    ASSERT_EQ(i.operands[0].elements.size(), 4u);
    EXPECT_EQ(i.operands[0].elements[1].kind, Kind::sink);
    EXPECT_EQ(i.operands[1].kind, Kind::address);
    EXPECT_EQ(i.operands[1].base, Operand::Base::reg);
    EXPECT_EQ(i.operands[1].offset, -16);
}

TEST(Parser, OpcodesWithDotsAreMatchedLongestFirst) {
    EXPECT_EQ(first_instruction("bar.sync 0;").op, Op::bar);
    EXPECT_EQ(first_instruction("bar.warp.sync -1;").op, Op::bar_warp);
    EXPECT_EQ(first_instruction("barrier.sync.aligned 1, 32;").op, Op::barrier);
    EXPECT_EQ(first_instruction("barrier.cluster.arrive.aligned;").op, Op::barrier_cluster);
    EXPECT_EQ(first_instruction("cp.async.commit_group;").op, Op::cp_async_commit_group);
    EXPECT_EQ(first_instruction("cp.async.ca.shared.global [%r1], [%rd1], 4;").op, Op::cp_async);
    EXPECT_EQ(first_instruction("cp.async.bulk.commit_group;").op, Op::cp_async_bulk);
    EXPECT_EQ(first_instruction("cvt.pack.sat.u16.s32 %r1, %r2, %r3;").op, Op::cvt_pack);
    EXPECT_EQ(first_instruction("cvt.u32.u64 %r1, %rd1;").op, Op::cvt);
    EXPECT_TRUE(first_instruction("min.xorsign.abs.f32 %f1, %f2, %f3;").has(Mod::xorsign));
    EXPECT_TRUE(first_instruction("abs.f32 %f1, %f2;").mods.empty());
}

TEST(Parser, SpellingPutsTypesWhereTheyWere) {
    for (const char* text : {"add.s32", "wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64.rn",
                             "vabsdiff4.u32.u32.u32.add", "setp.lt.and.ftz.f32"}) {
        std::string operands = " %r1, %r2, %r3;";
        if (text[0] == 'w') operands = " {%fd1, %fd2}, {%fd3}, {%fd4}, {%fd1, %fd2};";
        if (text[0] == 'v') operands = " %r1, %r2, %r3, %r4;";
        if (text[1] == 'e') operands = " %p1|%p2, %f1, 0f3F800000, !%p3;";
        EXPECT_EQ(first_instruction(text + operands).spelling(), text);
    }
}

TEST(Parser, Immediates) {
    auto value = [](const std::string& text) {
        return first_instruction("mov.b64 %rd1, " + text + ";").operands[1].value;
    };
    EXPECT_EQ(value("0x1F"), 31u);
    EXPECT_EQ(value("017"), 15u);
    EXPECT_EQ(value("0b1011"), 11u);
    EXPECT_EQ(value("42U"), 42u);
    EXPECT_EQ(value("-1"), ~std::uint64_t{0});
    EXPECT_EQ(value("18446744073709551615"), ~std::uint64_t{0});
    EXPECT_EQ(value("-9223372036854775808"), std::uint64_t{1} << 63);
    EXPECT_EQ(value("WARP_SZ"), 32u);
    EXPECT_EQ(value("(1 << 4) + 2 * 3 - WARP_SZ / 8"), 18u);
    EXPECT_EQ(value("-7 / 2"), static_cast<std::uint64_t>(-3));
    EXPECT_EQ(value("-8 >> 1"), static_cast<std::uint64_t>(-4));
    EXPECT_EQ(value("0xFFFFFFFFFFFFFFFFU >> 60"), 15u);
    EXPECT_EQ(value("1 ? 7 : 9"), 7u);
    EXPECT_EQ(value("!3 + ~0"), ~std::uint64_t{0});
    EXPECT_EQ(value("3 < 4 && 4 != 4 || 1 == 1"), 1u);
    EXPECT_EQ(value("(.u64)-1 / 2"), ~std::uint64_t{0} / 2);
    EXPECT_EQ(value("10 % 4 | 8 ^ 1 & 3"), 11u);
}

TEST(Parser, RealImmediates) {
    Operand single = first_instruction("mov.f32 %f1, 0fBF800000;").operands[1];
    EXPECT_EQ(single.kind, Kind::real);
    EXPECT_TRUE(single.is_f32_bits);
    EXPECT_EQ(single.value, 0xBF800000u);
    Operand twice = first_instruction("mov.f64 %fd1, 0d3FF0000000000000;").operands[1];
    EXPECT_FALSE(twice.is_f32_bits);
    EXPECT_EQ(std::bit_cast<double>(twice.value), 1.0);
    EXPECT_EQ(std::bit_cast<double>(first_instruction("mov.f64 %fd1, -2.5e3;").operands[1].value), -2500.0);
    EXPECT_EQ(first_instruction("mov.f32 %f1, -0f3F800000;").operands[1].value, 0xBF800000u);
    EXPECT_EQ(std::bit_cast<double>(first_instruction("mov.f64 %fd1, 1.5 * 2 + 0f3F000000;").operands[1].value), 3.5);
}

TEST(Parser, SpecialRegistersVideoSelectorsAndVectors) {
    EXPECT_EQ(first_instruction("mov.u32 %r1, %tid.x;").operands[1].special, SpecialReg::tid_x);
    EXPECT_EQ(first_instruction("mov.u64 %rd1, %clock64;").operands[1].special, SpecialReg::clock64);
    Instruction video = first_instruction("vadd.s32.s32.u32 %r1, %r2.b3, %r3.h0;");
    EXPECT_EQ(video.operands[1].text, "b3");
    EXPECT_EQ(video.operands[2].text, "h0");
    Module m = parsed(kernel(".reg .v4 .f32 v;\nld.global.v4.f32 v, [%rd1];\nmov.f32 %f1, v.z;"));
    EXPECT_EQ(k(m).body[0].operands[0].elements.size(), 4u);
    EXPECT_EQ(k(m).body[1].operands[1].reg, k(m).body[0].operands[0].elements[2].reg);
}

TEST(Parser, GuardsAndPairs) {
    Instruction i = first_instruction("@!%p3 setp.lt.or.s32 %p1|_, %r1, 5, !%p2;");
    ASSERT_TRUE(i.guard.has_value());
    EXPECT_TRUE(i.guard->negated);
    EXPECT_EQ(i.operands[0].kind, Kind::pair);
    EXPECT_EQ(i.operands[0].elements[1].kind, Kind::sink);
    EXPECT_TRUE(i.operands[3].negated);
}

TEST(Parser, Addresses) {
    Instruction absolute = first_instruction("ld.global.u32 %r1, [4096];");
    EXPECT_EQ(absolute.operands[1].base, Operand::Base::none);
    EXPECT_EQ(absolute.operands[1].offset, 4096);
    Instruction symbol = first_instruction("ld.shared.u32 %r1, [smem+4*3-2];");
    EXPECT_EQ(symbol.operands[1].base, Operand::Base::variable);
    EXPECT_EQ(symbol.operands[1].offset, 10);
    Instruction taken = first_instruction("mov.u64 %rd1, smem+8;");
    EXPECT_EQ(taken.operands[1].kind, Kind::variable);
    EXPECT_EQ(taken.operands[1].offset, 8);
    Instruction texture = first_instruction("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex, {%f5, %f6}];");
    ASSERT_EQ(texture.operands[1].elements.size(), 1u);
    EXPECT_EQ(texture.operands[1].elements[0].elements.size(), 2u);
}

TEST(Parser, ScopesHideNamesAndRanges) {
    Module m =
        parsed(kernel("mov.b32 %r10, 1;\n{\n.reg .b32 %r<3>;\n.reg .b32 a;\nmov.b32 %r1, %r10;\n"
                      "{ .reg .b32 a; mov.b32 a, %r1; }\nmov.b32 a, 2;\n}\nmov.b32 %r1, 3;"));
    const auto& body = k(m).body;
    RegId outer10 = body[0].operands[0].reg, inner1 = body[1].operands[0].reg, outer1 = body[4].operands[0].reg;
    EXPECT_NE(inner1, outer1);
    EXPECT_EQ(body[1].operands[1].reg, outer10);
    EXPECT_EQ(body[2].operands[1].reg, inner1);
    EXPECT_NE(body[2].operands[0].reg, body[3].operands[0].reg);
    EXPECT_EQ(round_trip(m), "");
}

TEST(Parser, LabelsOfInnerScopesHideOuterOnes) {
    Module m =
        parsed(kernel("L:\nbra L;\n{\nbra L;\nL:\nret;\n}\n{\nbra OUT;\nL: bra L;\n}\nOUT:\nbra L;\n{ bra OUT; }"));
    const Function& f = k(m);
    ASSERT_EQ(f.labels.size(), 4u);
    auto place = [&](std::size_t i) { return f.labels[f.body[i].operands[0].label].instruction; };
    EXPECT_EQ(place(0), 0u);
    EXPECT_EQ(place(1), 2u);
    EXPECT_EQ(place(3), 5u);
    EXPECT_EQ(place(4), 4u);
    EXPECT_EQ(place(5), 0u);
    EXPECT_EQ(place(6), 5u);
    EXPECT_EQ(round_trip(m), "");
}

TEST(Parser, BranchTables) {
    Module m =
        parsed(kernel("T: .branchtargets A, B, A;\n@%p1 brx.idx %r1, T;\n{\nbrx.idx %r2, U;\n}\n"
                      "A: ret;\nB: ret;\nU: .branchtargets B;"));
    const Function& f = k(m);
    ASSERT_EQ(f.body[0].branch_targets.size(), 3u);
    EXPECT_EQ(f.body[0].branch_targets[0], f.body[0].branch_targets[2]);
    EXPECT_EQ(f.labels[f.body[0].branch_targets[1]].name, "B");
    ASSERT_EQ(f.body[1].branch_targets.size(), 1u);
    EXPECT_EQ(f.labels[f.body[1].branch_targets[0]].instruction, 3u);
    EXPECT_EQ(round_trip(m), "");
}

TEST(Parser, Calls) {
    Module m =
        parsed(kernel("{\n.param .b64 param0;\nst.param.b64 [param0], %rd1;\n.param .b32 retval0;\n"
                      "call.uni (retval0), f, (param0);\nld.param.b32 %r1, [retval0];\n}\ncall g;\n"
                      "P: .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 8 .b8 _[12]) .noreturn;\n"
                      "{ .param .b32 x; .param .b64 y; .param .align 8 .b8 z[12]; call (x), %rd2, (y, z), P; }\n"
                      "Q: .calltargets g;\ncall %rd3, Q;"));
    const Function& f = k(m);
    const Call& direct = *f.body[1].call;
    EXPECT_TRUE(direct.uniform);
    EXPECT_EQ(direct.target.symbol, m.find_function("f"));
    EXPECT_EQ(m.variables[direct.arguments[0].symbol].name, "param0");
    EXPECT_EQ(m.variables[direct.results[0].symbol].size, 4u);
    const Call& indirect = *f.body[4].call;
    EXPECT_EQ(indirect.target.kind, Kind::reg);
    ASSERT_LT(indirect.prototype, f.prototypes.size());
    EXPECT_TRUE(f.prototypes[0].noreturn);
    EXPECT_EQ(m.variables[f.prototypes[0].parameters[1]].size, 12u);
    ASSERT_EQ(f.body[5].call->targets.size(), 1u);
    EXPECT_EQ(f.body[5].call->targets[0], m.find_function("g"));
    EXPECT_EQ(round_trip(m), "");
}

TEST(Parser, FunctionsAndTheirDirectives) {
    Module m = parsed(
        kHead +
        ".visible .func (.reg .b32 r) twice(.reg .b32 a) { add.s32 r, a, a; ret; }\n"
        ".func quit() .noreturn;\n.weak .func (.param .b32 r) twin(.param .b32 a);\n"
        ".visible .entry e(.param .u64 .ptr .global .align 16 e0, .param .align 4 .b8 e1[20], .param .v2 .f32 e2)\n"
        ".maxntid 128, 2\n.minnctapersm 3\n.reqnctapercluster 2\n.explicitcluster\n.maxnreg 64\n{ ret; }\n"
        ".func (.param .b32 r) other(.param .b32 a) { st.param.b32 [r], 1; ret; }\n.alias twin, other;");
    const Function& twice = m.functions[m.find_function("twice")];
    EXPECT_EQ(m.variables[twice.results[0]].space, Space::reg);
    EXPECT_EQ(m.variables[twice.results[0]].reg, twice.body[0].operands[0].reg);
    EXPECT_EQ(m.variables[twice.parameters[0]].reg, twice.body[0].operands[1].reg);
    EXPECT_TRUE(m.functions[m.find_function("quit")].directives.noreturn);
    EXPECT_EQ(m.functions[m.find_function("twin")].alias_of, m.find_function("other"));
    const Function& e = m.functions[m.find_function("e")];
    EXPECT_EQ(e.directives.maxntid[0], 128u);
    EXPECT_EQ(e.directives.maxntid[1], 2u);
    EXPECT_EQ(e.directives.maxntid[2], 1u);
    EXPECT_EQ(e.directives.minnctapersm, 3u);
    EXPECT_EQ(e.directives.maxnreg, 64u);
    EXPECT_TRUE(e.directives.explicitcluster);
    const Variable& pointer = m.variables[e.parameters[0]];
    EXPECT_TRUE(pointer.is_pointer);
    EXPECT_EQ(pointer.pointer_space, Space::global);
    EXPECT_EQ(pointer.pointer_align, 16u);
    EXPECT_EQ(m.variables[e.parameters[1]].size, 20u);
    EXPECT_EQ(m.variables[e.parameters[2]].size, 8u);
    EXPECT_EQ(round_trip(m), "");
}

TEST(Parser, PrototypeThenDefinitionIsOneFunction) {
    Module m =
        parsed(kHead +
               ".func (.param .b32 r) a(.param .b32 x);\n"
               ".func (.param .b32 r) b(.param .b32 x) { .param .b32 p; .param .b32 q; call (q), a, (p); ret; }\n"
               ".func (.param .b32 s) a(.param .b32 y) { .param .b32 p; .param .b32 q; call (q), b, (p); ret; }\n");
    ASSERT_EQ(m.functions.size(), 2u);
    EXPECT_TRUE(m.functions[0].defined);
    EXPECT_EQ(m.variables[m.functions[0].parameters[0]].name, "y");
    EXPECT_EQ(round_trip(m), "");
}

TEST(Parser, InitialValues) {
    Module m =
        parsed(kHead +
               ".global .align 4 .u32 a[2][3] = {{1, 2}, {-1}};\n"
               ".global .u16 b[] = {1, 2, 3};\n.const .f32 c[3] = {0f3F800000, 2.5, -1};\n.global .f64 d = "
               "0dBFF0000000000000;\n"
               ".global .v4 .b8 e[2] = {{1, 2}, {3, 4, 5, 6}};\n.global .b8 s[8] = \"hi\\n\";\n.global .s8 n = -128;\n"
               ".global .b8 big[1099511627776];\n.extern .shared .align 16 .b8 dyn[];\n");
    EXPECT_EQ(variable(m, "a").size, 24u);
    EXPECT_EQ(variable(m, "a").init[4], 2);
    EXPECT_EQ(variable(m, "a").init[8], 0);
    EXPECT_EQ(variable(m, "a").init[12], 0xff);
    EXPECT_EQ(variable(m, "b").size, 6u);
    std::vector<std::uint8_t> reals{0, 0, 0x80, 0x3f, 0, 0, 0x20, 0x40, 0, 0, 0x80, 0xbf};
    EXPECT_EQ(variable(m, "c").init, reals);
    EXPECT_EQ(variable(m, "d").init[7], 0xbf);
    EXPECT_EQ(variable(m, "e").init, (std::vector<std::uint8_t>{1, 2, 0, 0, 3, 4, 5, 6}));
    EXPECT_EQ(variable(m, "s").init, (std::vector<std::uint8_t>{'h', 'i', '\n', 0, 0, 0, 0, 0}));
    EXPECT_EQ(variable(m, "n").init[0], 0x80);
    EXPECT_EQ(variable(m, "big").size, std::uint64_t{1} << 40);
    EXPECT_TRUE(variable(m, "big").init.empty());
    EXPECT_EQ(variable(m, "dyn").size, 0u);
    EXPECT_EQ(variable(m, "dyn").align, 16u);
    EXPECT_EQ(round_trip(m), "");
}

TEST(Parser, AddressesInInitialValues) {
    Module m = parsed(kHead +
                      ".func f;\n.global .u64 a[3] = {generic(late)+8, f, 7};\n.global .b8 late[16];\n"
                      ".global .align 8 .b8 b[16] = {5, 0, 0, 0, 0, 0, 0, 0, 0xFF(late), 0xFF00(late), 0xFF0000(late), "
                      "0xFF000000(late), "
                      "0xFF00000000(late), 0xFF0000000000(late), 0xFF000000000000(late), 0xFF00000000000000(late)};\n"
                      ".global .b8 c[2] = {0xFF00(late), 0xFF(late)};\n");
    const Variable& a = variable(m, "a");
    ASSERT_EQ(a.relocations.size(), 2u);
    EXPECT_TRUE(a.relocations[0].generic);
    EXPECT_EQ(a.relocations[0].addend, 8);
    EXPECT_EQ(m.variables[a.relocations[0].symbol].name, "late");
    EXPECT_TRUE(a.relocations[1].is_function);
    EXPECT_EQ(a.relocations[1].offset, 8u);
    EXPECT_EQ(a.init[16], 7);
    const Variable& b = variable(m, "b");
    ASSERT_EQ(b.relocations.size(), 1u);
    EXPECT_EQ(b.relocations[0].size, 8);
    EXPECT_EQ(b.relocations[0].offset, 8u);
    const Variable& c = variable(m, "c");
    ASSERT_EQ(c.relocations.size(), 2u);
    EXPECT_EQ(c.relocations[0].shift, 8);
    EXPECT_EQ(c.relocations[0].size, 1);
    EXPECT_EQ(round_trip(m), "");
}

TEST(Parser, NounrollIsAFactOfTheInstructionBehindIt) {
    const Module m =
        parsed(kernel("bar.sync 0;\nL:\n.pragma \"nounroll\";\nbar.sync 1;\n.pragma \"frequency 3\";\nret;"));
    const Function& f = k(m);
    EXPECT_FALSE(f.body[0].nounroll);
    EXPECT_TRUE(f.body[1].nounroll);
    EXPECT_FALSE(f.body[2].nounroll);
    const Module again = parsed(print(m));
    EXPECT_TRUE(k(again).body[1].nounroll);
}

TEST(Parser, LocAndPlaces) {
    Module m =
        parsed(kernel(".loc 1 10 3\nret;\n.loc 1 20 3, function_name $L__info_string0+4, inlined_at 1 11 "
                      "9\nret;\n.pragma \"nounroll\";"));
    const Function& f = k(m);
    EXPECT_EQ(f.body[0].source, (SourceLine{1, 10}));
    EXPECT_EQ(f.body[1].source, (SourceLine{1, 20}));
    EXPECT_EQ(f.body[1].inlined_at, (SourceLine{1, 11}));
    EXPECT_EQ(f.source, (SourceLine{1, 10}));
    EXPECT_EQ(f.body[1].column, 1u);
    EXPECT_EQ(f.body[1].line, f.body[0].line + 2);
}

// A call in a header of the toolkit's is told as the program's line that leads there.
TEST(Parser, InlinedPlacesLeaveTheToolkitsHeaders) {
    const Module m = parsed(kernel(".loc 1 8 3\n.loc 1 5 3, function_name a, inlined_at 1 8 3\n"
                                   ".loc 2 300 3, function_name b, inlined_at 1 5 3\nret;\n"
                                   ".loc 1 9 3\n.loc 2 60 3, function_name c, inlined_at 1 9 3\n"
                                   ".loc 3 70 3, function_name d, inlined_at 2 60 3\nret;\n"
                                   ".loc 1 5 3, function_name a, inlined_at 1 9 3\nret;\n.loc 3 70 3\nret;") +
                            ".file 1 \"app.cu\"\n.file 2 \"/usr/local/cuda/include/a.hpp\"\n"
                            ".file 3 \"/home/me/cuda/targets/sbsa-linux/include/cccl/b.h\"\n");
    const Function& f = k(m);
    EXPECT_EQ(f.body[0].source, (SourceLine{2, 300}));
    EXPECT_EQ(own_place(m, f.body[0].source, f.body[0].inlined_at), (SourceLine{1, 5}))
        << "where the header's function is called, not where that function is";
    EXPECT_EQ(own_place(m, f.body[1].source, f.body[1].inlined_at), (SourceLine{1, 9}));
    EXPECT_EQ(own_place(m, f.body[2].source, f.body[2].inlined_at), (SourceLine{1, 5}));
    EXPECT_EQ(own_place(m, f.body[3].source, f.body[3].inlined_at), (SourceLine{3, 70})) << "nothing better is known";
    EXPECT_EQ(round_trip(m), "");
}

TEST(Parser, DebugSectionsAndCommentsAreSkipped) {
    Module m = parsed(
        "/* a\nb */ .version 7.0 // x\n# 1 \"a.c\"\n.target sm_70\n.section .debug_str\n{\n$L__info_string0:\n.b8 "
        "95,0\n"
        ".b32 .debug_abbrev\n.b64 $L__tmp0+8\n.b8 3 // {\n}\n.section .debug_macinfo { }\n.func f;\n");
    EXPECT_EQ(m.functions.size(), 1u);
}

TEST(Parser, TrailingZeroBytesOfAFatBinaryAreNoText) {
    std::string text = kHead + ".func f;\n";
    text.append(3, '\0');
    EXPECT_EQ(error_of(text), "");
}

TEST(Tables, EverySpellingFindsItsEntryAndNoSpellingIsThereTwice) {
    for (unsigned i = 0; i < static_cast<unsigned>(Op::size_); ++i)
        EXPECT_EQ(op_from(spelling(static_cast<Op>(i))), static_cast<Op>(i)) << spelling(static_cast<Op>(i));
    for (unsigned i = 0; i < static_cast<unsigned>(Mod::size_); ++i)
        EXPECT_EQ(mod_from(spelling(static_cast<Mod>(i))), static_cast<Mod>(i)) << spelling(static_cast<Mod>(i));
    EXPECT_EQ(op_from("nothing"), Op::size_);
    EXPECT_EQ(mod_from("nothing"), Mod::size_);
    EXPECT_EQ(type_from("nothing"), Type::none);
}

TEST(Tables, TheFactsOfAnOpcodeAgree) {
    for (int k = 0; k < static_cast<int>(Op::size_); ++k) {
        const auto op = static_cast<Op>(k);
        const auto& f = facts(op);
        EXPECT_LE(f.fewest, f.most) << f.text;
        // What lanes execute whose guard is false may touch nothing and wait for nobody.
        if (f.pure) {
            EXPECT_EQ(f.effect, Effect::none) << f.text;
            EXPECT_EQ(f.waits, Waits::never) << f.text;
            EXPECT_EQ(f.destination, Destination::first) << f.text;
        }
        EXPECT_EQ(f.form == Form::data, f.family != Family::none) << f.text << " is data, and of a family";
        if (f.flops) EXPECT_EQ(f.form, Form::data) << f.text;
        if (f.destination == Destination::first) EXPECT_GE(f.fewest, 1) << f.text;
        if (f.effect == Effect::orders) EXPECT_EQ(f.form, Form::fence) << f.text;
        if (f.form == Form::load) EXPECT_EQ(f.effect, Effect::reads) << f.text;
        if (f.form == Form::store) EXPECT_EQ(f.effect, Effect::writes) << f.text;
        if (f.form == Form::atomic) EXPECT_EQ(f.effect, Effect::updates) << f.text;
    }
    EXPECT_EQ(facts(Op::fma).flops, 2);
    EXPECT_EQ(facts(Op::tex).cls, Class::memory);
}

TEST(Tables, Types) {
    EXPECT_EQ(bits(Type::f16x2), 32u);
    EXPECT_EQ(bytes(Type::b128), 16u);
    EXPECT_EQ(bytes(Type::pred), 1u);
    EXPECT_EQ(bytes(Type::u4), 1u);
    EXPECT_EQ(type_from("bf16x2"), Type::bf16x2);
    EXPECT_TRUE(is_signed(Type::s8));
    EXPECT_FALSE(is_signed(Type::u64));
    for (Type t :
         {Type::f16, Type::f16x2, Type::bf16, Type::bf16x2, Type::f32, Type::f64, Type::tf32, Type::e4m3, Type::e5m2x2})
        EXPECT_TRUE(is_float(t)) << spelling(t);
    for (Type t : {Type::pred, Type::b16, Type::u32, Type::s64, Type::texref, Type::b128})
        EXPECT_FALSE(is_float(t)) << spelling(t);
    EXPECT_EQ(facts(Op::sin).cls, Class::special);
    EXPECT_EQ(bits(SpecialReg::clock64), 64u);
    EXPECT_EQ(spelling(SpecialReg::ctaid_y), "%ctaid.y");
}

}  // namespace parser_test
}  // namespace warpwright::ptx::test
