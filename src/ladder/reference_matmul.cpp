// The complete product of two matrices: simple loops if it is small, OpenBLAS in double if that is exact enough, loops
// in long double or in 64-bit integers for the rest.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "ladder/cpu.hpp"
#include "ladder/reference.hpp"

namespace warpwright::ladder {
namespace {

/// Below this many multiply-adds the loops are fast, and their sums are the same on every machine.
constexpr double kSmall = 0x1p26;

/// One element in another type: integers modulo 2^64, or unchanged.
template <class T>
T convert(long double value) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<std::int64_t>(static_cast<__int128>(value)));
    else
        return static_cast<T>(value);
}

/// The matrix as rows x columns; `transposed`: it is stored transposed.
template <class T>
std::vector<T> widen(const Input& input, std::int64_t rows, std::int64_t columns, bool transposed) {
    std::vector<std::byte> scratch;
    const auto bytes = input.read(0, static_cast<std::uint64_t>(rows * columns), scratch);
    const unsigned size = values::element_size(input.element());
    std::vector<T> out(static_cast<std::size_t>(rows * columns));
    tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, rows, 64), [&](const auto& range) {
        for (std::int64_t i = range.begin(); i < range.end(); ++i)
            for (std::int64_t j = 0; j < columns; ++j)
                out[i * columns + j] = convert<T>(values::load_element(
                    input.element(), bytes.data() + (transposed ? j * rows + i : i * columns + j) * size));
    });
    return out;
}

/// Row `row` of the product and of |A| |B|, accumulated in T. Adds row by row of B, which the compiler vectorises.
template <class T>
void product_row(const std::vector<T>& a, const std::vector<T>& b, std::int64_t row, std::int64_t n, std::int64_t k,
                 std::vector<T>& sum, std::vector<double>& size) {
    std::fill(sum.begin(), sum.end(), T(0));
    std::fill(size.begin(), size.end(), 0.0);
    for (std::int64_t l = 0; l < k; ++l) {
        T factor = a[row * k + l];
        const T* from = b.data() + l * n;
        if constexpr (std::is_integral_v<T>) {
            for (std::int64_t j = 0; j < n; ++j) sum[j] += factor * from[j];
        } else {
            for (std::int64_t j = 0; j < n; ++j) {
                T term = factor * from[j];
                sum[j] += term;
                size[j] += static_cast<double>(term < 0 ? -term : term);
            }
        }
    }
}

/// A sum modulo 2^64 as the output's type holds it, two's complement.
long double wrap(std::uint64_t value, values::Element out) {
    std::byte bytes[8];
    values::store_element(out, bytes, static_cast<long double>(static_cast<std::int64_t>(value)));
    return values::load_element(out, bytes);
}

template <class T>
void loops(const Input& a, const Input& b, values::Element element, std::int64_t m, std::int64_t n, std::int64_t k,
           Layout layout, Expected& out) {
    const std::vector<T> wide_a = widen<T>(a, m, k, layout.a_transposed),
                         wide_b = widen<T>(b, k, n, layout.b_transposed);
    tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, m), [&](const auto& range) {
        std::vector<T> sum(n);
        std::vector<double> size(n);
        for (std::int64_t i = range.begin(); i < range.end(); ++i) {
            product_row(wide_a, wide_b, i, n, k, sum, size);
            for (std::int64_t j = 0; j < n; ++j)
                if constexpr (std::is_integral_v<T>)
                    out.set(i * n + j, wrap(sum[j], element), 0);
                else
                    out.set(i * n + j, sum[j], size[j]);
        }
    });
}

void make_absolute(std::vector<double>& values) {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, values.size(), 1 << 16), [&](const auto& range) {
        for (std::size_t i = range.begin(); i < range.end(); ++i) values[i] = std::fabs(values[i]);
    });
}

}  // namespace

bool exact_in_double(values::Element a, values::Element b, std::int64_t terms) {
    if (values::is_floating(a) || values::is_floating(b)) return false;
    const unsigned bits = 8 * (values::element_size(a) + values::element_size(b));
    return bits <= 32 && static_cast<double>(terms) * std::ldexp(1.0, static_cast<int>(bits)) < 0x1p52;
}

Expected reference_matmul(const Input& a, const Input& b, values::Element out, std::int64_t m, std::int64_t n,
                          std::int64_t k, Layout layout) {
    Expected expected(static_cast<std::uint64_t>(m) * n, needs_more_than_double(out));
    const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    const bool whole = !values::is_floating(out);
    if (whole && (work <= kSmall || expected.wide() || !exact_in_double(a.element(), b.element(), k))) {
        loops<std::uint64_t>(a, b, out, m, n, k, layout, expected);
    } else if (out == values::Element::f64) {
        loops<long double>(a, b, out, m, n, k, layout, expected);
    } else if (work <= kSmall) {
        loops<double>(a, b, out, m, n, k, layout, expected);
    } else {
        // The product of two f32 is exact in double; the sums are off by K 2^-53 of |A| |B| at most.
        std::vector<double> wide_a(static_cast<std::size_t>(m * k)), wide_b(static_cast<std::size_t>(k * n));
        a.doubles(0, wide_a.size(), wide_a.data());
        b.doubles(0, wide_b.size(), wide_b.data());
        const auto multiply = [&](double* c) {
            gemm(layout.a_transposed, layout.b_transposed, m, n, k, wide_a.data(), layout.a_transposed ? m : k,
                 wide_b.data(), layout.b_transposed ? k : n, c, n);
        };
        multiply(expected.values());
        if (whole) {
            tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, expected.count(), 1 << 14), [&](const auto& range) {
                for (std::uint64_t i = range.begin(); i < range.end(); ++i) {
                    const auto sum = static_cast<std::int64_t>(expected.values()[i]);
                    expected.set(i, wrap(static_cast<std::uint64_t>(sum), out), 0);
                }
            });
            return expected;
        }
        make_absolute(wide_a);
        make_absolute(wide_b);
        multiply(expected.magnitudes());
    }
    return expected;
}

}  // namespace warpwright::ladder
