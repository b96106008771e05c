// All operands are taken apart before anything is written, so that a product is made of tiles as a whole or not at all.
#include "engine/tensor/tiles.hpp"

#include <cstring>

#include "engine/tensor/plan.hpp"
#include "engine/tensor/tiles_avx512.hpp"

namespace warpwright::engine {

using simt::Type;

namespace {

constexpr unsigned kRows = 16, kColumns = 8, kK = 16;

bool is_sixteen_bit_float(Type type) { return type == Type::f16 || type == Type::bf16; }

/// The word of a fragment element, where `per_word` elements of a lane share one.
std::uint8_t word_of(std::uint16_t element, unsigned per_word) {
    return static_cast<std::uint8_t>(element / 32 / per_word);
}

/// A column's place in the tables of plans.
unsigned in_table(unsigned column) { return (column & ~7u) + ((column >> 1) & 3) + 4 * (column & 1); }

/// Whether the elements of a, b or c lie in such words as those of mma.m16n8k16. `outer`: the row or column.
bool lies_so(std::uint16_t element, unsigned word, unsigned outer, unsigned k) {
    return element == (word * 2 + k % 2) * 32 + outer % 8 * 4 + k % 8 / 2;
}

bool add_rows(const MmaForm& f, const MmaPlan& plan, unsigned row, TileWords& out) {
    const auto at = [&](unsigned r, unsigned k) { return plan.a[(row + r) * kK + k]; };
    std::array<std::uint8_t, 4> words{};
    for (unsigned w = 0; w < 4; ++w) words[w] = word_of(at(w % 2 * 8, w / 2 * 8), 2);
    for (unsigned r = 0; r < kRows; ++r)
        for (unsigned k = 0; k < kK; ++k)
            if (!lies_so(at(r, k), words[k / 8 * 2 + r / 8], r, k)) return false;
    out.a.push_back(words);
    return f.k == kK;
}

bool add_columns(const MmaForm& f, const MmaPlan& plan, unsigned column, TileWords& out) {
    const auto at = [&](unsigned k, unsigned j) { return plan.b[k * f.n + in_table(column + j)]; };
    const std::array<std::uint8_t, 2> words{word_of(at(0, 0), 2), word_of(at(8, 0), 2)};
    for (unsigned j = 0; j < kColumns; ++j)
        for (unsigned k = 0; k < kK; ++k)
            if (!lies_so(at(k, j), words[k / 8], j, k)) return false;
    out.b.push_back(words);
    return true;
}

/// Of C or D.
bool add_sums(const MmaForm& f, const std::vector<std::uint16_t>& table, unsigned row, unsigned column,
              std::vector<std::array<std::uint8_t, 4>>& out) {
    const auto at = [&](unsigned r, unsigned j) { return table[(row + r) * f.n + in_table(column + j)]; };
    std::array<std::uint8_t, 4> words{};
    for (unsigned w = 0; w < 4; ++w) words[w] = word_of(at(w / 2 * 8, w % 2), 1);
    for (unsigned r = 0; r < kRows; ++r)
        for (unsigned j = 0; j < kColumns; ++j)
            if (at(r, j) != words[r / 8 * 2 + j % 2] * 32u + r % 8 * 4 + j / 2) return false;
    out.push_back(words);
    return true;
}

}  // namespace

TileWords tiles_of(const MmaForm& f, const MmaPlan& plan) {
    TileWords out;
    if (!is_sixteen_bit_float(f.a) || f.a != f.b || f.c != Type::f32 || f.d != Type::f32 || f.sparse ||
        plan.products != 1 || plan.group_k != kK || f.k != kK || f.m % kRows != 0 || f.n % kColumns != 0)
        return out;
    bool good = true;
    for (unsigned row = 0; row < f.m; row += kRows) {
        good = good && add_rows(f, plan, row, out);
        for (unsigned column = 0; column < f.n; column += kColumns)
            good = good && add_sums(f, plan.c, row, column, out.c) && add_sums(f, plan.d, row, column, out.d);
    }
    for (unsigned column = 0; column < f.n; column += kColumns) good = good && add_columns(f, plan, column, out);
    return good ? out : TileWords{};
}

namespace tiles {

namespace {

/// Of mma and wmma, tiles in either direction.
constexpr unsigned kMost = 2;
/// Of wgmma, columns at a time: as many operands are kept taken apart.
constexpr unsigned kMostColumns = 256 / kColumns;

bool wanted = true;

/// The columns of B as mma has them: the first eight of k in one word, the others in another.
bool take_columns(Type type, const std::uint32_t* low, const std::uint32_t* high, Columns& out) {
    std::uint32_t pairs[8][8];
    for (unsigned j = 0; j < 8; ++j) {
        std::memcpy(pairs[j], low + 4 * j, 16);
        std::memcpy(pairs[j] + 4, high + 4 * j, 16);
    }
    return take(type, pairs, 0, out);
}

}  // namespace

void want(bool on) { wanted = on; }

bool run(const MmaForm& f, const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c, std::uint32_t* d) {
    const auto& words = f.plan->tiles;
    const auto rows = words.a.size(), columns = words.b.size();
    if (rows == 0 || rows > kMost || columns > kMost || !wanted || !available()) return false;
    for (unsigned w = 0; w < f.plan->counts.c; ++w)
        if (!are_plain(c + w * 32)) return false;
    Rows left[kMost];
    Columns right[kMost];
    for (std::size_t r = 0; r < rows; ++r) {
        const std::uint32_t* from[4];
        for (unsigned w = 0; w < 4; ++w) from[w] = a + words.a[r][w] * 32;
        if (!take(f.a, from, 0, left[r])) return false;
    }
    for (std::size_t j = 0; j < columns; ++j)
        if (!take_columns(f.a, b + words.b[j][0] * 32, b + words.b[j][1] * 32, right[j])) return false;
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t j = 0; j < columns; ++j)
            if (!are_narrow(left[r].bounds, right[j].bounds)) return false;
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t j = 0; j < columns; ++j) {
            const std::uint32_t* from[4];
            std::uint32_t* to[4];
            for (unsigned w = 0; w < 4; ++w)
                from[w] = c + words.c[r * columns + j][w] * 32, to[w] = d + words.d[r * columns + j][w] * 32;
            sum(left[r], right[j], from, to);
        }
    return true;
}

bool run(const WgmmaForm& f, const std::uint8_t* a, const std::uint8_t* b, bool accumulate, std::uint32_t* d) {
    constexpr std::uint32_t kSigns = 0x80008000;
    if (!is_sixteen_bit_float(f.a) || f.sparse || f.d != Type::f32 || !wanted || !available()) return false;
    if (accumulate)
        for (unsigned w = 0; w < f.d_words; ++w)
            if (!are_plain(d + w * 32)) return false;
    // Rows of 32 bytes, as registers hold them.
    std::uint32_t fragment[4][32];
    const std::uint32_t* from[4];
    for (unsigned w = 0; w < 4; ++w) {
        for (unsigned r = 0; r < 8; ++r) std::memcpy(&fragment[w][4 * r], a + (w % 2 * 8 + r) * 32 + w / 2 * 16, 16);
        from[w] = fragment[w];
    }
    Rows left;
    if (!take(f.a, from, f.a_negative ? kSigns : 0, left)) return false;
    const unsigned columns = f.n / kColumns;
    Columns right[kMostColumns];
    for (unsigned j = 0; j < columns; ++j) {
        std::uint32_t pairs[8][8];
        std::memcpy(pairs, b + std::size_t{j} * sizeof pairs, sizeof pairs);
        if (!take(f.b, pairs, f.b_negative ? kSigns : 0, right[j]) || !are_narrow(left.bounds, right[j].bounds))
            return false;
    }
    if (!accumulate) std::memset(d, 0, std::size_t{f.d_words} * 128);
    for (unsigned j = 0; j < columns; ++j) {
        const std::uint32_t* sums[4];
        std::uint32_t* to[4];
        for (unsigned w = 0; w < 4; ++w) sums[w] = to[w] = d + (std::size_t{j} * 4 + w) * 32;
        sum(left, right[j], sums, to);
    }
    return true;
}

}  // namespace tiles

}  // namespace warpwright::engine
