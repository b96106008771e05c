// Loads, stores and atomics of every width (PTX ISA 9.7.9, 9.7.13), each thread on its own bytes, so that the outcome
// does not depend on the order of threads.
#include "forms.hpp"

namespace oracle {
namespace {

struct Space {
    const char* name;
    const char* address;
};
constexpr Space kSpaces[] = {{".global", "%scratch"}, {".shared", "%sh"}, {".local", "%loc"}};

void loads_and_stores(std::vector<Form>& out) {
    for (const Space& s : kSpaces) {
        const std::string space = s.name, at = s.address;
        const std::string put = "st" + space + ".b32 [" + at + "], %a;\nst" + space + ".b32 [" + at + "+4], %b;\n";
        // Narrow loads into wide registers: what stands above the loaded bits.
        for (const char* type : {"u8", "s8", "b8", "u16", "s16", "b16", "u32", "s32", "b32"})
            add_form(out, "ld" + space + "." + type + " to 32",
                     put + "ld" + space + "." + type + " %r, [" + at + "];\nld" + space + "." + type + " %q, [" + at +
                         "+4];",
                     "ii", "ii");
        for (const char* type : {"u8", "s8", "u16", "s16", "u32", "s32", "b32", "u64", "s64", "b64"})
            add_form(out, "ld" + space + "." + type + " to 64", put + "ld" + space + "." + type + " %r, [" + at + "];",
                     "ii", "l");
        for (const char* type : {"u8", "s8", "b8"})
            add_form(out, "ld" + space + "." + type + " to 16",
                     put + "ld" + space + "." + type + " %r, [" + at + "+1];", "ii", "h");
        for (const char* type : {"u8", "s8", "u16", "b16"})
            add_form(out, "ld" + space + ".v4." + type,
                     put + "ld" + space + ".v4." + type + " {%t0, %t1, %t2, %t3}, [" + at +
                         "];\nshl.b32 %t1, %t1, 5;\nxor.b32 %r, %t0, %t1;\nshl.b32 %t3, %t3, 7;\nadd.u32 %q, %t2, %t3;",
                     "ii", "ii");
        for (const char* type : {"u32", "f32", "b32"})
            add_form(out, "ld" + space + ".v2." + type, put + "ld" + space + ".v2." + type + " {%q, %r}, [" + at + "];",
                     "ii", "ii");
        // Stores of parts of registers, the bytes around them kept.
        const std::string clear = "mov.b64 %u0, 0x1122334455667788;\nst" + space + ".b64 [" + at + "], %u0;\n",
                          get = "ld" + space + ".b64 %r, [" + at + "];";
        add_form(out, "st" + space + ".u8 from 32", clear + "st" + space + ".u8 [" + at + "+3], %a;\n" + get, "i", "l");
        add_form(out, "st" + space + ".b16 from 32", clear + "st" + space + ".b16 [" + at + "+2], %a;\n" + get, "i",
                 "l");
        add_form(out, "st" + space + ".u8 from 64", clear + "st" + space + ".u8 [" + at + "+6], %a;\n" + get, "l", "l");
        add_form(out, "st" + space + ".u32 from 64", clear + "st" + space + ".u32 [" + at + "+4], %a;\n" + get, "l",
                 "l");
        add_form(out, "st" + space + ".v2.u16", clear + "st" + space + ".v2.u16 [" + at + "+4], {%a, %b};\n" + get,
                 "hh", "l");
        add_form(out, "st" + space + ".v4.u8",
                 clear + "st" + space + ".v4.u8 [" + at + "+4], {%a, %b, %a, %b};\n" + get, "hh", "l");
        add_form(out, "st" + space + ".v4.f32",
                 "st" + space + ".v4.f32 [" + at + "+16], {%a, %b, %c, %d};\nld" + space + ".v2.b64 {%r, %q}, [" + at +
                     "+16];",
                 "iiii", "ll");
        add_form(out, "st" + space + ".v2.f64",
                 "st" + space + ".v2.f64 [" + at + "+32], {%a, %b};\nld" + space + ".v4.b32 {%t0, %t1, %t2, %t3}, [" +
                     at + "+32];\nmov.b64 %r, {%t3, %t0};\nmov.b64 %q, {%t1, %t2};",
                 "ll", "ll");
        add_form(out, "ld" + space + ".b128 halves",
                 "st" + space + ".v2.b64 [" + at + "+48], {%b, %a};\nld" + space + ".b64 %r, [" + at + "+48];\nld" +
                     space + ".b64 %q, [" + at + "+56];",
                 "ll", "ll");
    }
    for (const char* mode : {".volatile", ".relaxed.gpu", ".relaxed.sys", ".relaxed.cta"}) {
        const std::string m = mode;
        add_form(out, "st/ld" + m + ".global",
                 "st" + m + ".global.u32 [%scratch], %a;\nld" + m + ".global.u32 %r, [%scratch];", "i", "i");
    }
    add_form(out, "st.release ld.acquire",
             "st.release.gpu.global.u64 [%scratch], %a;\nld.acquire.gpu.global.u64 %r, [%scratch];", "l", "l");
    for (const char* mode : {".ca", ".cg", ".cs", ".lu", ".cv"})
        add_form(out, std::string("ld.global") + mode,
                 std::string("st.global.u32 [%scratch+8], %a;\nld.global") + mode + ".u32 %r, [%scratch+8];", "i", "i");
    for (const char* mode : {".wb", ".cg", ".cs", ".wt"})
        add_form(out, std::string("st.global") + mode,
                 std::string("st.global") + mode + ".u32 [%scratch+8], %a;\nld.global.u32 %r, [%scratch+8];", "i", "i");
    // Generic addresses and back.
    add_form(out, "cvta generic shared",
             "cvt.u64.u32 %u0, %sh;\ncvta.shared.u64 %u0, %u0;\nst.b32 [%u0], %a;\n"
             "ld.shared.b32 %r, [%sh];\ncvta.to.shared.u64 %u1, %u0;\ncvt.u32.u64 %t0, %u1;\nsub.u32 %q, %t0, %sh;",
             "i", "ii");
    add_form(out, "cvta generic global",
             "cvta.global.u64 %u0, %scratch;\nst.b64 [%u0+8], %a;\nld.global.b64 %r, [%scratch+8];\n"
             "cvta.to.global.u64 %u1, %u0;\nsub.u64 %q, %u1, %scratch;",
             "l", "ll");
    add_form(out, "cvta generic local",
             "cvta.local.u64 %u0, %loc;\nst.u16 [%u0+2], %a;\nld.local.u16 %r, [%loc+2];\n"
             "cvta.to.local.u64 %u1, %u0;\nsub.u64 %u1, %u1, %loc;\ncvt.u16.u64 %q, %u1;",
             "h", "hh");
    add_form(
        out, "isspacep",
        "cvta.local.u64 %u0, %loc;\ncvta.global.u64 %u1, %scratch;\ncvt.u64.u32 %u2, %sh;\n"
        "cvta.shared.u64 %u2, %u2;\nand.b32 %t0, %a, 3;\nsetp.eq.u32 %p0, %t0, 0;\nselp.b64 %u0, %u1, %u0, %p0;\n"
        "setp.eq.u32 %p0, %t0, 1;\nselp.b64 %u0, %u2, %u0, %p0;\nisspacep.global %p0, %u0;\nselp.b32 %r, 1, 0, %p0;\n"
        "isspacep.shared %p0, %u0;\nselp.b32 %t1, 2, 0, %p0;\nadd.u32 %r, %r, %t1;\nisspacep.local %p0, %u0;\n"
        "selp.b32 %t1, 4, 0, %p0;\nadd.u32 %r, %r, %t1;\nisspacep.const %p0, %u0;\nselp.b32 %t1, 8, 0, %p0;\n"
        "add.u32 %r, %r, %t1;",
        "i", "i");
}

void atomics(std::vector<Form>& out) {
    struct Op {
        const char* name;
        char letter;
    };
    constexpr Op kOps[] = {
        {"add.u32", 'i'},          {"add.s32", 'i'},       {"add.u64", 'l'},         {"add.f32", 'f'},
        {"add.f64", 'd'},          {"add.noftz.f16", 'e'}, {"add.noftz.f16x2", 'x'}, {"add.noftz.bf16", 'g'},
        {"add.noftz.bf16x2", 'y'}, {"inc.u32", 'i'},       {"dec.u32", 'i'},         {"min.u32", 'i'},
        {"min.s32", 'i'},          {"min.u64", 'l'},       {"min.s64", 'l'},         {"max.u32", 'i'},
        {"max.s32", 'i'},          {"max.u64", 'l'},       {"max.s64", 'l'},         {"and.b32", 'i'},
        {"and.b64", 'l'},          {"or.b32", 'i'},        {"or.b64", 'l'},          {"xor.b32", 'i'},
        {"xor.b64", 'l'},          {"exch.b32", 'i'},      {"exch.b64", 'l'}};
    for (unsigned s = 0; s < 3; ++s) {
        const std::string space = s == 2 ? "" : kSpaces[s].name;
        std::string at = s == 1 ? "%sh" : "%scratch";
        const std::string to = s == 1 ? "shared" : "global";
        const std::string generic = s == 2 ? "cvta.global.u64 %u0, %scratch;\n" : "";
        const std::string target = s == 2 ? "%u0" : at;
        for (const Op& op : kOps) {
            const std::string o = op.name, bits = std::to_string(8 * width_of(op.letter)), one(1, op.letter);
            const std::string put = "st." + to + ".b" + bits + " [" + at + "+8], %a;\n" + generic,
                              get = "ld." + to + ".b" + bits + " %q, [" + at + "+8];";
            add_form(out, "atom" + space + "." + o,
                     put + "atom" + space + "." + o + " %r, [" + target + "+8], %b;\n" + get, one + one, one + one);
            if (o.rfind("exch", 0) != 0)
                add_form(out, "red" + space + "." + o,
                         put + "red" + space + "." + o + " [" + target + "+8], %b;\n" + get, one + one, one + one);
        }
        for (const Op& cas : {Op{"cas.b16", 'h'}, Op{"cas.b32", 'i'}, Op{"cas.b64", 'l'}}) {
            const std::string bits = std::to_string(8 * width_of(cas.letter)), one(1, cas.letter);
            const std::string put = "st." + to + ".b" + bits + " [" + at + "+8], %a;\n" + generic,
                              get = "ld." + to + ".b" + bits + " %q, [" + at + "+8];";
            add_form(out, "atom" + space + "." + cas.name + " as it comes",
                     put + "atom" + space + "." + cas.name + " %r, [" + target + "+8], %b, %c;\n" + get,
                     std::string(3, cas.letter), one + one);
            add_form(out, "atom" + space + "." + cas.name + " equal",
                     put + "atom" + space + "." + cas.name + " %r, [" + target + "+8], %a, %b;\n" + get,
                     std::string(2, cas.letter), one + one);
        }
    }
    for (const char* mode :
         {".relaxed.gpu.global", ".acq_rel.sys.global", ".acquire.cta.global", ".release.gpu.global"})
        add_form(out, std::string("atom") + mode + ".add.u32",
                 std::string("st.global.u32 [%scratch], %a;\natom") + mode +
                     ".add.u32 %r, [%scratch], %b;\n"
                     "ld.global.u32 %q, [%scratch];",
                 "ii", "ii");
    for (const char* vector : {".v2.f32", ".v4.f32"}) {
        const bool four = vector[2] == '4';
        add_form(out, std::string("red.global.add") + vector,
                 std::string("st.global.v4.b32 [%scratch], {%a, %b, %a, %b};\nred.global.add") + vector +
                     " [%scratch], {%c, %d" + (four ? ", %d, %c" : "") + "};\nld.global.v2.b32 {%r, %q}, [%scratch" +
                     (four ? "+8" : "") + "];",
                 "ffff", "ff");
    }
}

}  // namespace

void add_memory_forms(std::vector<Form>& out) {
    loads_and_stores(out);
    atomics(out);
}

}  // namespace oracle
