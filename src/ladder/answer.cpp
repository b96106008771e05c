// The forms of a correct answer: all values, the input's elements at other places, or samples and sums of a product.
// Which one serves follows from the reference and the size.
#include "ladder/answer.hpp"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>

namespace warpwright::ladder {
namespace {

class Whole : public Answer {
public:
    explicit Whole(Expected expected) : expected_(std::move(expected)) {}
    Verification check(values::Element element, std::span<const std::byte> actual,
                       const Allowed& allowed) const override {
        return verify(element, actual, expected_, allowed);
    }
    std::uint8_t poison(values::Element element) const override { return poison_byte(element, expected_); }

private:
    Expected expected_;
};

/// With sizes known at compile time, the comparison uses registers.
bool same(const std::byte* a, const std::byte* b, unsigned size) {
    switch (size) {
        case 1:
            return *a == *b;
        case 2:
            return std::memcmp(a, b, 2) == 0;
        case 4:
            return std::memcmp(a, b, 4) == 0;
        default:
            return std::memcmp(a, b, 8) == 0;
    }
}

class Moved : public Answer {
public:
    Moved(Input input, std::uint64_t m, std::uint64_t n) : input_(std::move(input)), m_(m), n_(n) {}

    Verification check(values::Element element, std::span<const std::byte> actual, const Allowed&) const override {
        Verification v;
        v.method = "every element, bit by bit";
        const unsigned size = values::element_size(element);
        const std::uint64_t count = m_ * n_;
        if (actual.size() / size < count) {
            v.text = fmt::format("the output has {} elements, the reference {}", actual.size() / size, count);
            return v;
        }
        v.checked = count;
        v.first_wrong = count;
        std::mutex mutex;
        const auto report = [&](std::uint64_t wrong, std::uint64_t first) {
            if (wrong == 0) return;
            std::lock_guard lock(mutex);
            v.wrong += wrong;
            v.first_wrong = std::min(v.first_wrong, first);
        };
        each_band([&](std::uint64_t i0, std::uint64_t rows, std::uint64_t j0, std::uint64_t columns,
                      const std::byte* from, std::uint64_t stride) {
            std::uint64_t wrong = 0, first = count;
            constexpr std::uint64_t kSquare = 64;  // rows of the input stay in the cache while columns are walked
            for (std::uint64_t j1 = 0; j1 < columns; j1 += kSquare)
                for (std::uint64_t j = j1; j < std::min(columns, j1 + kSquare); ++j)
                    for (std::uint64_t i = 0; i < rows; ++i) {
                        const std::uint64_t at = (j0 + j) * m_ + i0 + i;
                        if (same(from + (i * stride + j) * size, actual.data() + at * size, size)) continue;
                        ++wrong;
                        first = std::min(first, at);
                    }
            report(wrong, first);
        });
        v.passed = v.wrong == 0;
        if (v.passed) {
            v.text = fmt::format("{} elements equal", count);
            return v;
        }
        std::vector<std::byte> scratch;
        const std::uint64_t i = v.first_wrong % m_, j = v.first_wrong / m_;
        const auto wanted = input_.read(i * n_ + j, 1, scratch);
        v.text = wrong_text(v.wrong, count, v.first_wrong, element, actual.data() + v.first_wrong * size,
                            poison(element), static_cast<double>(values::load_element(element, wanted.data())));
        return v;
    }

    std::uint8_t poison(values::Element element) const override {
        if (values::is_floating(element)) return 0xff;
        const unsigned size = values::element_size(element);
        for (unsigned candidate : {0xa5u, 0x5au, 0xc3u, 0x3cu, 0x96u, 0x69u}) {
            std::byte bytes[8];
            std::memset(bytes, static_cast<int>(candidate), sizeof bytes);
            std::atomic<bool> clash = false;
            each_band([&](std::uint64_t, std::uint64_t rows, std::uint64_t, std::uint64_t columns,
                          const std::byte* from, std::uint64_t stride) {
                for (std::uint64_t i = 0; i < rows && !clash; ++i)
                    for (std::uint64_t j = 0; j < columns; ++j)
                        if (same(from + (i * stride + j) * size, bytes, size)) clash = true;
            });
            if (!clash) return static_cast<std::uint8_t>(candidate);
        }
        return 0xa5;  // 8-bit elements can hold every candidate
    }

private:
    /// Calls visit(first row, rows, first column, columns, elements, elements from row to row) for parts of the input.
    template <class Visit>
    void each_band(const Visit& visit) const {
        constexpr std::uint64_t kRows = 64, kElements = 1 << 20;
        const std::uint64_t columns = std::min(n_, kElements), across = columns ? (n_ + columns - 1) / columns : 0;
        const std::uint64_t rows = std::clamp<std::uint64_t>(2 * kElements / std::max<std::uint64_t>(n_, 1), 1, kRows);
        const std::uint64_t down = (m_ + rows - 1) / rows;
        tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, down * across, 1), [&](const auto& range) {
            std::vector<std::byte> scratch;
            for (std::uint64_t part = range.begin(); part < range.end(); ++part) {
                const std::uint64_t i0 = part / across * rows, j0 = part % across * columns;
                const std::uint64_t height = std::min(rows, m_ - i0), width = std::min(columns, n_ - j0);
                const auto bytes = input_.read(i0 * n_ + j0, (height - 1) * n_ + width, scratch);
                visit(i0, height, j0, width, bytes.data(), n_);
            }
        });
    }

    Input input_;
    std::uint64_t m_, n_;
};

}  // namespace

std::unique_ptr<Answer> answer_of(Expected expected) { return std::make_unique<Whole>(std::move(expected)); }

std::unique_ptr<Answer> answer_moved(Input input, std::uint64_t m, std::uint64_t n) {
    return std::make_unique<Moved>(std::move(input), m, n);
}

std::unique_ptr<Answer> answer_product(const Input& a, const Input& b, values::Element out, const ProductSize& size,
                                       std::uint64_t seed) {
    const double elements = static_cast<double>(size.m) * static_cast<double>(size.n);
    const double work = elements * static_cast<double>(size.k);
    constexpr double kMostWork = 0x1p36, kMostElements = 0x1p26;
    // Sums of wide integers are right only modulo their width, which the sampled answer does not support.
    const bool possible =
        values::is_floating(out) || exact_in_double(a.element(), b.element(), size.k * sample_group(size));
    if (possible && size.k > 0 && (work > kMostWork || elements > kMostElements))
        return answer_sampled(a, b, out, size, seed);
    return answer_of(reference_matmul(a, b, out, size.m, size.n, size.k, size.layout));
}

Result<std::unique_ptr<Answer>> make_answer(const Reference& reference, const std::map<std::string, Input>& inputs,
                                            const Variables& variables, const Variant& variant, values::Element out,
                                            std::uint64_t out_count, std::uint64_t seed) {
    std::vector<std::int64_t> sizes;
    for (const Expression& e : reference.sizes) {
        auto value = e.integer(variables);
        if (!value) return std::move(value).error();
        if (*value < 0) return Error{ErrorKind::input, "'" + e.text() + "' is negative", e.where(), ""};
        sizes.push_back(*value);
    }
    const auto input = [&](std::size_t i) -> const Input& { return inputs.find(reference.inputs[i])->second; };
    const auto fits = [&](std::size_t i, std::int64_t rows, std::int64_t columns) {
        return static_cast<double>(rows) * static_cast<double>(columns) <= static_cast<double>(input(i).count());
    };
    const auto too_short = [&](const std::string& name) {
        return Error{ErrorKind::input, "the buffer '" + name + "' is shorter than the reference needs", reference.where,
                     ""};
    };
    const auto output_fits = [&](std::int64_t rows, std::int64_t columns) {
        return static_cast<double>(rows) * static_cast<double>(columns) <= static_cast<double>(out_count);
    };
    switch (reference.kind) {
        case Reference::Kind::matmul: {
            const auto m = sizes[0], n = sizes[1], k = sizes[2];
            if (!fits(0, m, k)) return too_short(reference.inputs[0]);
            if (!fits(1, k, n)) return too_short(reference.inputs[1]);
            if (!output_fits(m, n)) return too_short(reference.output);
            const Layout layout = Layout::of(word_of(reference.layout, variant));
            return answer_product(input(0), input(1), out, {m, n, k, layout}, seed);
        }
        case Reference::Kind::reduce:
            if (!fits(0, sizes[0], 1)) return too_short(reference.inputs[0]);
            if (out_count < 1) return too_short(reference.output);
            return answer_of(
                reference_reduce(input(0), out, static_cast<std::uint64_t>(sizes[0]), word_of(reference.op, variant)));
        case Reference::Kind::transpose:
        case Reference::Kind::copy: {
            const bool copy = reference.kind == Reference::Kind::copy;
            std::int64_t m = 1, n = 1;
            if (!copy) m = sizes[0], n = sizes[1];
            if (copy)
                for (std::int64_t s : sizes) n *= s;
            if (input(0).element() != out)
                return Error{ErrorKind::input, "the reference's input and output have different types", reference.where,
                             ""};
            if (!fits(0, m, n)) return too_short(reference.inputs[0]);
            if (!output_fits(m, n)) return too_short(reference.output);
            return answer_moved(input(0), static_cast<std::uint64_t>(m), static_cast<std::uint64_t>(n));
        }
        case Reference::Kind::elementwise: {
            HostBuffers whole;
            for (const auto& [name, from] : inputs) whole.emplace(name, from.whole());
            auto expected = reference_elementwise(reference.expression, whole, variables, out, out_count);
            if (!expected) return std::move(expected).error();
            return answer_of(std::move(*expected));
        }
        default:
            return Error{ErrorKind::internal, "the ladder has no computed reference", reference.where, ""};
    }
}

}  // namespace warpwright::ladder
