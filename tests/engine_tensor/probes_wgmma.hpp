// The probe inputs of wgmma.mma_async, dense and sparse, and the list of forms. tools/record_wgmma.cpp runs them on a
// GPU; the tests make the same inputs from the same seeds and compare. Changing an input here makes the golden file
// void.
#pragma once

#include "probes.hpp"

namespace probes {

struct WgmmaProbe {
    std::string ptx;  ///< the instruction's name as PTX spells it
    bool sparse = false, a_registers = false, a_transposed = false, b_transposed = false;
    unsigned selector = 0, n = 16, k = 16, swizzle = 0;
    int a_sign = 1, b_sign = 1;
    Format a, b, d;
    unsigned cases = 0;

    std::string name() const {
        std::string s = ptx + (a_registers ? " registers" : "") + " swizzle " + std::to_string(swizzle);
        if (a_transposed) s += " a^T";
        if (b_transposed) s += " b^T";
        if (a_sign < 0) s += " -a";
        if (b_sign < 0) s += " -b";
        return s + " selector " + std::to_string(selector);
    }
    unsigned a_bytes() const { return 32; }                ///< of a row along k
    unsigned b_bytes() const { return sparse ? 64 : 32; }  ///< of a column
    unsigned d_words() const { return n / (d.name == "f16" ? 4 : 2); }
    bool integer() const { return a.exponent == 0; }
};

struct WgmmaInputs {
    std::vector<std::uint32_t> a, b, c, e;  ///< a: [64][8 words], b: [n][8 or 16], c: [word][128], e: [128]
};

inline WgmmaInputs inputs(const WgmmaProbe& p, unsigned index) {
    Random r{fingerprint(p.name()) + 0x1234567ull * index};
    const unsigned kind = index % kinds;
    WgmmaInputs in;
    fill(in.a, 64 * 8, p.a, false, kind, r);
    fill(in.b, p.n * p.b_bytes() / 4, p.b, false, kind, r);
    fill(in.c, 128 * p.d_words(), p.d, true, p.integer() ? r.below(4) : kind, r);
    const bool one_of_two = p.a.name == "tf32";
    for (unsigned t = 0; t < 128; ++t) {
        std::uint32_t word = 0;
        for (unsigned nibble = 0; nibble < 8; ++nibble) {
            const std::uint32_t pairs[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe}, single[] = {0x4, 0xe};
            word |= (one_of_two ? single[r.below(2)] : pairs[r.below(6)]) << (4 * nibble);
        }
        in.e.push_back(word);
    }
    return in;
}

/// Where 2^n bytes of a matrix lie in shared memory (what the descriptors say): `outer` rows of A or columns of B, each
/// of `bytes` along k; transposed (16-bit elements): k by k.
struct WgmmaLayout {
    unsigned swizzle, bytes, outer;
    bool transposed;
    unsigned leading() const { return transposed ? (swizzle ? 8 * swizzle : 16 * outer) : 128; }
    unsigned stride() const { return transposed ? (swizzle ? 16 * outer : 128) : swizzle ? 8 * swizzle : 8 * bytes; }
    unsigned size() const { return transposed ? bytes * outer : outer * (swizzle ? swizzle : bytes); }
    /// Of byte `at` of row `o`.
    unsigned place(unsigned o, unsigned at) const {
        if (!transposed) {
            if (swizzle == 0) return o / 8 * 8 * bytes + at / 16 * 128 + o % 8 * 16 + at % 16;
            const unsigned flat = o * swizzle + at;
            return flat ^ ((flat >> 7 & (swizzle / 16 - 1)) << 4);
        }
        const unsigned k = at / 2;
        if (swizzle == 0) return k / 8 * 16 * outer + o / 8 * 128 + k % 8 * 16 + o % 8 * 2 + at % 2;
        const unsigned across = swizzle / 2;
        const unsigned flat = k / 8 * 16 * outer + o / across * 8 * swizzle + k % 8 * swizzle + o % across * 2 + at % 2;
        return flat ^ ((flat >> 7 & (swizzle / 16 - 1)) << 4);
    }
    std::uint64_t descriptor(unsigned start) const {
        const std::uint64_t mode = swizzle == 128 ? 1 : swizzle == 64 ? 2 : swizzle == 32 ? 3 : 0;
        return start >> 4 | std::uint64_t(leading() >> 4) << 16 | std::uint64_t(stride() >> 4) << 32 | mode << 62;
    }
    void put(const std::vector<std::uint32_t>& rows, std::uint8_t* image) const {
        for (unsigned o = 0; o < outer; ++o)
            for (unsigned at = 0; at < bytes; ++at)
                image[place(o, at)] = std::uint8_t(rows[(o * bytes + at) / 4] >> (8 * (at % 4)));
    }
};
inline WgmmaLayout layout_a(const WgmmaProbe& p) { return {p.swizzle, p.a_bytes(), 64, p.a_transposed}; }
inline WgmmaLayout layout_b(const WgmmaProbe& p) { return {p.swizzle, p.b_bytes(), p.n, p.b_transposed}; }
constexpr unsigned kWgmmaB = 8192;  ///< where B begins in the image; A is at 0

/// Shared memory of a case: a multiple of 2048 bytes.
inline std::vector<std::uint32_t> image(const WgmmaProbe& p, const WgmmaInputs& in) {
    std::vector<std::uint32_t> words((kWgmmaB + layout_b(p).size() + 2047) / 2048 * 512, 0x7f7f7f7f);
    auto* bytes = reinterpret_cast<std::uint8_t*>(words.data());
    layout_a(p).put(in.a, bytes);
    layout_b(p).put(in.b, bytes + kWgmmaB);
    return words;
}
/// A as registers: [thread][4].
inline std::vector<std::uint32_t> registers_of(const WgmmaInputs& in) {
    std::vector<std::uint32_t> words(512);
    for (unsigned t = 0; t < 128; ++t)
        for (unsigned w = 0; w < 4; ++w)
            words[t * 4 + w] = in.a[(t / 32 * 16 + t % 32 / 4 + w % 2 * 8) * 8 + w / 2 * 4 + t % 4];
    return words;
}

inline std::vector<WgmmaProbe> wgmma_probes() {
    std::vector<WgmmaProbe> all;
    const auto add = [&](bool sparse, unsigned n, std::string d, std::string a, std::string b,
                         std::string suffix = "") -> WgmmaProbe& {
        WgmmaProbe p;
        p.sparse = sparse, p.n = n;
        p.a = format(a), p.b = format(b), p.d = format(d);
        p.k = (sparse ? 512 : 256) / p.a.bits;
        p.ptx = std::string("wgmma.mma_async") + (sparse ? ".sp" : "") + ".sync.aligned.m64n" + std::to_string(n) +
                "k" + std::to_string(p.k) + "." + d + "." + a + "." + b + suffix;
        p.cases = p.integer() ? 12 : 8 * kinds;
        all.push_back(p);
        return all.back();
    };
    for (bool sparse : {false, true}) {
        // selectors: 16-bit and tf32 metadata sits in two lanes of four
        const unsigned selectors = sparse ? 2 : 1;
        for (unsigned s = 0; s < selectors; ++s)
            for (bool registers : {false, true}) {
                for (auto [d, a] : {std::pair{"f32", "f16"}, {"f16", "f16"}, {"f32", "bf16"}, {"f32", "tf32"}}) {
                    auto& p = add(sparse, 16, d, a, a);
                    p.a_registers = registers, p.selector = s;
                }
            }
        for (bool registers : {false, true}) {
            for (std::string a : {"e4m3", "e5m2"})
                for (std::string b : {"e4m3", "e5m2"})
                    for (std::string d : {"f32", "f16"}) add(sparse, 16, d, a, b).a_registers = registers;
            for (std::string a : {"s8", "u8"})
                for (std::string b : {"s8", "u8"}) add(sparse, 16, "s32", a, b).a_registers = registers;
            add(sparse, 16, "s32", "s8", "s8", ".satfinite").a_registers = registers;
        }
        for (std::string a : {"bf16", "f16"})
            for (unsigned swizzle : {0u, 128u})
                for (unsigned which : {1u, 2u, 3u}) {
                    auto& p = add(sparse, 64, "f32", a, a);
                    p.swizzle = swizzle, p.a_transposed = which & 1, p.b_transposed = which & 2, p.cases = kinds;
                }
        for (unsigned swizzle : {64u, 128u})
            for (auto [d, a] : {std::pair{"f32", "f16"}, {"f32", "tf32"}, {"f32", "e4m3"}, {"s32", "s8"}}) {
                auto& p = add(sparse, 32, d, a, a);
                p.swizzle = swizzle, p.cases = kinds;
            }
        for (auto [x, y] : {std::pair{-1, 1}, {1, -1}, {-1, -1}})
            for (std::string a : {"bf16", "e4m3"}) {
                auto& p = add(sparse, 8, "f32", a, a);
                p.a_sign = x, p.b_sign = y, p.cases = 2 * kinds;
            }
        for (unsigned n : {8u, 24u, 128u, 256u}) add(sparse, n, "f32", "bf16", "bf16").cases = kinds;
    }
    return all;
}

/// Metadata experiments: a product whose result says which column of A each stored element stands for. B is the unit
/// matrix (n = k), stored column `index` of A is one, the others zero.
inline std::vector<WgmmaProbe> wgmma_maps() {
    std::vector<WgmmaProbe> all;
    for (unsigned s : {0u, 1u})
        for (auto [d, a] : {std::pair{"f32", "bf16"}, {"f32", "tf32"}, {"f32", "e4m3"}, {"s32", "s8"}}) {
            WgmmaProbe p;
            p.sparse = true, p.selector = s;
            p.a = p.b = format(a), p.d = format(d);
            if (s == 1 && p.a.bits == 8) continue;
            p.k = p.n = 512 / p.a.bits;
            p.cases = p.k / 2;
            p.ptx = "wgmma.mma_async.sp.sync.aligned.m64n" + std::to_string(p.n) + "k" + std::to_string(p.k) + "." + d +
                    "." + a + "." + a;
            all.push_back(p);
        }
    return all;
}
inline WgmmaInputs map_inputs(const WgmmaProbe& p, unsigned index) {
    WgmmaInputs in = inputs(p, 0);
    const std::uint32_t one = p.a.name == "bf16"   ? 0x3f80
                              : p.a.name == "tf32" ? 0x3f800000
                              : p.a.name == "e4m3" ? 0x38
                                                   : 1;
    const unsigned per = 32 / p.a.bits;
    in.a.assign(in.a.size(), 0), in.b.assign(in.b.size(), 0), in.c.assign(in.c.size(), 0);
    for (unsigned r = 0; r < 64; ++r) in.a[r * 8 + index / per] = one << (index % per * p.a.bits);
    for (unsigned j = 0; j < p.n; ++j) in.b[j * 16 + j / per] = one << (j % per * p.a.bits);
    return in;
}

}  // namespace probes
