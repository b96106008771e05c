// Every matrix product against what an H200 computed, bit for bit.
#include <gtest/gtest.h>

#include "engine/tensor/plan.hpp"
#include "golden.hpp"
#include "probes.hpp"

namespace mma_test {

using namespace warpwright;
using engine::MmaForm;
using Words = std::vector<std::uint32_t>;

std::string operand(const probes::Format& type, bool accumulator, unsigned words) {
    if (type.name == "f64") return golden::list("d", words / 2);
    return golden::list(accumulator && type.name == "f32" ? "f" : "r", words);
}

MmaForm decoded(const probes::Form& f) {
    const auto words = [&](char o) {
        if (f.wmma && f.a.name == "f16" && (o == 'a' || o == 'b')) return 8u;
        return unsigned(probes::operand_words(f, o) / 32);
    };
    std::string text = f.ptx + " " + operand(f.d, true, words('d')) + ", " + operand(f.a, false, words('a')) + ", " +
                       operand(f.b, false, words('b')) + ", " + operand(f.c, true, words('c'));
    if (f.sparse) text += ", %e, " + std::to_string(f.selector);
    const auto i = golden::instruction(text);
    EXPECT_TRUE(i.ok()) << f.ptx << ": " << i.error().text();
    if (!i.ok()) return {};
    const auto form = engine::decode_mma(*i);
    EXPECT_TRUE(form.ok()) << f.ptx << ": " << form.error().text();
    return form.ok() ? *form : MmaForm{};
}

/// 64-bit elements [element][lane][2] <-> words [element][2][lane].
Words split_f64(const Words& in) {
    Words out(in.size());
    for (std::size_t i = 0; i < in.size() / 2; ++i)
        out[i / 32 * 64 + i % 32] = in[2 * i], out[i / 32 * 64 + 32 + i % 32] = in[2 * i + 1];
    return out;
}
Words join_f64(const Words& in) {
    Words out(in.size());
    for (std::size_t i = 0; i < in.size() / 2; ++i)
        out[2 * i] = in[i / 32 * 64 + i % 32], out[2 * i + 1] = in[i / 32 * 64 + 32 + i % 32];
    return out;
}

/// What wmma.load and wmma.store of the emulation do, by the maps that the engine uses.
engine::WmmaMap map_of(const probes::Form& f, char o, bool row) {
    const probes::Format& type = o == 'a' ? f.a : o == 'b' ? f.b : o == 'c' ? f.c : f.d;
    std::string shape = "m" + std::to_string(f.m) + "n" + std::to_string(f.n) + "k" + std::to_string(f.k);
    const unsigned words = f.a.name == "f16" && (o == 'a' || o == 'b') ? 8 : unsigned(probes::operand_words(f, o) / 32);
    const std::string regs = operand(type, o == 'c' || o == 'd', words);
    const std::string what = std::string(o == 'd' ? "wmma.store." : "wmma.load.") + o + ".sync.aligned." +
                             (row ? "row" : "col") + "." + shape + "." + type.name;
    const auto i = golden::instruction(what + (o == 'd' ? " [%addr], " + regs + ", 64" : " " + regs + ", [%addr], 64"));
    EXPECT_TRUE(i.ok()) << i.error().text();
    if (!i.ok()) return {};
    const auto map = engine::decode_wmma_memory(*i);
    EXPECT_TRUE(map.ok()) << map.error().text();
    return map.ok() ? *map : engine::WmmaMap{};
}
template <class Visit>
void each_element(const engine::WmmaMap& map, Visit visit) {
    const unsigned stride = map.row_major ? map.cols : map.rows;
    for (unsigned reg = 0; reg < map.registers; ++reg)
        for (unsigned index = 0; index < map.per_register; ++index)
            for (unsigned lane = 0; lane < 32; ++lane) {
                const engine::Element e = map.element(lane, reg, index);
                const std::size_t bit =
                    (map.row_major ? std::size_t(e.row) * stride + e.col : std::size_t(e.col) * stride + e.row) *
                    map.element_bits;
                EXPECT_EQ(map.offset(lane, reg, index, stride), bit / 8);
                visit(bit, reg, index, lane);
            }
}
Words load(const engine::WmmaMap& map, const Words& memory) {
    Words out(map.registers * (map.element_bits == 64 ? 64 : 32));
    each_element(map, [&](std::size_t bit, unsigned reg, unsigned index, unsigned lane) {
        if (map.element_bits == 64) {
            out[reg * 64 + lane] = memory[bit / 32], out[reg * 64 + 32 + lane] = memory[bit / 32 + 1];
            return;
        }
        const std::uint32_t mask = map.element_bits == 32 ? ~0u : (1u << map.element_bits) - 1;
        out[reg * 32 + lane] |= (memory[bit / 32] >> (bit % 32) & mask) << (index * map.element_bits % 32);
    });
    return out;
}
Words store(const engine::WmmaMap& map, const Words& registers, std::size_t words) {
    Words out(words);
    each_element(map, [&](std::size_t bit, unsigned reg, unsigned index, unsigned lane) {
        if (map.element_bits == 64) {
            out[bit / 32] = registers[reg * 64 + lane], out[bit / 32 + 1] = registers[reg * 64 + 32 + lane];
            return;
        }
        const std::uint32_t mask = map.element_bits == 32 ? ~0u : (1u << map.element_bits) - 1;
        out[bit / 32] |= (registers[reg * 32 + lane] >> (index * map.element_bits % 32) & mask) << (bit % 32);
    });
    return out;
}

Words run(const probes::Form& f, const MmaForm& form, unsigned index, const engine::WmmaMap maps[4]) {
    const auto in = probes::inputs(f, index);
    const auto counts = engine::register_counts(form);
    Words d(counts.d * 32, 0xdeadbeef);
    const std::size_t words = probes::operand_words(f, 'd');
    if (f.wmma) {
        engine::run_mma(form, load(maps[0], in.a).data(), load(maps[1], in.b).data(), load(maps[2], in.c).data(),
                        d.data(), nullptr);
        return store(maps[3], d, words);
    }
    const bool f64 = f.a.name == "f64";
    const Words a = f64 ? split_f64(in.a) : in.a, b = f64 ? split_f64(in.b) : in.b, c = f64 ? split_f64(in.c) : in.c;
    engine::run_mma(form, a.data(), b.data(), c.data(), d.data(), in.e.data());
    return f64 ? join_f64(d) : d;
}

/// Compares every case of the forms that `choose` takes; returns how many forms there were.
template <class Choose>
unsigned compare(Choose choose, unsigned step = 1) {
    unsigned forms = 0;
    for (const probes::Form& f : probes::forms()) {
        if (!choose(f)) continue;
        const auto record = golden::file().forms.find({f.ptx, f.selector});
        if (record == golden::file().forms.end()) {
            ADD_FAILURE() << "not in the golden file: " << f.ptx;
            continue;
        }
        EXPECT_EQ(record->second.fingerprints.size(), f.cases) << f.ptx;
        const MmaForm form = decoded(f);
        if (!form.plan) continue;
        ++forms;
        engine::WmmaMap maps[4];
        if (f.wmma)
            maps[0] = map_of(f, 'a', f.a_row), maps[1] = map_of(f, 'b', !f.b_col), maps[2] = map_of(f, 'c', true),
            maps[3] = map_of(f, 'd', true);
        unsigned different = 0, first = 0;
        for (unsigned i = 0; i < f.cases; i += step) {
            const Words d = run(f, form, i, maps);
            const std::uint64_t h = probes::fingerprint(d.data(), d.size());
            if (std::uint32_t(h ^ (h >> 32)) != record->second.fingerprints[i] && different++ == 0) first = i;
        }
        EXPECT_EQ(different, 0u) << f.ptx << " selector " << f.selector << ": first differing case " << first
                                 << ", kind " << first % probes::kinds;
    }
    return forms;
}

bool floating(const probes::Form& f) { return f.a.exponent != 0 && f.a.name != "f64"; }

TEST(Mma, DenseFloat) {
    EXPECT_EQ(compare([](const probes::Form& f) { return floating(f) && !f.sparse && !f.wmma; }), 36u);
}
TEST(Mma, SparseFloat) {
    EXPECT_EQ(compare([](const probes::Form& f) { return floating(f) && f.sparse; }), 30u);
}
TEST(Mma, WmmaFloat) {
    EXPECT_EQ(compare([](const probes::Form& f) { return floating(f) && f.wmma; }), 64u);
}
TEST(Mma, F64) {
    EXPECT_EQ(compare([](const probes::Form& f) { return f.a.name == "f64"; }), 11u);
}
TEST(Mma, Integer) {
    EXPECT_EQ(compare([](const probes::Form& f) { return f.a.exponent == 0; }), 146u);
}
TEST(Mma, WithoutCpuSpecificCode) {
    engine::use_portable_sums(true);
    engine::use_portable_exact_loops(true);
    EXPECT_EQ(compare([](const probes::Form&) { return true; }, 7), 287u);
    engine::use_portable_sums(false);
    engine::use_portable_exact_loops(false);
}

TEST(Mma, ResultMayReplaceTheAccumulator) {
    for (const probes::Form& f : probes::forms()) {
        if (f.wmma || f.sparse || f.c.name != f.d.name) continue;
        const MmaForm form = decoded(f);
        const auto in = probes::inputs(f, 0);
        Words d(engine::register_counts(form).d * 32), c = in.c;
        engine::run_mma(form, in.a.data(), in.b.data(), in.c.data(), d.data());
        engine::run_mma(form, in.a.data(), in.b.data(), c.data(), c.data());
        EXPECT_EQ(c, d) << f.ptx;
    }
}

TEST(Mma, Flops) {
    for (const probes::Form& f : probes::forms()) {
        const double products = !f.wmma && f.m == 8 && f.a.name == "f16" ? 4 : 1;
        EXPECT_EQ(engine::flops(decoded(f)), 2.0 * f.m * f.n * f.k * products) << f.ptx;
    }
}

}  // namespace mma_test
