// Fragment layouts: ISA sections "Matrix Fragments for mma.<shape>" and, for wmma, the placement recorded on an H200,
// which is that of the mma.m16n8 instructions wmma is made of (m8n32k16 computes the transpose).
#include <map>
#include <memory>
#include <mutex>

#include "engine/tensor/plan.hpp"

namespace warpwright::engine {

namespace {

using simt::Type;

/// m8n8k4 on f16: each quad pair (lanes 4q..4q+3 and 16+4q..16+4q+3) computes a product of its own.
bool quad_pairs(const MmaForm& f) { return !f.wmma && f.m == 8 && f.k == 4 && f.a == Type::f16; }

Element place_quad_pair(const MmaForm& f, char operand, unsigned lane, unsigned word, unsigned index, Type type) {
    const unsigned half = lane < 16 ? 0 : 4, q = lane & 3;
    const unsigned i = fragment_bits(type) == 32 ? word : word * 2 + index;
    switch (operand) {
        case 'a':
            return f.a_row ? Element{q + half, i} : Element{i % 4 + half, q};
        case 'b':
            return f.b_col ? Element{i, q + half} : Element{q, i % 4 + half};
        default:
            if (type == Type::f16) return {q + half, i};
            return {(lane & 1) + (i & 2) + half, (i & 4) + (lane & 2) + (i & 1)};
    }
}

/// An operand seen as outer x K, its K along the lanes of a quad: `outer_first` says whether a second word is the
/// next 8 outer indices (A of 16 or 32 rows) or the next piece of K (B of 8 or 16 columns).
void place_operand(unsigned outer_size, unsigned k, unsigned per_word, bool outer_first, unsigned lane, unsigned word,
                   unsigned index, unsigned* outer, unsigned* kk) {
    const unsigned chunks = k / (4 * per_word), g = lane >> 2, t = lane & 3;
    unsigned chunk = 0, block = 0;
    word %= chunks * (outer_size / 8);  // the f16 fragments of wmma hold further copies
    if (outer_first && outer_size > 8) {
        chunk = (word >> 1) % chunks;
        block = (word & 1) + 2 * ((word >> 1) / chunks);
    } else {
        chunk = word % chunks;
        block = word / chunks;
    }
    *outer = g + 8 * block;
    *kk = t * per_word + index + chunk * 4 * per_word;
}

}  // namespace

unsigned fragment_bits(Type type) { return type == Type::tf32 ? 32 : simt::bits(type); }

unsigned operand_words(const MmaForm& f, char operand) {
    if (quad_pairs(f)) {
        const Type type = operand == 'c' ? f.c : f.d;
        return operand == 'a' || operand == 'b' ? 2 : type == Type::f16 ? 4 : 8;
    }
    switch (operand) {
        case 'a':
            return f.wmma && f.a == Type::f16 ? 8 : f.m * (f.sparse ? f.k / 2 : f.k) * fragment_bits(f.a) / 1024;
        case 'b':
            return f.wmma && f.b == Type::f16 ? 8 : f.n * f.k * fragment_bits(f.b) / 1024;
        case 'c':
            return f.m * f.n * fragment_bits(f.c) / 1024;
        default:
            return f.m * f.n * fragment_bits(f.d) / 1024;
    }
}

Element place(const MmaForm& f, char operand, unsigned lane, unsigned word, unsigned index, unsigned* product) {
    const Type type = operand == 'a' ? f.a : operand == 'b' ? f.b : operand == 'c' ? f.c : f.d;
    if (product) *product = 0;
    if (quad_pairs(f)) {
        if (product) *product = (lane & 15) >> 2;
        return place_quad_pair(f, operand, lane, word, index, type);
    }
    const unsigned bits = fragment_bits(type), per_word = bits >= 32 ? 1 : 32 / bits;
    unsigned outer = 0, kk = 0;
    if (operand == 'a') {
        place_operand(f.m, f.sparse ? f.k / 2 : f.k, per_word, true, lane, word, index, &outer, &kk);
        return {outer, kk};
    }
    if (operand == 'b') {
        place_operand(f.n, f.k, per_word, f.n == 32, lane, word, index, &outer, &kk);
        return {kk, outer};
    }
    const unsigned i = per_word == 1 ? word : word * 2 + index, g = lane >> 2, pair = 2 * (lane & 3) + (i & 1),
                   block = i >> 1;
    if (f.m == 8 && f.n == 32) return {pair, g + 8 * block};
    const unsigned row_blocks = f.m / 8;
    return {g + 8 * (block % row_blocks), pair + 8 * (block / row_blocks)};
}

void metadata_place(const MmaForm& f, unsigned lanes, unsigned row, unsigned q, unsigned* lane, unsigned* bit) {
    // A lane's word holds eight index pairs: four of row g and four of row g + 8 for the 16- and 32-bit types, eight of
    // one row for the narrower ones.
    const unsigned g = row & 7, high = row >> 3, first = 4 * g + lanes * (lanes < 4 ? f.selector : 0);
    if (fragment_bits(f.a) >= 16) {
        *lane = first + q / 4;
        *bit = 16 * high + 4 * (q % 4);
    } else {
        *lane = first + high + 2 * (q / 8);
        *bit = 4 * (q % 8);
    }
}

namespace {

void fill_table(const MmaForm& f, char operand, unsigned products, std::vector<std::uint16_t>& table, unsigned rows,
                unsigned cols) {
    const Type type = operand == 'a' ? f.a : operand == 'b' ? f.b : operand == 'c' ? f.c : f.d;
    const unsigned bits = fragment_bits(type), per_word = bits >= 32 ? 1 : 32 / bits;
    const unsigned registers = operand_words(f, operand) / (bits == 64 ? 2 : 1);
    table.assign(std::size_t(products) * rows * cols, 0xffff);
    for (unsigned word = registers; word-- > 0;)  // backwards: of several copies the first counts
        for (unsigned index = 0; index < per_word; ++index)
            for (unsigned lane = 0; lane < 32; ++lane) {
                unsigned product = 0;
                const Element e = place(f, operand, lane, word, index, &product);
                const unsigned col = operand == 'a' ? e.col : (e.col & ~7u) + ((e.col >> 1) & 3) + 4 * (e.col & 1);
                table[(product * rows + e.row) * cols + col] = std::uint16_t((word * per_word + index) * 32 + lane);
            }
}

MmaKernel kernel_of(const MmaForm& f) {
    switch (f.a) {
        case Type::f64:
            return run_f64_mma;
        case Type::f16:
        case Type::bf16:
        case Type::tf32:
        case Type::e4m3:
        case Type::e5m2:
            return run_float_mma;
        default:
            return run_integer_mma;
    }
}

}  // namespace

const MmaPlan* plan_of(const MmaForm& f) {
    using Key = std::vector<unsigned>;
    static std::mutex mutex;
    static std::map<Key, std::unique_ptr<MmaPlan>> plans;
    const Key key = {f.m,           f.n,    f.k,     unsigned(f.a), unsigned(f.b), unsigned(f.c),
                     unsigned(f.d), f.wmma, f.a_row, f.b_col,       f.sparse};
    const std::lock_guard lock(mutex);
    auto& slot = plans[key];
    if (slot) return slot.get();
    auto plan = std::make_unique<MmaPlan>();
    plan->products = quad_pairs(f) ? 4 : 1;
    plan->stored_k = f.sparse ? f.k / 2 : f.k;
    const bool fp8 = f.a == Type::e4m3 || f.a == Type::e5m2;
    plan->group_k = fp8 ? plan->stored_k / 2 : f.wmma && f.a == Type::tf32 ? 4 : plan->stored_k;
    for (unsigned half = 0; half < (fp8 ? 2u : 1u); ++half)
        for (unsigned s = 0; s < plan->stored_k; ++s)
            if (!fp8 || ((s >> 1) & 1) == half) plan->order.push_back(std::uint16_t(s));
    plan->counts = {operand_words(f, 'a'), operand_words(f, 'b'), operand_words(f, 'c'), operand_words(f, 'd')};
    fill_table(f, 'a', plan->products, plan->a, f.m, plan->stored_k);
    fill_table(f, 'b', plan->products, plan->b, f.k, f.n);
    fill_table(f, 'c', plan->products, plan->c, f.m, f.n);
    fill_table(f, 'd', plan->products, plan->d, f.m, f.n);
    plan->runs = plan->products == 1;
    for (std::size_t i = 0; i < plan->c.size() && plan->runs; ++i)
        plan->runs = i % 4 == 0 || (plan->c[i] == plan->c[i - 1] + 1 && plan->d[i] == plan->d[i - 1] + 1);
    plan->tiles = tiles_of(f, *plan);
    plan->kernel = kernel_of(f);
    slot = std::move(plan);
    return slot.get();
}

}  // namespace warpwright::engine
