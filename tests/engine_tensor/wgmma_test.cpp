// Every form of wgmma.mma_async, dense and sparse, against what an H200 computed, bit for bit.
#include <gtest/gtest.h>

#include "engine/tensor/wgmma.hpp"
#include "golden.hpp"
#include "probes_wgmma.hpp"

namespace wgmma_test {

using namespace warpwright;
using probes::WgmmaProbe;
using Words = std::vector<std::uint32_t>;

/// The instruction and its form; the form refers to the instruction.
struct Decoded {
    simt::Details instruction;
    engine::WgmmaForm form;
};
std::unique_ptr<Decoded> decoded(const WgmmaProbe& p) {
    std::string text = p.ptx + " " + golden::list(p.d.name == "f32" ? "f" : "r", p.d_words()) + ", ";
    text += p.a_registers ? "{%e, %e, %e, %e}, %addr" : "%addr, %addr";
    unsigned inputs = p.d_words() + (p.a_registers ? 4 : 1) + 2;
    if (p.sparse) text += ", %e, " + std::to_string(p.selector), inputs += 2;
    text += ", %p";
    if (!p.integer()) text += ", " + std::to_string(p.a_sign) + ", " + std::to_string(p.b_sign), inputs += 2;
    if (p.a.bits == 16) {
        if (!p.a_registers) text += p.a_transposed ? ", 1" : ", 0", ++inputs;
        text += p.b_transposed ? ", 1" : ", 0", ++inputs;
    }
    auto out = std::make_unique<Decoded>();
    auto i = golden::instruction(text);
    EXPECT_TRUE(i.ok()) << text << ": " << i.error().text();
    if (!i.ok()) return nullptr;
    out->instruction = *i;
    auto form = engine::decode_wgmma(out->instruction, inputs);
    EXPECT_TRUE(form.ok()) << text << ": " << form.error().text();
    if (!form.ok()) return nullptr;
    out->form = *form;
    return out;
}

/// Rows of A or columns of B out of shared memory, by the descriptor's own arithmetic.
std::vector<std::uint8_t> fetched(std::uint64_t descriptor, bool transposed, unsigned first, unsigned count,
                                  unsigned bytes, const Words& image) {
    const engine::MatrixDescriptor d(descriptor);
    const auto* from = reinterpret_cast<const std::uint8_t*>(image.data());
    std::vector<std::uint8_t> out(std::size_t(count) * bytes);
    for (unsigned o = 0; o < count; ++o)
        for (unsigned at = 0; at < bytes; ++at) {
            const unsigned row = first + o;
            const unsigned place = transposed ? d.place(true, at / 2, row / 8) + row % 8 * 2 + at % 2
                                              : d.place(false, row, at / 16) + at % 16;
            out[o * bytes + at] = from[place];
        }
    return out;
}

Words run(const WgmmaProbe& p, const engine::WgmmaForm& form, const probes::WgmmaInputs& in) {
    const Words image = probes::image(p, in);
    const auto b = fetched(probes::layout_b(p).descriptor(probes::kWgmmaB), p.b_transposed, 0, p.n, p.b_bytes(), image);
    Words d = in.c;
    for (unsigned warp = 0; warp < 4; ++warp) {
        std::vector<std::uint8_t> a;
        if (p.a_registers) {
            const auto* rows = reinterpret_cast<const std::uint8_t*>(in.a.data()) + warp * 16 * 32;
            a.assign(rows, rows + 16 * 32);
        } else {
            a = fetched(probes::layout_a(p).descriptor(0), p.a_transposed, warp * 16, 16, 32, image);
        }
        Words mine(p.d_words() * 32);
        for (unsigned w = 0; w < p.d_words(); ++w)
            for (unsigned l = 0; l < 32; ++l) mine[w * 32 + l] = d[w * 128 + warp * 32 + l];
        engine::run_wgmma(form, a.data(), b.data(), true, mine.data(), in.e.data() + warp * 32);
        for (unsigned w = 0; w < p.d_words(); ++w)
            for (unsigned l = 0; l < 32; ++l) d[w * 128 + warp * 32 + l] = mine[w * 32 + l];
    }
    return d;
}

template <class Choose>
unsigned compare(Choose choose) {
    unsigned forms = 0;
    for (const WgmmaProbe& p : probes::wgmma_probes()) {
        if (!choose(p)) continue;
        const auto& recorded = golden::wgmma().forms;
        const auto record = recorded.find({p.name(), 0});
        if (record == recorded.end()) {
            ADD_FAILURE() << "not in the golden file: " << p.name();
            continue;
        }
        EXPECT_EQ(record->second.fingerprints.size(), p.cases) << p.name();
        const auto form = decoded(p);
        if (!form) continue;
        ++forms;
        unsigned different = 0, first = 0, kinds = 0;
        for (unsigned i = 0; i < p.cases; ++i) {
            const Words d = run(p, form->form, probes::inputs(p, i));
            const std::uint64_t h = probes::fingerprint(d.data(), d.size());
            if (std::uint32_t(h ^ (h >> 32)) == record->second.fingerprints[i]) continue;
            if (different++ == 0) first = i;
            kinds |= 1u << i % probes::kinds;
        }
        EXPECT_EQ(different, 0u) << p.name() << ": of " << p.cases << ", first " << first << ", kinds " << std::hex
                                 << kinds;
    }
    return forms;
}

bool eight_bit_float(const WgmmaProbe& p) { return p.a.bits == 8 && !p.integer(); }

TEST(WgmmaGolden, Dense) {
    EXPECT_EQ(compare([](const WgmmaProbe& p) { return !p.sparse && !eight_bit_float(p); }), 43u);
}
TEST(WgmmaGolden, DenseEightBitFloats) {
    EXPECT_EQ(compare([](const WgmmaProbe& p) { return !p.sparse && eight_bit_float(p); }), 21u);
}
TEST(WgmmaGolden, Sparse) {
    EXPECT_EQ(compare([](const WgmmaProbe& p) { return p.sparse && !eight_bit_float(p); }), 51u);
}
TEST(WgmmaGolden, SparseEightBitFloats) {
    EXPECT_EQ(compare([](const WgmmaProbe& p) { return p.sparse && eight_bit_float(p); }), 21u);
}

}  // namespace wgmma_test
