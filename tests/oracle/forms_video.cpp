// Video instructions, scalar and in two or four parts (PTX ISA 9.7.15).
#include "forms.hpp"

namespace oracle {

void add_video_forms(std::vector<Form>& out) {
    struct Pair {
        const char *a, *b;
    };
    for (const char* op : {"vadd", "vsub", "vabsdiff", "vmin", "vmax"}) {
        const std::string o = op;
        for (const char* d : {"u32", "s32"})
            for (const Pair& p : {Pair{"u32", "u32"}, Pair{"s32", "s32"}, Pair{"u32", "s32"}}) {
                const std::string types = std::string(".") + d + "." + p.a + "." + p.b;
                add_plain(out, o + types, "ii", "i");
                add_plain(out, o + types + ".sat", "ii", "i");
            }
        // Selected bytes and halves, merged into or accumulated with the third operand.
        add_form(out, o + ".u32.u32.u32 selected", o + ".u32.u32.u32 %r, %a.b1, %b.h1;", "ii", "i");
        add_form(out, o + ".s32.s32.s32 selected", o + ".s32.s32.s32 %r, %a.b3, %b.h0;", "ii", "i");
        add_form(out, o + ".s32.s32.u32.sat merged", o + ".s32.s32.u32.sat %r.b2, %a.b0, %b.b3, %c;", "iii", "i");
        add_form(out, o + ".u32.s32.u32 merged", o + ".u32.s32.u32 %r.h1, %a.h0, %b.b2, %c;", "iii", "i");
        for (const char* op2 : {"add", "min", "max"})
            add_form(out, o + ".s32.s32.s32." + op2, o + ".s32.s32.s32." + op2 + " %r, %a.h1, %b, %c;", "iii", "i");
    }
    for (const char* op : {"vshl", "vshr"})
        for (const char* mode : {"clamp", "wrap"}) {
            const std::string o = op, m = mode;
            add_form(out, o + ".u32.u32.u32." + m, o + ".u32.u32.u32." + m + " %r, %a, %b;", "is", "i");
            add_form(out, o + ".s32.s32.u32." + m, o + ".s32.s32.u32." + m + " %r, %a.h1, %b;", "is", "i");
            add_form(out, o + ".u32.u32.u32.sat." + m + " add", o + ".u32.u32.u32.sat." + m + ".add %r, %a, %b, %c;",
                     "isi", "i");
        }
    for (const char* types : {".u32.u32.u32", ".s32.s32.s32", ".s32.u32.s32"})
        for (const char* mode : {"", ".shr7", ".shr15", ".sat", ".sat.shr7", ".sat.shr15"})
            add_form(out, std::string("vmad") + types + mode,
                     std::string("vmad") + types + mode + " %r, %a.h0, %b.h1, %c;", "iii", "i");
    add_form(out, "vmad.s32.s32.s32 -c", "vmad.s32.s32.s32 %r, %a.b1, %b.h0, -%c;", "iii", "i");
    add_form(out, "vmad.u32.u32.u32.po", "vmad.u32.u32.u32.po %r, %a.b1, %b.h0, %c;", "iii", "i");
    for (const char* cmp : {"eq", "ne", "lt", "le", "gt", "ge"}) {
        const std::string c = cmp;
        add_form(out, "vset.u32.u32." + c, "vset.u32.u32." + c + " %r, %a, %b;", "ii", "i");
        add_form(out, "vset.s32.u32." + c + " selected", "vset.s32.u32." + c + " %r.b1, %a.b3, %b.h0, %c;", "iii", "i");
        add_form(out, "vset.s32.s32." + c + ".add", "vset.s32.s32." + c + ".add %r, %a.h0, %b.h1, %c;", "iii", "i");
        for (const char* width : {"2", "4"}) {
            add_plain(out, "vset" + (width + (".u32.u32." + c)), "iii", "i");
            add_plain(out, "vset" + (width + (".s32.s32." + c)) + ".add", "iii", "i");
        }
    }
    for (const char* op : {"vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"})
        for (const char* width : {"2", "4"}) {
            const std::string o = std::string(op) + width;
            for (const char* types : {".u32.u32.u32", ".s32.s32.s32", ".s32.u32.s32"}) {
                add_plain(out, o + types, "iii", "i");
                add_plain(out, o + types + ".sat", "iii", "i");
                add_plain(out, o + types + ".add", "iii", "i");
            }
            if (width[0] == '2')
                add_form(out, o + ".u32.s32.u32 selected", o + ".u32.s32.u32 %r.h1, %a.h10, %b.h31, %c;", "iii", "i");
            else
                add_form(out, o + ".u32.s32.u32 selected", o + ".u32.s32.u32 %r.b20, %a.b0123, %b.b7531, %c;", "iii",
                         "i");
        }
}

}  // namespace oracle
