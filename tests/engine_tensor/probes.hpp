// The probe inputs of the warp-matrix instructions, and the list of forms they exercise. The recorder
// (tools/record_tensor.cpp) runs them on a GPU and keeps the outputs; the tests regenerate the same inputs
// from the same seeds and compare. So golden files hold outputs only. Changing anything here that alters an
// input makes the golden files void: record again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace probes {

/// splitmix64: tiny, seedable, the same everywhere.
struct Random {
    std::uint64_t state;
    std::uint64_t next() {
        std::uint64_t z = state += 0x9e3779b97f4a7c15ull;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>((next() >> 32) * n >> 32); }
    int between(int lo, int hi) { return lo + static_cast<int>(below(static_cast<std::uint32_t>(hi - lo + 1))); }
};

/// FNV-1a over 32-bit words; seeds the generator by form name and fingerprints outputs.
inline std::uint64_t fingerprint(const std::uint32_t* words, std::size_t count) {
    std::uint64_t h = 0xcbf29ce484222325ull;
    for (std::size_t i = 0; i < count; ++i) h = (h ^ words[i]) * 0x100000001b3ull, h ^= h >> 29;
    return h;
}
inline std::uint64_t fingerprint(const std::string& text) {
    std::uint64_t h = 0xcbf29ce484222325ull;
    for (unsigned char c : text) h = (h ^ c) * 0x100000001b3ull;
    return h;
}

/// An element format: floating (exponent and mantissa bits, value in the top of `bits`) or integer.
struct Format {
    std::string name;
    unsigned bits;      ///< in a register
    unsigned exponent;  ///< 0: integer
    unsigned mantissa;
    bool infinity;  ///< the top exponent holds infinities and NaNs (e4m3: only one NaN pattern)
};
inline Format format(const std::string& n) {
    if (n == "f16") return {n, 16, 5, 10, true};
    if (n == "bf16") return {n, 16, 8, 7, true};
    if (n == "tf32") return {n, 32, 8, 10, true};
    if (n == "f32") return {n, 32, 8, 23, true};
    if (n == "f64") return {n, 64, 11, 52, true};
    if (n == "e4m3") return {n, 8, 4, 3, false};
    if (n == "e5m2") return {n, 8, 5, 2, true};
    if (n == "s32") return {n, 32, 0, 0, false};
    if (n == "s8" || n == "u8") return {n, 8, 0, 0, false};
    if (n == "s4" || n == "u4") return {n, 4, 0, 0, false};
    return {n, 1, 0, 0, false};  // b1
}

/// What a floating-point case is about; integer forms use raw, extreme and near-limit words by case number.
enum Kind : unsigned {
    unit,
    wide,
    extreme,
    subnormal,
    powers,
    large_and_tiny,
    specials,
    zeros,
    dominant_c,
    small_integers,
    raw,
    maximal,
    signed_zeros,
    tiny,
    lowest,
    kinds
};

struct Form {
    std::string ptx;    ///< the instruction as PTX spells it
    bool wmma = false;  ///< operands go through wmma.load and wmma.store
    bool sparse = false;
    unsigned selector = 0;  ///< sparsity selector
    unsigned m, n, k;
    Format a, b, c, d;
    bool a_row = true, b_col = true;
    unsigned cases;
};

inline std::uint64_t encode(const Format& f, bool negative, int exponent, std::uint64_t mantissa, Random& random) {
    const unsigned value_bits = 1 + f.exponent + f.mantissa;
    const int top = (1 << f.exponent) - 1 - (f.infinity ? 1 : 0);
    if (exponent < 0) exponent = 0;
    if (exponent > top) exponent = top;
    std::uint64_t v = (std::uint64_t(exponent) << f.mantissa) | (mantissa & ((1ull << f.mantissa) - 1));
    if (!f.infinity && v == ((1ull << (value_bits - 1)) - 1)) --v;  // the NaN of e4m3
    v |= std::uint64_t(negative) << (value_bits - 1);
    if (f.name == "tf32") v = v << 13 | (random.below(4) == 0 ? random.below(1u << 13) : 0);  // low bits: to be ignored
    return v;
}

inline std::uint64_t element(const Format& f, bool accumulator, unsigned kind, Random& r) {
    if (f.exponent == 0) {
        if (f.bits == 32) {
            switch (kind % 4) {
                case 0:
                    return r.next() & 0xffffffffu;
                case 1:
                    return std::uint32_t(r.between(-1000, 1000));
                case 2:
                    return std::uint32_t(0x7fffffff - r.between(0, 20000));
                default:
                    return 0x80000000u + std::uint32_t(r.between(0, 20000));
            }
        }
        const std::uint64_t mask = (1ull << f.bits) - 1;
        if (kind % 3 == 1 && f.bits > 1) {
            const std::uint64_t edge[] = {0, 1, mask, mask >> 1, (mask >> 1) + 1};
            return edge[r.below(5)];
        }
        return r.next() & mask;
    }
    const int bias = (1 << (f.exponent - 1)) - 1, top = (1 << f.exponent) - 2;
    const bool narrow = f.exponent < 8;
    const bool s = r.next() >> 63;
    const std::uint64_t m = r.next() >> 5;
    const auto make = [&](int exponent, std::uint64_t mantissa) { return encode(f, s, exponent, mantissa, r); };
    switch (kind) {
        default:
        case unit:
            return make(bias + r.between(-4, 3), m);
        case wide:
            return accumulator ? make(bias + r.between(narrow ? -14 : -60, narrow ? 15 : 60), m)
                               : make(bias + r.between(narrow ? -14 : -30, narrow ? 14 : 30), m);
        case extreme:
            return make(r.between(0, top), m);
        case subnormal: {
            if (accumulator && !narrow) return make(r.below(2) ? 0 : r.between(0, 30), m);
            return r.below(2) ? make(0, r.below(3) ? m : m & 3) : make(r.between(0, top), m);
        }
        case powers: {
            // In this order, by which the recorded inputs were drawn.
            const std::uint64_t mantissa = r.below(2) ? 0 : 1ull << (f.mantissa - 1 - r.below(f.mantissa));
            return make(bias + r.between(-12, 12), mantissa);
        }
        case large_and_tiny:
            if (accumulator) return make(bias + (r.below(2) ? r.between(-24, -16) : r.between(8, 14)), m);
            return make(bias + (r.below(16) == 0 ? r.between(5, 8) : r.between(-9, -5)), m);
        case specials: {
            const unsigned pick = r.below(accumulator ? 24 : 160);
            if (pick > 4) return make(bias + r.between(-4, 3), m);
            if (pick == 0) return encode(f, s, 0, 0, r);
            if (pick == 1) return encode(f, s, top, ~0ull, r);
            const unsigned value_bits = 1 + f.exponent + f.mantissa;
            std::uint64_t v = ((1ull << f.exponent) - 1) << f.mantissa;  // infinity
            if (pick == 2 || !f.infinity)
                v |= r.below(2) ? (m & ((1ull << f.mantissa) - 1)) | 1 : (1ull << f.mantissa) - 1;
            v |= std::uint64_t(s) << (value_bits - 1);
            return f.name == "tf32" ? v << 13 : v;
        }
        case zeros:
            return r.below(2) ? encode(f, s, 0, 0, r)
                              : make(r.below(3) ? r.between(0, narrow ? 4 : bias / 2) : r.between(0, top), m);
        case dominant_c:
            return accumulator ? make(bias + r.between(10, 30), m) : make(bias + r.between(-4, 3), m);
        case small_integers: {
            if (accumulator) {  // -12 .. 12, and every 4th a little off
                const int v = r.between(1, 12);
                int e = 0;
                while ((v >> (e + 1)) != 0) ++e;
                std::uint64_t mantissa = (std::uint64_t(v) << f.mantissa >> e) & ((1ull << f.mantissa) - 1);
                if (r.below(4) == 0) mantissa ^= 1;
                return r.below(8) == 0 ? encode(f, s, 0, 0, r) : make(bias + e, mantissa);
            }
            const unsigned v = r.below(5);
            if (v == 0) return encode(f, s, 0, 0, r);
            return make(bias + (v > 1), v == 3 ? 1ull << (f.mantissa - 1) : 0);
        }
        case raw:
            return r.next() & (f.bits == 64 ? ~0ull : (1ull << f.bits) - 1);
        case maximal: {
            // In this order too, here and below: compilers differ in that of arguments.
            const std::uint64_t mantissa = r.below(2) ? m : ~0ull;
            return make(top - r.between(0, accumulator ? 1 : narrow ? 1 : bias + 2 - r.between(0, 3)), mantissa);
        }
        case signed_zeros:
            return r.below(24) ? encode(f, s, 0, 0, r) : make(r.between(0, 2), m);
        case lowest: {  // products about and below the smallest exponent that sums are cut at: powers of two that
                        // borrow
            if (accumulator ? r.below(2) : r.below(4)) return encode(f, s, 0, 0, r);
            const std::uint64_t mantissa = r.below(2) ? (accumulator ? m & 7 : 0) : m;
            return make(narrow ? r.between(0, 2) : accumulator ? 0 : bias - r.between(60, 84), mantissa);
        }
        case tiny:
            if (accumulator)
                return narrow ? make(r.between(0, 3), m)
                              : make(r.below(2) ? r.between(0, 30) : bias - r.between(20, 70), m);
            return narrow ? make(r.between(0, 3), m) : make(bias / 2 + r.between(-14, 10), m);
    }
}

/// Fills `words` 32-bit words with elements of `f`.
inline void fill(std::vector<std::uint32_t>& out, std::size_t words, const Format& f, bool accumulator, unsigned kind,
                 Random& r) {
    for (std::size_t w = 0; w < words; ++w) {
        if (f.bits == 64) {
            const std::uint64_t v = element(f, accumulator, kind, r);
            out.push_back(std::uint32_t(v));
            out.push_back(std::uint32_t(v >> 32));
            ++w;
            continue;
        }
        std::uint32_t word = 0;
        if (f.bits == 1)
            word = std::uint32_t(r.next());
        else
            for (unsigned bit = 0; bit < 32; bit += f.bits)
                word |= std::uint32_t(element(f, accumulator, kind, r) << bit);
        out.push_back(word);
    }
}

/// Words of one operand of a form: the whole warp's fragment (mma; m8n8k4 on f16 is 4 products per warp), or the
/// matrix in memory (wmma).
inline std::size_t operand_words(const Form& f, char operand) {
    const unsigned k = f.sparse && operand == 'a' ? f.k / 2 : f.k;
    const bool quad = !f.wmma && f.m == 8 && f.k == 4 && f.a.name == "f16";
    const std::size_t copies = quad ? 4 : 1;
    switch (operand) {
        case 'a':
            return copies * f.m * k * f.a.bits / 32;
        case 'b':
            return copies * k * f.n * f.b.bits / 32;
        case 'c':
            return copies * f.m * f.n * f.c.bits / 32;
        default:
            return copies * f.m * f.n * f.d.bits / 32;
    }
}

struct Inputs {
    std::vector<std::uint32_t> a, b, c, e;  ///< e: sparsity metadata, one word a lane
};

/// The inputs of case `index` of a form. For mma the arrays are [word][32 lanes] (f64: low and high word of an
/// element follow each other in a lane: [element][lane][2]); for wmma they are the matrices as they lie in memory.
inline Inputs inputs(const Form& form, unsigned index) {
    Random r{fingerprint(form.ptx) + 0x1234567ull * index + form.selector};
    const unsigned kind = index % kinds;
    Inputs in;
    fill(in.a, operand_words(form, 'a'), form.a, false, kind, r);
    fill(in.b, operand_words(form, 'b'), form.b, false, kind, r);
    fill(in.c, operand_words(form, 'c'), form.c, true, form.c.exponent ? kind : r.below(4), r);
    if (form.sparse) {
        const bool one_of_two = form.a.name == "tf32";
        for (unsigned lane = 0; lane < 32; ++lane) {
            std::uint32_t word = 0;
            for (unsigned nibble = 0; nibble < 8; ++nibble) {
                const std::uint32_t pairs[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe}, single[] = {0x4, 0xe};
                word |= (one_of_two ? single[r.below(2)] : pairs[r.below(6)]) << (4 * nibble);
            }
            in.e.push_back(word);
        }
    }
    return in;
}

/// Every form that is recorded.
inline std::vector<Form> forms() {
    std::vector<Form> all;
    const auto shape = [](unsigned m, unsigned n, unsigned k) {
        return "m" + std::to_string(m) + "n" + std::to_string(n) + "k" + std::to_string(k);
    };
    const auto mma = [&](unsigned m, unsigned n, unsigned k, std::string d, std::string a, std::string b, std::string c,
                         std::string suffix = "", bool sparse = false, unsigned selector = 0,
                         std::string layout = ".row.col", std::string sp = ".sp::ordered_metadata",
                         std::string rounding = "") {
        Form f{};
        f.sparse = sparse;
        f.selector = selector;
        f.m = m, f.n = n, f.k = k;
        f.a = format(a), f.b = format(b), f.c = format(c), f.d = format(d);
        f.a_row = layout.rfind(".row", 0) == 0, f.b_col = layout.substr(4) == ".col";
        f.ptx = "mma" + std::string(sparse ? sp : "") + ".sync.aligned." + shape(m, n, k) + layout + rounding +
                (suffix == ".satfinite" ? suffix : "") + "." + d + "." + a + "." + b + "." + c +
                (suffix == ".satfinite" ? "" : suffix);
        f.cases = f.a.exponent ? 40 * kinds : 96;
        all.push_back(f);
    };
    const auto wmma = [&](unsigned m, unsigned n, unsigned k, std::string d, std::string a, std::string b,
                          std::string c, std::string suffix = "", std::string layout = ".row.col",
                          std::string op = "") {
        Form f{};
        f.wmma = true;
        f.m = m, f.n = n, f.k = k;
        f.a = format(a), f.b = format(b), f.c = format(c), f.d = format(d);
        f.a_row = layout.rfind(".row", 0) == 0, f.b_col = layout.substr(4) == ".col";
        // f16 wmma names only d and c
        const std::string types = a == "f16" ? "." + d + "." + c : "." + d + "." + a + "." + b + "." + c;
        f.ptx = "wmma.mma" + op + ".sync.aligned" + layout + "." + shape(m, n, k) + types + suffix;
        f.cases = layout != ".row.col" ? 2 * kinds : f.a.exponent ? 20 * kinds : 48;
        all.push_back(f);
    };
    const std::vector<std::string> layouts = {".row.col", ".row.row", ".col.col", ".col.row"};
    for (auto& l : layouts) {
        mma(8, 8, 4, "f16", "f16", "f16", "f16", "", false, 0, l);
        mma(8, 8, 4, "f32", "f16", "f16", "f16", "", false, 0, l);
        mma(8, 8, 4, "f32", "f16", "f16", "f32", "", false, 0, l);
    }
    for (unsigned k : {8u, 16u}) {
        mma(16, 8, k, "f16", "f16", "f16", "f16");
        mma(16, 8, k, "f32", "f16", "f16", "f32");
        mma(16, 8, k, "f32", "bf16", "bf16", "f32");
    }
    for (unsigned k : {4u, 8u}) mma(16, 8, k, "f32", "tf32", "tf32", "f32");
    for (std::string a : {"e4m3", "e5m2"})
        for (std::string b : {"e4m3", "e5m2"}) {
            mma(16, 8, 32, "f32", a, b, "f32");
            mma(16, 8, 32, "f16", a, b, "f16");
            mma(16, 8, 16, "f32", a, b, "f32");
            mma(16, 8, 16, "f16", a, b, "f16");
        }
    mma(8, 8, 4, "f64", "f64", "f64", "f64");
    for (unsigned k : {4u, 8u, 16u}) mma(16, 8, k, "f64", "f64", "f64", "f64");
    for (std::string r : {".rz", ".rm", ".rp"})
        mma(8, 8, 4, "f64", "f64", "f64", "f64", "", false, 0, ".row.col", "", r);
    for (std::string sat : {"", ".satfinite"})
        for (std::string a : {"s", "u"})
            for (std::string b : {"s", "u"}) {
                mma(8, 8, 16, "s32", a + "8", b + "8", "s32", sat);
                mma(16, 8, 16, "s32", a + "8", b + "8", "s32", sat);
                mma(16, 8, 32, "s32", a + "8", b + "8", "s32", sat);
                mma(8, 8, 32, "s32", a + "4", b + "4", "s32", sat);
                mma(16, 8, 32, "s32", a + "4", b + "4", "s32", sat);
                mma(16, 8, 64, "s32", a + "4", b + "4", "s32", sat);
                mma(16, 8, 32, "s32", a + "8", b + "8", "s32", sat, true);
                mma(16, 8, 64, "s32", a + "8", b + "8", "s32", sat, true);
                mma(16, 8, 64, "s32", a + "4", b + "4", "s32", sat, true);
                mma(16, 8, 128, "s32", a + "4", b + "4", "s32", sat, true);
            }
    for (std::string op : {".xor.popc", ".and.popc"}) {
        mma(8, 8, 128, "s32", "b1", "b1", "s32", op);
        mma(16, 8, 128, "s32", "b1", "b1", "s32", op);
        mma(16, 8, 256, "s32", "b1", "b1", "s32", op);
    }
    for (unsigned selector : {0u, 1u, 2u, 3u}) {
        mma(16, 8, 16, "f16", "f16", "f16", "f16", "", true, selector);
        mma(16, 8, 16, "f32", "f16", "f16", "f32", "", true, selector);
        mma(16, 8, 16, "f32", "bf16", "bf16", "f32", "", true, selector);
        mma(16, 8, 8, "f32", "tf32", "tf32", "f32", "", true, selector);
        if (selector > 1) continue;
        mma(16, 8, 32, "f16", "f16", "f16", "f16", "", true, selector);
        mma(16, 8, 32, "f32", "f16", "f16", "f32", "", true, selector);
        mma(16, 8, 32, "f32", "bf16", "bf16", "f32", "", true, selector);
        mma(16, 8, 16, "f32", "tf32", "tf32", "f32", "", true, selector);
        mma(16, 8, 32, "s32", "s8", "u8", "s32", "", true, selector);
        mma(16, 8, 64, "s32", "s4", "u4", "s32", "", true, selector);
        mma(16, 8, 32, "f32", "f16", "f16", "f32", "", true, selector, ".row.col", ".sp");
        mma(16, 8, 32, "s32", "s8", "s8", "s32", "", true, selector, ".row.col", ".sp");
    }
    for (std::string a : {"e4m3", "e5m2"})
        for (std::string b : {"e4m3", "e5m2"}) mma(16, 8, 64, "f32", a, b, "f32", "", true, 0);
    const unsigned shapes[3][3] = {{16, 16, 16}, {8, 32, 16}, {32, 8, 16}};
    for (auto& s : shapes)
        for (auto& l : layouts) {
            for (std::string d : {"f16", "f32"})
                for (std::string c : {"f16", "f32"}) wmma(s[0], s[1], s[2], d, "f16", "f16", c, "", l);
            wmma(s[0], s[1], s[2], "f32", "bf16", "bf16", "f32", "", l);
            for (std::string sat : {"", ".satfinite"})
                for (std::string t : {"s8", "u8"}) wmma(s[0], s[1], s[2], "s32", t, t, "s32", sat, l);
        }
    for (auto& l : layouts) {
        wmma(16, 16, 8, "f32", "tf32", "tf32", "f32", "", l);
        wmma(8, 8, 4, "f64", "f64", "f64", "f64", "", l);
    }
    for (std::string sat : {"", ".satfinite"})
        for (std::string t : {"s4", "u4"}) wmma(8, 8, 32, "s32", t, t, "s32", sat);
    wmma(8, 8, 128, "s32", "b1", "b1", "s32", "", ".row.col", ".xor.popc");
    wmma(8, 8, 128, "s32", "b1", "b1", "s32", "", ".row.col", ".and.popc");
    return all;
}

/// A fragment load whose element placement is recorded: which matrix element each lane's fragment element holds.
struct MapForm {
    std::string name;  ///< "wmma.load.a.sync.aligned.row.m16n16k16.f16"
    char operand;      ///< 'a', 'b' or 'c'
    unsigned rows, cols;
    Format type;
    bool row_major;
    unsigned words;  ///< 32-bit words a lane receives
};
inline std::vector<MapForm> map_forms() {
    std::vector<MapForm> all;
    const auto add = [&](unsigned m, unsigned n, unsigned k, char operand, std::string type, bool row, unsigned words) {
        const unsigned rows = operand == 'b' ? k : m, cols = operand == 'a' ? k : n;
        std::string name = std::string("wmma.load.") + operand + ".sync.aligned." + (row ? "row" : "col") + ".m" +
                           std::to_string(m) + "n" + std::to_string(n) + "k" + std::to_string(k) + "." + type;
        all.push_back({name, operand, rows, cols, format(type), row, words});
    };
    const unsigned shapes[3][3] = {{16, 16, 16}, {8, 32, 16}, {32, 8, 16}};
    for (bool row : {true, false}) {
        for (auto& s : shapes) {
            const unsigned m = s[0], n = s[1], k = s[2];
            for (char o : {'a', 'b'}) {
                const unsigned side = o == 'a' ? m : n;
                add(m, n, k, o, "f16", row, 8);
                add(m, n, k, o, "bf16", row, side / 4);
                for (std::string t : {"s8", "u8"}) add(m, n, k, o, t, row, side / 8);
            }
            add(m, n, k, 'c', "f16", row, 4);
            add(m, n, k, 'c', "f32", row, 8);
            add(m, n, k, 'c', "s32", row, 8);
        }
        for (char o : {'a', 'b'}) add(16, 16, 8, o, "tf32", row, 4), add(8, 8, 4, o, "f64", row, 2);
        add(16, 16, 8, 'c', "f32", row, 8);
        add(8, 8, 4, 'c', "f64", row, 4);
        add(8, 8, 32, 'c', "s32", row, 2);
        add(8, 8, 128, 'c', "s32", row, 2);
    }
    for (std::string t : {"s4", "u4"}) add(8, 8, 32, 'a', t, true, 1), add(8, 8, 32, 'b', t, false, 1);
    add(8, 8, 128, 'a', "b1", true, 1);
    add(8, 8, 128, 'b', "b1", false, 1);
    return all;
}

/// ldmatrix, stmatrix and movmatrix: what the instruction does with 32 x 4 words. Lane l's row address is row
/// (5 l + 3) mod 32 of 32 rows of 16 bytes, so that lanes and rows differ.
struct MoveForm {
    std::string ptx;
    unsigned registers;
    bool store, memory;  ///< stmatrix; ldmatrix or stmatrix
};
inline unsigned move_row(unsigned lane) { return (5 * lane + 3) % 32; }
inline std::vector<MoveForm> move_forms() {
    std::vector<MoveForm> all;
    for (unsigned x : {1u, 2u, 4u})
        for (std::string trans : {"", ".trans"})
            for (std::string op : {"ldmatrix", "stmatrix"})
                all.push_back({op + ".sync.aligned.m8n8.x" + std::to_string(x) + trans + ".shared.b16", x,
                               op == "stmatrix", true});
    all.push_back({"movmatrix.sync.aligned.m8n8.trans.b16", 1, false, false});
    return all;
}
/// 128 words: the shared memory before a load (row-major rows of 4 words), or registers [register][lane].
inline std::vector<std::uint32_t> move_input(const MoveForm& form) {
    Random r{fingerprint(form.ptx)};
    std::vector<std::uint32_t> words(128);
    for (auto& w : words) w = std::uint32_t(r.next());
    return words;
}

}  // namespace probes
