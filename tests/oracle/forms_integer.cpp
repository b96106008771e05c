// Integer arithmetic, logic, shifts and bit fields (PTX ISA 9.7.1, 9.7.2, 9.7.8).
#include "forms.hpp"

namespace oracle {
namespace {

struct Type {
    const char* name;
    char letter;
    const char* wide;  ///< the letter of twice the width
    bool is_signed;
};
constexpr Type kTypes[] = {{"u16", 'h', "i", false}, {"s16", 'h', "i", true},      {"u32", 'i', "l", false},
                           {"s32", 'i', "l", true},  {"u64", 'l', nullptr, false}, {"s64", 'l', nullptr, true}};

std::string repeat(char letter, unsigned n) { return std::string(n, letter); }

void arithmetic(std::vector<Form>& out) {
    for (const Type& t : kTypes) {
        const std::string type = std::string(".") + t.name, two = repeat(t.letter, 2), three = repeat(t.letter, 3),
                          one(1, t.letter);
        for (const char* op : {"add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"})
            add_plain(out, op + type, two, one);
        for (const char* op : {"mad.lo", "mad.hi", "sad"}) add_plain(out, op + type, three, one);
        if (t.wide) {
            add_plain(out, "mul.wide" + type, two, t.wide);
            add_plain(out, "mad.wide" + type, two + t.wide, t.wide);
        }
        if (t.is_signed)
            for (const char* op : {"abs", "neg"}) add_plain(out, op + type, one, one);
    }
    for (const char* op : {"add.sat.s32", "sub.sat.s32", "mul24.lo.u32", "mul24.lo.s32", "mul24.hi.u32", "mul24.hi.s32",
                           "min.relu.s32", "max.relu.s32", "add.u16x2", "add.s16x2", "min.u16x2", "min.s16x2",
                           "max.u16x2", "max.s16x2", "min.relu.s16x2", "max.relu.s16x2"})
        add_plain(out, op, "ii", "i");
    for (const char* op : {"mad.hi.sat.s32", "mad24.lo.u32", "mad24.lo.s32", "mad24.hi.u32", "mad24.hi.s32",
                           "mad24.hi.sat.s32", "dp4a.u32.u32", "dp4a.u32.s32", "dp4a.s32.u32", "dp4a.s32.s32",
                           "dp2a.lo.u32.u32", "dp2a.lo.u32.s32", "dp2a.lo.s32.u32", "dp2a.lo.s32.s32",
                           "dp2a.hi.u32.u32", "dp2a.hi.u32.s32", "dp2a.hi.s32.u32", "dp2a.hi.s32.s32"})
        add_plain(out, op, "iii", "i");
}

void carries(std::vector<Form>& out) {
    // A 64-bit (or 128-bit) sum, difference, product by halves: low part, then high part with the carry.
    for (const char* type : {"u32", "s32", "u64", "s64"}) {
        const std::string t = type;
        const char letter = t[1] == '3' ? 'i' : 'l';
        const std::string in = repeat(letter, 4), two = repeat(letter, 2);
        add_form(out, "add.cc+addc." + t, "add.cc." + t + " %r, %a, %b;\naddc." + t + " %q, %c, %d;", in, two);
        add_form(out, "sub.cc+subc." + t, "sub.cc." + t + " %r, %a, %b;\nsubc." + t + " %q, %c, %d;", in, two);
        add_form(out, "addc.cc chain " + t,
                 "add.cc." + t + " %r, %a, %b;\naddc.cc." + t + " %r, %c, %d;\naddc." + t + " %q, %a, %d;", in, two);
        add_form(out, "subc.cc chain " + t,
                 "sub.cc." + t + " %r, %a, %b;\nsubc.cc." + t + " %r, %c, %d;\nsubc." + t + " %q, %a, %d;", in, two);
        add_form(out, "mad.lo.cc+madc.hi " + t,
                 "mad.lo.cc." + t + " %r, %a, %b, %c;\nmadc.hi." + t + " %q, %a, %b, %d;", in, two);
        add_form(out, "mad.hi.cc+madc.lo " + t,
                 "mad.hi.cc." + t + " %r, %a, %b, %c;\nmadc.lo." + t + " %q, %a, %b, %d;", in, two);
        add_form(out, "madc.lo.cc+madc.hi.cc+addc " + t,
                 "mad.lo.cc." + t + " %r, %a, %b, %c;\nmadc.lo.cc." + t + " %r, %a, %d, %c;\nmadc.hi.cc." + t +
                     " %q, %a, %b, %d;\naddc." + t + " %q, %q, 0;",
                 in, two);
    }
}

void bits(std::vector<Form>& out) {
    for (const char* op : {"popc.b32", "clz.b32", "bfind.u32", "bfind.s32", "bfind.shiftamt.u32", "bfind.shiftamt.s32",
                           "brev.b32", "not.b32", "cnot.b32"})
        add_plain(out, op, "i", "i");
    for (const char* op : {"popc.b64", "clz.b64", "bfind.u64", "bfind.s64", "bfind.shiftamt.u64", "bfind.shiftamt.s64"})
        add_plain(out, op, "l", "i");
    for (const char* op : {"brev.b64", "not.b64", "cnot.b64"}) add_plain(out, op, "l", "l");
    for (const char* op : {"not.b16", "cnot.b16"}) add_plain(out, op, "h", "h");
    for (const char* op : {"and", "or", "xor"}) {
        add_plain(out, std::string(op) + ".b16", "hh", "h");
        add_plain(out, std::string(op) + ".b32", "ii", "i");
        add_plain(out, std::string(op) + ".b64", "ll", "l");
        add_plain(out, std::string(op) + ".pred", "pp", "p");
    }
    add_plain(out, "not.pred", "p", "p");
    for (const char* type : {"u32", "s32"}) add_plain(out, std::string("bfe.") + type, "iss", "i");
    for (const char* type : {"u64", "s64"}) add_plain(out, std::string("bfe.") + type, "lss", "l");
    add_plain(out, "bfi.b32", "iiss", "i");
    add_plain(out, "bfi.b64", "llss", "l");
    for (const char* mode : {"clamp", "wrap"}) {
        add_plain(out, std::string("bmsk.") + mode + ".b32", "ss", "i");
        add_plain(out, std::string("szext.") + mode + ".u32", "is", "i");
        add_plain(out, std::string("szext.") + mode + ".s32", "is", "i");
    }
    add_plain(out, "fns.b32", "iSi", "i");
    add_form(out, "fns.b32 near",
             "and.b32 %t0, %c, 7;\nsub.s32 %t0, %t0, 3;\nand.b32 %t1, %b, 31;\nfns.b32 %r, %a, %t1, %t0;", "iii", "i");
    for (const int table : {0x00, 0x01, 0x1B, 0x3C, 0x6A, 0x80, 0x96, 0xCA, 0xD8, 0xE8, 0xFE, 0xFF}) {
        const std::string text = std::to_string(table);
        add_form(out, "lop3.b32 " + text, "lop3.b32 %r, %a, %b, %c, " + text + ";", "iii", "i");
    }
    add_form(out, "lop3.or.b32", "lop3.or.b32 %r|%q, %a, %b, %c, 0x80, %d;", "iiip", "ip");
    add_form(out, "lop3.and.b32", "lop3.and.b32 %r|%q, %a, %b, %c, 0x96, %d;", "iiip", "ip");
}

void shifts(std::vector<Form>& out) {
    add_plain(out, "shl.b16", "hs", "h");
    add_plain(out, "shl.b32", "is", "i");
    add_plain(out, "shl.b64", "ls", "l");
    for (const char* kind : {"b", "u", "s"}) {
        add_plain(out, std::string("shr.") + kind + "16", "hs", "h");
        add_plain(out, std::string("shr.") + kind + "32", "is", "i");
        add_plain(out, std::string("shr.") + kind + "64", "ls", "l");
    }
    for (const char* op : {"shf.l.clamp.b32", "shf.l.wrap.b32", "shf.r.clamp.b32", "shf.r.wrap.b32"})
        add_plain(out, op, "iis", "i");
    for (const char* mode : {"", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"})
        add_plain(out, std::string("prmt.b32") + mode, "iii", "i");
}

void moves(std::vector<Form>& out) {
    add_plain(out, "selp.b16", "hhp", "h");
    add_plain(out, "selp.b32", "iip", "i");
    add_plain(out, "selp.b64", "llp", "l");
    add_plain(out, "selp.f32", "ffp", "f");
    add_plain(out, "selp.f64", "ddp", "d");
    for (const char* type : {"b32", "u32", "s32", "f32"}) {
        add_plain(out, std::string("slct.") + type + ".s32", "iii", "i");
        add_plain(out, std::string("slct.") + type + ".f32", "iif", "i");
        add_plain(out, std::string("slct.ftz.") + type + ".f32", "iif", "i");
    }
    for (const char* type : {"b16", "u16", "s16"}) add_plain(out, std::string("slct.") + type + ".s32", "hhi", "h");
    for (const char* type : {"b64", "u64", "s64", "f64"}) {
        add_plain(out, std::string("slct.") + type + ".s32", "lli", "l");
        add_plain(out, std::string("slct.") + type + ".f32", "llf", "l");
    }
    add_form(out, "mov.b32 pack", "mov.b32 %r, {%a, %b};", "hh", "i");
    add_form(out, "mov.b32 unpack", "mov.b32 {%r, %q}, %a;", "i", "hh");
    add_form(out, "mov.b64 pack", "mov.b64 %r, {%a, %b};", "ii", "l");
    add_form(out, "mov.b64 unpack", "mov.b64 {%r, %q}, %a;", "l", "ii");
    add_form(out, "mov.b64 pack 4", "mov.b64 %r, {%a, %b, %c, %d};", "hhhh", "l");
    add_form(out, "mov.b64 unpack 4", "mov.b64 {%v0, %v1, %r, %q}, %a;\nadd.u16 %r, %r, %v0;\nsub.u16 %q, %q, %v1;",
             "l", "hh");
}

}  // namespace

void add_integer_forms(std::vector<Form>& out) {
    arithmetic(out);
    carries(out);
    bits(out);
    shifts(out);
    moves(out);
}

}  // namespace oracle
