// Warp-level instructions (PTX ISA 9.7.9.6, 9.7.13): shuffles, votes, matches, reductions, masks, and bar.red.
#include "forms.hpp"

namespace oracle {

void add_warp_forms(std::vector<Form>& out) {
    const std::size_t first = out.size();
    for (const char* mode : {"up", "down", "bfly", "idx"}) {
        const std::string m = mode;
        // Clamp 31 (0 for up) or segments of 8 and 16: c holds the clamp in bits 0-4 and the segment mask in bits 8-12.
        const bool up = m == "up";
        struct Segment {
            const char* name;
            unsigned value;
        };
        for (const Segment& s : {Segment{"warp", up ? 0u : 31u}, Segment{"8", up ? 0x1800u : 0x181Fu},
                                 Segment{"16", up ? 0x1000u : 0x101Fu}, Segment{"4 clamp 5", 0x1C05u}}) {
            const std::string c = std::to_string(s.value);
            add_form(out, "shfl.sync." + m + " " + s.name, "shfl.sync." + m + ".b32 %r|%q, %a, %b, " + c + ", -1;",
                     "iS", "ip");
            add_form(out, "shfl.sync." + m + " by lane " + s.name,
                     "and.b32 %t0, %b, 31;\nshfl.sync." + m + ".b32 %r|%q, %a, %t0, " + c + ", -1;", "ii", "ip");
        }
        add_form(out, "shfl.sync." + m + " wild operands", "shfl.sync." + m + ".b32 %r|%q, %a, %b, %c, -1;", "iii",
                 "ip");
        add_form(out, "shfl.sync." + m + " no predicate",
                 "shfl.sync." + m + ".b32 %r, %a, %b, " + (up ? "0" : "31") + ", -1;", "iS", "i");
        add_form(out, "shfl." + m + ".b32", "shfl." + m + ".b32 %r|%q, %a, %b, 31;", "iS", "ip");
    }
    // Only lanes of the member mask take part, and they read lanes of it.
    add_form(out, "shfl.sync.idx members",
             "brev.b32 %t0, %c;\nclz.b32 %t0, %t0;\nshfl.sync.idx.b32 %r|%q, %a, %t0, 31, %c;", "iSM", "ip");
    add_form(out, "shfl.sync.idx first member",
             "brev.b32 %t0, %b;\nclz.b32 %t0, %t0;\nshfl.sync.idx.b32 %r, %a, %t0, 31, %b;", "iM", "i");

    for (const char* mode : {"all", "any", "uni"}) {
        const std::string m = mode;
        add_form(out, "vote.sync." + m, "vote.sync." + m + ".pred %r, %a, -1;", "p", "p");
        add_form(out, "vote.sync." + m + " members", "vote.sync." + m + ".pred %r, %a, %b;", "pM", "p");
        add_form(out, "vote.sync." + m + " not members", "vote.sync." + m + ".pred %r, !%a, %b;", "pM", "p");
        // Mostly alike, so that all and uni are often true.
        add_form(out, "vote.sync." + m + " alike",
                 "and.b32 %t0, %b, 31;\nsetp.gt.u32 %p0, %a, %t0;\nvote.sync." + m + ".pred %r, %p0, -1;", "Si", "p");
        add_form(out, "vote." + m + ".pred", "vote." + m + ".pred %r, %a;", "p", "p");
    }
    add_form(out, "vote.sync.ballot", "vote.sync.ballot.b32 %r, %a, -1;", "p", "i");
    add_form(out, "vote.sync.ballot members", "vote.sync.ballot.b32 %r, %a, %b;", "pM", "i");
    add_form(out, "vote.ballot.sync spelling", "vote.ballot.sync.b32 %r, %a, -1;", "p", "i");

    const std::string few32 = "and.b32 %t0, %a, 7;\n", few64 = "and.b64 %u0, %a, 3;\nshl.b64 %u0, %u0, 40;\n";
    add_form(out, "match.any.sync.b32", few32 + "match.any.sync.b32 %r, %t0, -1;", "i", "i");
    add_form(out, "match.any.sync.b32 members", few32 + "match.any.sync.b32 %r, %t0, %b;", "iM", "i");
    add_form(out, "match.any.sync.b64", few64 + "match.any.sync.b64 %r, %u0, -1;", "l", "i");
    add_form(out, "match.all.sync.b32 uniform", "match.all.sync.b32 %r|%q, %a, -1;", "I", "ip");
    add_form(out, "match.all.sync.b32 members", "match.all.sync.b32 %r|%q, %a, %b;", "IM", "ip");
    add_form(out, "match.all.sync.b32 differ", few32 + "match.all.sync.b32 %r|%q, %t0, %b;", "iM", "ip");
    add_form(out, "match.all.sync.b64 differ", few64 + "match.all.sync.b64 %r|%q, %u0, -1;", "l", "ip");

    for (const char* op :
         {"add.u32", "add.s32", "min.u32", "min.s32", "max.u32", "max.s32", "and.b32", "or.b32", "xor.b32"}) {
        const std::string o = op;
        add_form(out, "redux.sync." + o, "redux.sync." + o + " %r, %a, -1;", "i", "i");
        add_form(out, "redux.sync." + o + " members", "redux.sync." + o + " %r, %a, %b;", "iM", "i");
    }
    add_form(out, "elect.sync", "elect.sync %r|%q, -1;\nselp.b32 %r, %r, 99, %q;", "i", "ip");
    add_form(out, "elect.sync members", "elect.sync %r|%q, %a;\nselp.b32 %r, %r, 99, %q;", "M", "ip");
    add_form(out, "bar.warp.sync", "bar.warp.sync %b;\nadd.u32 %r, %a, 1;", "iM", "i");
    add_form(out, "activemask", "activemask.b32 %r;", "i", "i");
    for (const char* mask : {"eq", "le", "lt", "ge", "gt"})
        add_form(out, std::string("lanemask_") + mask, std::string("mov.u32 %r, %lanemask_") + mask + ";", "i", "i");
    add_form(out, "laneid", "mov.u32 %r, %laneid;", "i", "i");
    add_form(out, "ntid nctaid", "mov.u32 %r, %ntid.x;\nmov.u32 %q, %nctaid.x;", "i", "ii");
    add_form(out, "WARP_SZ", "mov.u32 %r, WARP_SZ;", "i", "i");

    for (const char* op : {"and", "or"}) {
        const std::string o = op;
        add_form(out, "bar.red." + o, "bar.red." + o + ".pred %r, 0, %a;", "p", "p");
        add_form(
            out, "bar.red." + o + " alike",
            std::string("setp.ne.u32 %p0, %a, ") + (o == "and" ? "31" : "0") + ";\nbar.red." + o + ".pred %r, 1, %p0;",
            "S", "p");
        add_form(out, "barrier.sync red " + o, "barrier.red." + o + ".pred %r, 2, 128, %a;", "p", "p");
    }
    add_form(out, "bar.red.popc", "bar.red.popc.u32 %r, 0, %a;", "p", "i");
    add_form(out, "bar.red.popc counted", "bar.red.popc.u32 %r, 3, 128, !%a;", "p", "i");
    for (std::size_t i = first; i < out.size(); ++i) out[i].vectors = 256;  // whole blocks of whole warps
}

}  // namespace oracle
