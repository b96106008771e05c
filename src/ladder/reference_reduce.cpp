// Sum, least and largest of a buffer of any length, generated and read in pieces on all cores.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "ladder/reference.hpp"

namespace warpwright::ladder {
namespace {

constexpr std::uint64_t kPiece = 1 << 16;  ///< elements that one task takes
constexpr std::size_t kBlock = 2048;       ///< elements that are summed in double before they are added to a long
                                           ///< double

struct Part {
    long double sum = 0, size = 0;  ///< size: of the absolute values
    std::uint64_t whole = 0;        ///< integers: the sum modulo 2^64
    long double extreme = 0;
};

double sum_of(const double* v, std::size_t n) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < n; ++i) sum += v[i];
    return sum;
}

double size_of(const double* v, std::size_t n) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < n; ++i) sum += std::fabs(v[i]);
    return sum;
}

/// In long double, with four independent sums that the processor can overlap.
long double wide_sum_of(const double* v, std::size_t n) {
    long double sum[4] = {};
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (std::size_t j = 0; j < 4; ++j) sum[j] += v[i + j];
    for (; i < n; ++i) sum[0] += v[i];
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

void add_floats(values::Element element, std::span<const std::byte> bytes, Part& part) {
    const unsigned size = values::element_size(element);
    const bool long_integers = !values::is_floating(element) && size == 8;  // no double holds them
    double block[kBlock];
    for (std::size_t at = 0; at < bytes.size() / size; at += kBlock) {
        const std::size_t n = std::min(kBlock, bytes.size() / size - at);
        if (long_integers) {
            for (std::size_t i = 0; i < n; ++i) {
                const long double v = values::load_element(element, bytes.data() + (at + i) * size);
                part.sum += v;
                part.size += std::fabs(v);
            }
            continue;
        }
        values::load_doubles(element, bytes.data() + at * size, n, block);
        part.sum += element == values::Element::f64 ? wide_sum_of(block, n) : sum_of(block, n);
        part.size += size_of(block, n);
    }
}

template <class T>
std::uint64_t whole_sum(std::span<const std::byte> bytes) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < bytes.size(); i += sizeof(T)) {
        T value;
        std::memcpy(&value, bytes.data() + i, sizeof value);
        sum += static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    }
    return sum;
}

std::uint64_t add_integers(values::Element element, std::span<const std::byte> bytes) {
    switch (element) {
        case values::Element::i8:
            return whole_sum<std::int8_t>(bytes);
        case values::Element::u8:
            return whole_sum<std::uint8_t>(bytes);
        case values::Element::i16:
            return whole_sum<std::int16_t>(bytes);
        case values::Element::u16:
            return whole_sum<std::uint16_t>(bytes);
        case values::Element::i32:
            return whole_sum<std::int32_t>(bytes);
        case values::Element::u32:
            return whole_sum<std::uint32_t>(bytes);
        case values::Element::i64:
        case values::Element::u64:
            return whole_sum<std::int64_t>(bytes);
        default: {  // floating values in an integer sum: each is truncated
            std::uint64_t sum = 0;
            const unsigned size = values::element_size(element);
            for (std::size_t i = 0; i < bytes.size(); i += size)
                sum += static_cast<std::uint64_t>(
                    static_cast<std::int64_t>(values::load_element(element, bytes.data() + i)));
            return sum;
        }
    }
}

/// The bound of all values of the type, from above (or below).
long double end_of(values::Element out, bool least) {
    if (values::is_floating(out)) return least ? INFINITY : -INFINITY;
    const long double half = std::ldexp(1.0L, static_cast<int>(8 * values::element_size(out)) - 1);
    if (values::is_signed(out)) return least ? half - 1 : -half;
    return least ? 2 * half - 1 : 0;
}

long double extreme_of(values::Element element, std::span<const std::byte> bytes, bool least, long double begin) {
    const unsigned size = values::element_size(element);
    if (!values::is_floating(element) && size == 8) {
        for (std::size_t i = 0; i < bytes.size(); i += size)
            if (const long double v = values::load_element(element, bytes.data() + i); least ? v < begin : v > begin)
                begin = v;
        return begin;
    }
    double block[kBlock], found = least ? INFINITY : -INFINITY;
    for (std::size_t at = 0; at < bytes.size() / size; at += kBlock) {
        const std::size_t n = std::min(kBlock, bytes.size() / size - at);
        values::load_doubles(element, bytes.data() + at * size, n, block);
        // A NaN is skipped, as by fminf and fmaxf.
        if (least)
            for (std::size_t i = 0; i < n; ++i) found = block[i] < found ? block[i] : found;
        else
            for (std::size_t i = 0; i < n; ++i) found = block[i] > found ? block[i] : found;
    }
    return least ? std::min<long double>(begin, found) : std::max<long double>(begin, found);
}

}  // namespace

Expected reference_reduce(const Input& in, values::Element out, std::uint64_t n, const std::string& op) {
    const bool sum = op == "sum", least = op == "min";
    const long double end = end_of(out, least);
    std::vector<Part> parts((n + kPiece - 1) / kPiece);
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, parts.size()), [&](const auto& range) {
        thread_local std::vector<std::byte> scratch;
        for (std::size_t i = range.begin(); i < range.end(); ++i) {
            const std::uint64_t begin = i * kPiece;
            const auto bytes = in.read(begin, std::min(kPiece, n - begin), scratch);
            if (!sum)
                parts[i].extreme = extreme_of(in.element(), bytes, least, end);
            else if (values::is_floating(out))
                add_floats(in.element(), bytes, parts[i]);
            else
                parts[i].whole = add_integers(in.element(), bytes);
        }
    });
    // The parts are added in order: the same sum whatever the number of threads.
    Part total;
    total.extreme = end;
    for (const Part& p : parts) {
        total.sum += p.sum;
        total.size += p.size;
        total.whole += p.whole;
        total.extreme = least ? std::min(total.extreme, p.extreme) : std::max(total.extreme, p.extreme);
    }
    Expected expected(1, true);
    std::byte bytes[8];
    if (!sum) {
        expected.set(0, total.extreme, 0);
    } else if (values::is_floating(out)) {
        // A sum beyond the type's range is infinite there, whatever the order of adding.
        values::store_element(out, bytes, total.sum);
        const long double stored = values::load_element(out, bytes);
        expected.set(0, std::isinf(stored) ? stored : total.sum, static_cast<double>(total.size));
    } else {
        values::store_element(out, bytes, static_cast<long double>(static_cast<std::int64_t>(total.whole)));
        expected.set(0, values::load_element(out, bytes), 0);
    }
    return expected;
}

}  // namespace warpwright::ladder
