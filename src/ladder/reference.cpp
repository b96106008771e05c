#include "ladder/reference.hpp"

#include <algorithm>
#include <cmath>

namespace warpwright::ladder {
namespace {

/// Wraps to the width of an integer type, as two's complement arithmetic of that width would.
long double wrap(__int128 value, Element out) {
    std::byte bytes[8];
    auto low = static_cast<std::uint64_t>(value);
    // Through the signed 64-bit value: every integer of 64 bits is a long double.
    store_element(out, bytes, static_cast<long double>(static_cast<std::int64_t>(low)));
    return load_element(out, bytes);
}

__int128 as_integer(const HostBuffer& buffer, std::uint64_t i) { return static_cast<__int128>(buffer[i]); }

/// Row `row` of the product and of |A| |B|, accumulated in T. Adds row by row of B, which the compiler vectorises.
template <class T>
void product_row(const std::vector<T>& a, const std::vector<T>& b, std::int64_t row, std::int64_t n, std::int64_t k,
                 std::vector<T>& sum, std::vector<double>& size) {
    std::fill(sum.begin(), sum.end(), T(0));
    std::fill(size.begin(), size.end(), 0.0);
    for (std::int64_t l = 0; l < k; ++l) {
        T factor = a[row * k + l];
        const T* from = b.data() + l * n;
        for (std::int64_t j = 0; j < n; ++j) {
            T term = factor * from[j];
            sum[j] += term;
            size[j] += static_cast<double>(term < 0 ? -term : term);
        }
    }
}

/// The matrix as rows x columns; `transposed`: it lies the other way round.
template <class T>
std::vector<T> widen(const HostBuffer& buffer, std::int64_t rows, std::int64_t columns, bool transposed) {
    std::vector<T> out(static_cast<std::size_t>(rows * columns));
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j)
            out[i * columns + j] = static_cast<T>(buffer[transposed ? j * rows + i : i * columns + j]);
    return out;
}

template <class T>
void float_product(const HostBuffer& a, const HostBuffer& b, std::int64_t m, std::int64_t n, std::int64_t k,
                   Layout layout, Expected& out) {
    std::vector<T> wide_a = widen<T>(a, m, k, layout.a_transposed), wide_b = widen<T>(b, k, n, layout.b_transposed);
#pragma omp parallel
    {
        std::vector<T> sum(n);
        std::vector<double> size(n);
#pragma omp for schedule(static)
        for (std::int64_t i = 0; i < m; ++i) {
            product_row(wide_a, wide_b, i, n, k, sum, size);
            for (std::int64_t j = 0; j < n; ++j) out.set(i * n + j, sum[j], size[j]);
        }
    }
}

bool needs_more_than_double(Element out) {
    return out == Element::f64 || (!is_floating(out) && element_size(out) == 8);
}

}  // namespace

Expected::Expected(std::uint64_t count, bool wide) : high_(count), low_(wide ? count : 0), magnitude_(count) {}

void Expected::set(std::uint64_t i, long double value, double magnitude) {
    high_[i] = static_cast<double>(value);
    if (!low_.empty()) low_[i] = std::isfinite(high_[i]) ? static_cast<double>(value - high_[i]) : 0.0;
    magnitude_[i] = magnitude;
}

Expected reference_matmul(const HostBuffer& a, const HostBuffer& b, Element out, std::int64_t m, std::int64_t n,
                          std::int64_t k, Layout layout) {
    Expected expected(static_cast<std::uint64_t>(m) * n, needs_more_than_double(out));
    if (is_floating(out)) {
        if (out == Element::f64)
            float_product<long double>(a, b, m, n, k, layout, expected);
        else
            float_product<double>(a, b, m, n, k, layout, expected);
        return expected;
    }
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
            unsigned __int128 sum = 0;  // wraps, as the kernel's own width does
            for (std::int64_t l = 0; l < k; ++l)
                sum += static_cast<unsigned __int128>(as_integer(a, layout.a_transposed ? l * m + i : i * k + l)) *
                       static_cast<unsigned __int128>(as_integer(b, layout.b_transposed ? j * k + l : l * n + j));
            expected.set(i * n + j, wrap(static_cast<__int128>(sum), out), 0);
        }
    return expected;
}

Expected reference_reduce(const HostBuffer& in, Element out, std::int64_t n, const std::string& op) {
    Expected expected(1, true);
    if (op != "sum") {
        const bool least = op == "min";
        long double value = least ? INFINITY : -INFINITY;
        if (!is_floating(out)) {
            const unsigned bits = 8 * element_size(out) - (is_signed(out) ? 1 : 0);
            value = least ? std::ldexp(1.0L, static_cast<int>(bits)) - 1
                          : (is_signed(out) ? -std::ldexp(1.0L, static_cast<int>(bits)) : 0);
        }
        for (std::int64_t i = 0; i < n; ++i)
            if (long double v = in[i]; least ? v < value : v > value) value = v;
        expected.set(0, value, 0);
        return expected;
    }
    if (!is_floating(out)) {
        __int128 sum = 0;
        for (std::int64_t i = 0; i < n; ++i) sum += as_integer(in, i);
        expected.set(0, wrap(sum, out), 0);
        return expected;
    }
    // Summed in pieces, so that the error of the reference grows with the length of a piece, not with n.
    constexpr std::int64_t kPiece = 4096;
    long double sum = 0, size = 0;
    for (std::int64_t begin = 0; begin < n; begin += kPiece) {
        long double piece = 0, piece_size = 0;
        for (std::int64_t i = begin; i < std::min(n, begin + kPiece); ++i) {
            long double v = in[i];
            piece += v;
            piece_size += std::fabs(v);
        }
        sum += piece;
        size += piece_size;
    }
    expected.set(0, sum, static_cast<double>(size));
    return expected;
}

Expected reference_transpose(const HostBuffer& in, std::int64_t m, std::int64_t n) {
    Expected expected(static_cast<std::uint64_t>(m) * n, needs_more_than_double(in.element));
    for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < m; ++i) expected.set(j * m + i, in[i * n + j], 0);
    return expected;
}

Result<Expected> reference_elementwise(const Expression& expression, const HostBuffers& inputs,
                                       const Variables& variables, Element out, std::uint64_t count) {
    Variables values = variables;
    values["i"] = 0;
    for (const auto& [name, buffer] : inputs) {
        if (buffer.count() < count &&
            std::find(expression.names().begin(), expression.names().end(), name) != expression.names().end())
            return Error{
                ErrorKind::input,
                "the reference reads '" + name + "' beyond its " + std::to_string(buffer.count()) + " elements",
                expression.where(), ""};
        values[name] = 0;
    }
    auto bound = BoundExpression::bind(expression, values);
    if (!bound) return std::move(bound).error();
    std::vector<std::pair<double*, const HostBuffer*>> used;
    for (const auto& [name, buffer] : inputs)
        if (buffer.count() >= count) used.emplace_back(&values[name], &buffer);
    double& index = values["i"];
    Expected expected(count, false);
    std::byte stored[8];
    for (std::uint64_t i = 0; i < count; ++i) {
        index = static_cast<double>(i);
        for (auto& [value, buffer] : used) *value = static_cast<double>((*buffer)[i]);
        double result = (*bound)();
        if (!is_floating(out)) {
            if (!std::isfinite(result))
                return Error{ErrorKind::input, "the reference is not a number at element " + std::to_string(i),
                             expression.where(), ""};
            store_element(out, stored, result);
            expected.set(i, load_element(out, stored), 0);
        } else {
            expected.set(i, result, std::fabs(result));
        }
    }
    return expected;
}

Expected reference_values(const HostBuffer& values) {
    Expected expected(values.count(), needs_more_than_double(values.element));
    for (std::uint64_t i = 0; i < values.count(); ++i) {
        long double v = values[i];
        expected.set(i, v, static_cast<double>(std::fabs(v)));
    }
    return expected;
}

Result<Expected> make_reference(const Reference& reference, const HostBuffers& inputs, const Variables& variables,
                                const Variant& variant, Element out, std::uint64_t out_count) {
    std::vector<std::int64_t> sizes;
    for (const Expression& e : reference.sizes) {
        auto value = e.integer(variables);
        if (!value) return std::move(value).error();
        sizes.push_back(*value);
    }
    auto input = [&](std::size_t i) -> const HostBuffer& { return inputs.find(reference.inputs[i])->second; };
    auto too_short = [&](const std::string& name) {
        return Error{ErrorKind::input, "the buffer '" + name + "' is shorter than the reference needs", reference.where,
                     ""};
    };
    switch (reference.kind) {
        case Reference::Kind::matmul: {
            auto m = sizes[0], n = sizes[1], k = sizes[2];
            if (input(0).count() < std::uint64_t(m) * k) return too_short(reference.inputs[0]);
            if (input(1).count() < std::uint64_t(k) * n) return too_short(reference.inputs[1]);
            if (out_count < std::uint64_t(m) * n) return too_short(reference.output);
            return reference_matmul(input(0), input(1), out, m, n, k, Layout::of(word_of(reference.layout, variant)));
        }
        case Reference::Kind::reduce:
            if (input(0).count() < std::uint64_t(sizes[0])) return too_short(reference.inputs[0]);
            if (out_count < 1) return too_short(reference.output);
            return reference_reduce(input(0), out, sizes[0], word_of(reference.op, variant));
        case Reference::Kind::transpose:
        case Reference::Kind::copy: {
            std::int64_t count = 1;
            for (std::int64_t s : sizes) count *= s;
            if (input(0).element != out)
                return Error{ErrorKind::input, "the reference's input and output have different types", reference.where,
                             ""};
            if (input(0).count() < std::uint64_t(count)) return too_short(reference.inputs[0]);
            if (out_count < std::uint64_t(count)) return too_short(reference.output);
            if (reference.kind == Reference::Kind::copy) return reference_transpose(input(0), 1, count);
            return reference_transpose(input(0), sizes[0], sizes[1]);
        }
        case Reference::Kind::elementwise:
            return reference_elementwise(reference.expression, inputs, variables, out, out_count);
        default:
            return Error{ErrorKind::internal, "the ladder has no computed reference", reference.where, ""};
    }
}

}  // namespace warpwright::ladder
