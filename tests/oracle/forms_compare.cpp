// set and setp in every comparison and type (PTX ISA 9.7.6, 9.7.7).
#include "forms.hpp"

namespace oracle {
namespace {

struct Type {
    const char* name;
    char letter;
};

}  // namespace

void add_compare_forms(std::vector<Form>& out) {
    const auto two = [](char letter) { return std::string(2, letter); };
    const auto setp = [&](const std::string& cmp, const Type& t, const char* ftz = "") {
        add_plain(out, "setp." + cmp + ftz + "." + t.name, two(t.letter), "p");
    };
    for (const Type& t : {Type{"b16", 'h'}, Type{"b32", 'i'}, Type{"b64", 'l'}})
        for (const char* cmp : {"eq", "ne"}) setp(cmp, t);
    for (const Type& t :
         {Type{"s16", 'h'}, Type{"s32", 'i'}, Type{"s64", 'l'}, Type{"u16", 'h'}, Type{"u32", 'i'}, Type{"u64", 'l'}})
        for (const char* cmp : {"eq", "ne", "lt", "le", "gt", "ge"}) setp(cmp, t);
    for (const Type& t : {Type{"u16", 'h'}, Type{"u32", 'i'}, Type{"u64", 'l'}})
        for (const char* cmp : {"lo", "ls", "hi", "hs"}) setp(cmp, t);
    constexpr const char* kFloat[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                      "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
    for (const char* cmp : kFloat) {
        for (const Type& t : {Type{"f32", 'f'}, Type{"f64", 'd'}, Type{"f16", 'e'}, Type{"bf16", 'g'}}) setp(cmp, t);
        setp(cmp, {"f32", 'f'}, ".ftz");
        setp(cmp, {"f16", 'e'}, ".ftz");
        const std::string c = cmp;
        add_form(out, "setp." + c + ".f16x2", "setp." + c + ".f16x2 %r|%q, %a, %b;", "xx", "pp");
        add_form(out, "setp." + c + ".bf16x2", "setp." + c + ".bf16x2 %r|%q, %a, %b;", "yy", "pp");
        add_plain(out, "set." + c + ".u32.f32", "ff", "i");
        add_plain(out, "set." + c + ".f32.f64", "dd", "f");
        add_plain(out, "set." + c + ".f16.f16", "ee", "e");
        add_plain(out, "set." + c + ".f16x2.f16x2", "xx", "x");
        add_plain(out, "set." + c + ".bf16.bf16", "gg", "g");
        add_plain(out, "set." + c + ".bf16x2.bf16x2", "yy", "y");
    }
    for (const char* op : {"set.lt.s32.s32", "set.ge.u32.u32", "set.hi.u32.u32", "set.ne.f32.s32"})
        add_plain(out, op, "ii", "i");
    add_plain(out, "set.gt.u32.s64", "ll", "i");
    add_plain(out, "set.le.s32.u16", "hh", "i");
    add_plain(out, "set.ltu.ftz.f32.f32", "ff", "f");
    add_plain(out, "set.gt.u32.f16", "ee", "i");
    add_plain(out, "set.gt.s32.bf16", "gg", "i");
    add_plain(out, "set.lt.u16.f16", "ee", "h");
    add_plain(out, "set.eq.ftz.f16x2.f16x2", "xx", "x");
    add_plain(out, "set.lt.and.u32.s32", "iip", "i");
    add_plain(out, "set.gt.or.f32.f32", "ffp", "f");
    for (const char* op : {"and", "or", "xor"}) {
        const std::string o = op;
        add_form(out, "setp.lt." + o + ".s32 p|q", "setp.lt." + o + ".s32 %r|%q, %a, %b, %c;", "iip", "pp");
        add_form(out, "setp.gtu." + o + ".f32 p|q", "setp.gtu." + o + ".f32 %r|%q, %a, %b, %c;", "ffp", "pp");
        add_form(out, "setp.le." + o + ".f64 !c", "setp.le." + o + ".f64 %r, %a, %b, !%c;", "ddp", "p");
        add_form(out, "setp.ge." + o + ".u64 p|q", "setp.ge." + o + ".u64 %r|%q, %a, %b, %c;", "llp", "pp");
    }
}

}  // namespace oracle
