// Each axis is a set of lines, innermost first (last where halves of lines come in). A line that no block holds is cut
// into parts, and what a program's layout says of the whole line is kept in numbers of its elements, so that kernels
// need one kind of pass.
#include "libraries/cufft/planner.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace warpwright::libraries::fft {
namespace {

using ww_fft::Dimension;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;

constexpr u64 kLongestChirp = u64{1} << 27;  ///< so that its tables fit the host, and squares of indices 64 bits

/// One axis: lines of `n` elements, with what happens to them on the way.
struct Line {
    u64 n = 0;
    Buffer from{}, to{};
    i64 in_step = 1, out_step = 1;
    std::vector<Dimension> over;  ///< the lines; the first dimension runs fastest
    int load = ww_fft::kLoadComplex, store = ww_fft::kStoreComplex;
    bool inverse = false;
    u64 whole_length = 0;  ///< for load and store
    i64 load_table = Tables::kNone, store_table = Tables::kNone;
    u64 load_limit = 0, store_limit = 0;
    bool conjugate_load = false, conjugate_store = false;
};

/// A part of a line: every `in_element`-th element of the line becomes every `out_element`-th.
struct Part {
    u64 n;
    i64 in_element, out_element;
    bool first, last;  ///< the line is loaded, and stored, by this part
};

u64 lines_of(const std::vector<Dimension>& over) {
    u64 all = 1;
    for (const auto& d : over) all *= d.count;
    return all;
}

u64 largest_prime(u64 n) {
    u64 largest = 1;
    for (u64 p = 2; p * p <= n; ++p)
        while (n % p == 0) n /= p, largest = p;
    return std::max(largest, n);
}

/// The first of the two lengths into which a long one is cut; 0 where no divisor serves.
u64 divisor_of(u64 n, u64 longest) {
    const bool two_levels = n / longest <= longest;
    u64 best = 0;
    for (u64 d = 2; d <= longest; ++d) {
        if (n % d != 0 || (n / d > longest && n / d / longest > longest)) continue;
        if (two_levels && n / d > longest) continue;
        // Near the root of the length: both parts hold several lines in a block, which lie beside each other.
        const auto distance = [&](u64 x) { return std::max(x, n / x / (two_levels ? 1 : longest / 4)); };
        if (best == 0 || distance(d) < distance(best)) best = d;
    }
    return best;
}

class Planner {
public:
    Planner(bool doubles, Tables& tables)
        : tables_(tables), longest_(doubles ? ww_fft::longest<double>() : ww_fft::longest<float>()) {}

    bool add(const Line& line) {
        if (largest_prime(line.n) > ww_fft::kLargestPrime) return add_convolution(line);
        return add_part(line, {line.n, 1, 1, true, true}, line.over);
    }
    Passes take() { return std::move(passes_); }
    void need(Buffer buffer, u64 elements) {
        auto& size = passes_.elements[static_cast<int>(buffer)];
        size = std::max(size, elements);
    }

private:
    bool add_part(const Line& line, Part part, std::vector<Dimension> over);
    bool add_convolution(const Line& line);
    Step& add_pass(const Line& line, const Part& part, const std::vector<Dimension>& over);

    Tables& tables_;
    const u64 longest_;
    Passes passes_;
};

/// The same lines close together in a part of the work area, `length` elements each. Dimensions within a line, which
/// move no place, are left as they are.
std::vector<Dimension> packed(std::vector<Dimension> over, u64 length, bool in, std::size_t within) {
    u64 stride = length;
    for (std::size_t d = within; d < over.size(); ++d) {
        (in ? over[d].in : over[d].out) = static_cast<i64>(stride);
        stride *= over[d].count;
    }
    return over;
}

std::vector<u32> radices_of(u64 n) {
    std::vector<u32> radices;
    for (u32 r : {8u, 4u, 2u, 3u, 5u, 7u})
        while (n % r == 0) radices.push_back(r), n /= r;
    for (u32 r = 11; n > 1; r += 2)
        while (n % r == 0) radices.push_back(r), n /= r;
    return radices;
}

Step& Planner::add_pass(const Line& line, const Part& part, const std::vector<Dimension>& over) {
    Step step;
    auto& p = step.pass;
    step.from = part.first ? line.from : Buffer::lines;
    step.to = part.last ? line.to : Buffer::lines;
    p.in_step = part.first ? line.in_step : 1;
    p.out_step = part.last ? line.out_step : 1;
    p.in_element_step = part.in_element;
    p.out_element_step = part.out_element;
    p.length = static_cast<u32>(part.n);
    p.lines = lines_of(over);
    p.dimensions = static_cast<u32>(over.size());
    p.twiddle_dimension = ww_fft::kDimensions;
    std::copy(over.begin(), over.end(), p.dimension);
    p.inverse = line.inverse;
    p.load = part.first ? line.load : ww_fft::kLoadComplex;
    p.store = part.last ? line.store : ww_fft::kStoreComplex;
    p.whole_length = line.whole_length;
    if (part.first) step.load_table = line.load_table;
    if (part.last) step.store_table = line.store_table;
    p.load_limit = line.load_limit;
    p.store_limit = line.store_limit;
    p.conjugate_load = line.conjugate_load;
    p.conjugate_store = line.conjugate_store;
    const auto radices = radices_of(part.n);
    p.radix_count = static_cast<u32>(radices.size());
    std::copy(radices.begin(), radices.end(), p.radices);
    if (part.n > 1) step.roots = tables_.roots(part.n, 1, part.n);
    if (!over.empty()) {
        const auto closer = [](i64 line_step, i64 element_step) {
            return std::abs(line_step) < std::abs(element_step);
        };
        const auto& d = over.front();
        p.load_across = closer(d.in + d.in_element * p.in_step, p.in_element_step * p.in_step);
        p.store_across = closer(d.out + d.out_element * p.out_step, p.out_element_step * p.out_step);
    }
    p.lines_of_block = static_cast<u32>(std::clamp<u64>(longest_ / part.n, 1, ww_fft::kMostLines));
    passes_.steps.push_back(step);
    return passes_.steps.back();
}

bool Planner::add_part(const Line& line, Part part, std::vector<Dimension> over) {
    const std::size_t within = over.size() - line.over.size();
    const auto placed = [&](const Part& p, std::vector<Dimension> dimensions, std::size_t inner) {
        if (!p.first) dimensions = packed(std::move(dimensions), line.n, true, inner);
        if (!p.last) dimensions = packed(std::move(dimensions), line.n, false, inner);
        return dimensions;
    };
    if (part.n <= longest_) {
        add_pass(line, part, placed(part, over, within));
        return true;
    }
    const u64 n1 = divisor_of(part.n, longest_);
    if (n1 == 0) return false;
    const u64 n2 = part.n / n1;
    need(Buffer::lines, line.n * lines_of(line.over));
    // Elements that lie n2 apart; results stay where the elements were, in the work area.
    auto columns = over;
    for (auto& d : columns)
        if (d.in_element != 0) d.out_element = d.in_element;
    columns.insert(columns.begin(), {n2, 0, 0, 1, 1});
    const Part first{n1, static_cast<i64>(n2), static_cast<i64>(n2), part.first, false};
    auto& step = add_pass(line, first, placed(first, columns, within + 1));
    step.pass.twiddle_dimension = 0;
    step.low_roots = tables_.roots(part.n, 1, std::min<u64>(part.n, ww_fft::kTwiddleSpan));
    step.high_roots = tables_.roots(part.n, ww_fft::kTwiddleSpan, part.n / ww_fft::kTwiddleSpan + 1);
    // Elements beside each other; their results lie n1 apart.
    over.insert(over.begin(), {n1, 0, 0, static_cast<i64>(n2), part.out_element});
    return add_part(line, {n2, 1, part.out_element * static_cast<i64>(n1), false, part.last}, over);
}

bool Planner::add_convolution(const Line& line) {
    if (line.n > kLongestChirp) return false;
    const u64 m = std::bit_ceil(2 * line.n - 1);
    need(Buffer::chirps, m * lines_of(line.over));
    Line there = line;
    there.n = m;
    there.inverse = false;
    there.to = Buffer::chirps;
    there.out_step = 1;
    there.over = packed(line.over, m, false, 0);
    there.store = ww_fft::kStoreComplex;
    there.load_table = tables_.chirp(line.n, 1);
    there.load_limit = line.n;
    there.store_table = tables_.chirp_transform(line.n, m);
    there.store_limit = m;
    there.conjugate_load = there.conjugate_store = line.inverse;
    Line back = line;
    back.n = m;
    back.inverse = true;
    back.from = Buffer::chirps;
    back.in_step = 1;
    back.over = packed(line.over, m, true, 0);
    back.load = ww_fft::kLoadComplex;
    back.store_table = tables_.chirp(line.n, 1.0 / static_cast<double>(m));
    back.store_limit = line.n;
    back.conjugate_store = line.inverse;
    return add(there) && add(back);
}

/// The lines of axis `axis`: they run over the other axes, innermost first, and over the batch.
std::vector<Dimension> others(const Transform& t, int axis, const Side& in, const Side& out, bool half) {
    std::vector<Dimension> over;
    for (int d = t.rank - 1; d >= 0; --d) {
        if (d == axis) continue;
        const bool innermost = d == t.rank - 1;
        over.push_back(
            {static_cast<u64>(innermost && half ? t.half() : t.length[d]), in.stride[d], out.stride[d], 0, 0});
    }
    over.push_back({static_cast<u64>(t.batch), in.distance, out.distance, 0, 0});
    return over;
}

/// Halves of lines, close together, as the work area holds them.
Side packed_halves(const Transform& t) {
    Transform complex = t;
    complex.kind = Kind::complex;
    complex.in.reset();
    complex.length[t.rank - 1] = t.half();
    return complex.side(true, false);
}

}  // namespace

std::optional<Passes> plan(const Transform& t, bool inverse, bool in_place, Tables& tables) {
    Planner planner(t.doubles, tables);
    const Side in = t.side(true, in_place), out = t.side(false, in_place);
    const bool from_halves = t.kind == Kind::complex_to_real, to_halves = t.kind == Kind::real_to_complex;
    const int last = t.rank - 1;
    const auto add = [&](int axis, Buffer from, const Side& from_side, Buffer to, const Side& to_side) {
        Line line;
        line.n = line.whole_length = static_cast<u64>(t.length[axis]);
        line.from = from;
        line.to = to;
        line.in_step = from_side.stride[axis];
        line.out_step = to_side.stride[axis];
        line.inverse = inverse;
        line.over = others(t, axis, from_side, to_side, from_halves || to_halves);
        if (axis == last && to_halves) line.load = ww_fft::kLoadReal, line.store = ww_fft::kStoreHalf;
        if (axis == last && from_halves) line.load = ww_fft::kLoadHermitian, line.store = ww_fft::kStoreReal;
        return planner.add(line);
    };
    if (!from_halves || t.rank == 1) {
        if (!add(last, Buffer::in, in, Buffer::out, out)) return std::nullopt;
        for (int axis = last - 1; axis >= 0; --axis)
            if (!add(axis, Buffer::out, out, Buffer::out, out)) return std::nullopt;
        return planner.take();
    }
    const Side halves = packed_halves(t);
    planner.need(Buffer::halves, static_cast<u64>(halves.distance * t.batch));
    for (int axis = 0; axis < last; ++axis)
        if (!add(axis, axis == 0 ? Buffer::in : Buffer::halves, axis == 0 ? in : halves, Buffer::halves, halves))
            return std::nullopt;
    if (!add(last, Buffer::halves, halves, Buffer::out, out)) return std::nullopt;
    return planner.take();
}

}  // namespace warpwright::libraries::fft
