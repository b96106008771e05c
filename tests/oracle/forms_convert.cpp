// cvt in every pair of types, rounding and saturation (PTX ISA 9.7.9.21), and cvt.pack.
#include "forms.hpp"

namespace oracle {
namespace {

struct Type {
    const char* name;
    char letter;  ///< its register's
    unsigned bits;
};
constexpr Type kIntegers[] = {{"u8", 'h', 8},   {"s8", 'h', 8},   {"u16", 'h', 16}, {"s16", 'h', 16},
                              {"u32", 'i', 32}, {"s32", 'i', 32}, {"u64", 'l', 64}, {"s64", 'l', 64}};
constexpr Type kFloats[] = {{"f16", 'e', 16}, {"f32", 'f', 32}, {"f64", 'd', 64}};
constexpr Type kBf16 = {"bf16", 'g', 16};
constexpr const char* kRoundings[] = {".rn", ".rz", ".rm", ".rp"};
constexpr const char* kIntegral[] = {".rni", ".rzi", ".rmi", ".rpi"};

void cvt(std::vector<Form>& out, const std::string& modes, const Type& to, const Type& from) {
    add_plain(out, "cvt" + modes + "." + to.name + "." + from.name, std::string(1, from.letter),
              std::string(1, to.letter));
}

void integers(std::vector<Form>& out) {
    for (const Type& to : kIntegers)
        for (const Type& from : kIntegers) {
            cvt(out, "", to, from);
            cvt(out, ".sat", to, from);
        }
    // Results narrower than their register: what stands above them.
    for (const char* to : {"u8", "s8", "u16", "s16"})
        for (const char* from : {"u32", "s32"})
            add_form(out, std::string("cvt.") + to + "." + from + " wide register",
                     std::string("cvt.") + to + "." + from + " %r, %a;", "i", "i");
    for (const char* from : {"u8", "s8", "u16", "s16"})
        add_form(out, std::string("cvt.u32.") + from + " wide register", std::string("cvt.u32.") + from + " %r, %a;",
                 "i", "i");
}

void integer_and_float(std::vector<Form>& out) {
    for (const Type& i : kIntegers) {
        for (const Type& f : kFloats) {
            for (const char* round : kRoundings) cvt(out, round, f, i);
            for (const char* round : kIntegral) {
                cvt(out, round, i, f);
                if (f.bits == 32) cvt(out, std::string(round) + ".ftz", i, f);
            }
            cvt(out, ".rzi.sat", i, f);
            cvt(out, ".rn.sat", f, i);
        }
        for (const char* round : kRoundings) cvt(out, round, kBf16, i);
        for (const char* round : kIntegral) cvt(out, round, i, kBf16);
    }
}

void floats(std::vector<Form>& out) {
    const Type &h = kFloats[0], &f = kFloats[1], &d = kFloats[2];
    for (const char* sat : {"", ".sat"})
        for (const char* ftz : {"", ".ftz"}) {
            const std::string tail = std::string(ftz) + sat;
            cvt(out, tail, f, h);
            cvt(out, tail, d, f);
            cvt(out, sat, f, f);
            cvt(out, ".ftz" + std::string(sat), f, f);
            for (const char* round : kRoundings) {
                cvt(out, round + tail, h, f);
                cvt(out, round + tail, f, d);
            }
            for (const char* round : kIntegral) cvt(out, round + tail, f, f);
        }
    cvt(out, "", d, h);
    cvt(out, "", f, kBf16);
    cvt(out, ".ftz", f, kBf16);
    cvt(out, "", d, kBf16);
    cvt(out, "", h, kBf16);
    cvt(out, ".rn", h, kBf16);
    cvt(out, ".rn", kBf16, h);
    cvt(out, ".rn", kBf16, d);
    for (const char* round : kRoundings) cvt(out, round, h, d);
    for (const char* round : kIntegral) {
        cvt(out, round, h, h);
        cvt(out, round, d, d);
        cvt(out, round, kBf16, kBf16);
    }
    cvt(out, ".sat", h, h);
    cvt(out, ".sat", d, d);
    for (const char* round : {".rn", ".rz"})
        for (const char* mode : {"", ".relu", ".satfinite", ".relu.satfinite"}) {
            const std::string m = std::string(round) + mode;
            cvt(out, m, kBf16, f);
            if (m.find("relu") != std::string::npos || m.find("satfinite") != std::string::npos) cvt(out, m, h, f);
            add_plain(out, "cvt" + m + ".f16x2.f32", "ff", "x");
            add_plain(out, "cvt" + m + ".bf16x2.f32", "ff", "y");
            add_plain(out, "cvt" + m + ".tf32.f32", "f", "i");
        }
    add_plain(out, "cvt.rna.tf32.f32", "f", "i");
    add_plain(out, "cvt.rna.satfinite.tf32.f32", "f", "i");
    for (const char* to : {"e4m3x2", "e5m2x2"})
        for (const char* relu : {"", ".relu"}) {
            const std::string m = std::string("cvt.rn.satfinite") + relu + "." + to;
            add_plain(out, m + ".f32", "ff", "h");
            add_plain(out, m + ".f16x2", "x", "h");
            add_plain(out, std::string("cvt.rn") + relu + ".f16x2." + to, "h", "x");
        }
}

void packs(std::vector<Form>& out) {
    for (const char* to : {"u16", "s16"}) add_plain(out, std::string("cvt.pack.sat.") + to + ".s32", "ii", "i");
    for (const char* to : {"u8", "s8", "u4", "s4", "u2", "s2"})
        add_plain(out, std::string("cvt.pack.sat.") + to + ".s32.b32", "iii", "i");
}

}  // namespace

void add_convert_forms(std::vector<Form>& out) {
    const std::size_t first = out.size();
    integers(out);
    integer_and_float(out);
    floats(out);
    packs(out);
    // The loops above meet some spellings twice.
    std::vector<Form> once(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(first));
    for (std::size_t i = first; i < out.size(); ++i) {
        bool seen = false;
        for (std::size_t j = first; j < once.size(); ++j) seen |= once[j].name == out[i].name;
        if (!seen) once.push_back(out[i]);
    }
    out = std::move(once);
}

}  // namespace oracle
