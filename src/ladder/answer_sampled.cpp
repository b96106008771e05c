// The sampled answer of a large product: see answer.hpp. A and B are read in panels of some rows and converted to
// double, and every product with them is computed by OpenBLAS.
#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "ladder/answer.hpp"
#include "ladder/cpu.hpp"

namespace warpwright::ladder {
namespace {

using Index = std::int64_t;

constexpr Index kPanel = Index{1} << 23;  ///< elements of A or B in double at a time
constexpr Index kSamples = 16;            ///< rows and columns that are compared whole
/// A sum of elements with random signs is beyond this many times its norm with probability 2 exp(-18) at most.
constexpr double kDeviations = 6;

std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

/// First, last, and others chosen by the seed; ascending.
std::vector<Index> choose(Index count, std::uint64_t seed) {
    std::set<Index> out{0, count - 1};
    for (std::uint64_t i = 0; static_cast<Index>(out.size()) < std::min(kSamples, count); ++i)
        out.insert(static_cast<Index>(mix(seed + i) % static_cast<std::uint64_t>(count)));
    return {out.begin(), out.end()};
}

/// Calls visit(first row, rows) for panels of a matrix of `rows` rows, of a multiple of `step` rows each.
template <class Visit>
void each_panel(Index rows, Index columns, Index step, const Visit& visit) {
    const Index height = std::max<Index>(kPanel / columns / step, 1) * step;
    for (Index from = 0; from < rows; from += height) visit(from, std::min(height, rows - from));
}

template <class Body>
void parallel(Index count, const Body& body) {
    tbb::parallel_for(tbb::blocked_range<Index>(0, count), [&](const auto& range) {
        for (Index i = range.begin(); i < range.end(); ++i) body(i);
    });
}

void make_absolute(double* values, Index count) {
    tbb::parallel_for(tbb::blocked_range<Index>(0, count, 1 << 16), [&](const auto& range) {
        for (Index i = range.begin(); i < range.end(); ++i) values[i] = std::fabs(values[i]);
    });
}

std::vector<double> absolute(std::vector<double> values) {
    make_absolute(values.data(), static_cast<Index>(values.size()));
    return values;
}

std::vector<double> zeros(Index rows, Index columns) {
    return std::vector<double>(static_cast<std::size_t>(rows * columns));
}

class Sampled : public Answer {
public:
    Sampled(const Input& a, const Input& b, values::Element out, const ProductSize& size, std::uint64_t seed)
        : size_(size),
          group_(sample_group(size)),
          groups_((size.n + group_ - 1) / group_),
          rows_(choose(size.m, mix(seed ^ 1))),
          columns_(choose(size.n, mix(seed ^ 2))),
          whole_(!values::is_floating(out)),
          row_values_(static_cast<std::uint64_t>(count(rows_) * size.n), false),
          column_values_(static_cast<std::uint64_t>(size.m * count(columns_)), false) {
        signs_.resize(static_cast<std::size_t>(size.n));
        for (Index j = 0; j < size.n; ++j) signs_[j] = mix(mix(seed ^ 3) + static_cast<std::uint64_t>(j)) & 1 ? 1 : -1;
        own_error_ = static_cast<double>(size.k + group_ + 8) * 0x1p-53;
        read_b(b, rows_of(a));
        read_a(a);
        if (whole_)
            for (Expected* values : {&row_values_, &column_values_})
                for (std::uint64_t i = 0; i < values->count(); ++i) {
                    std::byte bytes[8];
                    values::store_element(out, bytes, values->value(i));  // wraps
                    values->set(i, values::load_element(out, bytes), 0);
                }
    }

    Verification check(values::Element element, std::span<const std::byte> actual,
                       const Allowed& allowed) const override;
    std::uint8_t poison(values::Element element) const override { return values::is_floating(element) ? 0xff : 0xa5; }

private:
    static Index count(const std::vector<Index>& v) { return static_cast<Index>(v.size()); }

    /// The sampled rows of A.
    std::vector<double> rows_of(const Input& a) const {
        const Index m = size_.m, k = size_.k;
        std::vector<double> out = zeros(count(rows_), k);
        if (!size_.layout.a_transposed) {
            for (Index r = 0; r < count(rows_); ++r) a.doubles(rows_[r] * k, k, &out[r * k]);
            return out;
        }
        std::vector<double> panel;
        each_panel(k, m, 1, [&](Index l0, Index height) {
            panel.resize(height * m);
            a.doubles(l0 * m, height * m, panel.data());
            for (Index r = 0; r < count(rows_); ++r)
                for (Index l = 0; l < height; ++l) out[r * k + l0 + l] = panel[l * m + rows_[r]];
        });
        return out;
    }

    /// B S, the norms of B's groups, the sampled columns of B, and the sampled rows of the product.
    void read_b(const Input& b, const std::vector<double>& a_rows) {
        const Index n = size_.n, k = size_.k;
        const std::vector<double> a_sizes = absolute(a_rows);
        b_signed_ = zeros(k, groups_);
        b_norms_.resize(static_cast<std::size_t>(groups_));
        b_columns_ = zeros(count(columns_), k);
        std::vector<double> panel;
        if (!size_.layout.b_transposed) {
            each_panel(k, n, 1, [&](Index l0, Index height) {
                panel.resize(height * n);
                b.doubles(l0 * n, height * n, panel.data());
                parallel(groups_, [&](Index g) {
                    const Index j0 = g * group_, j1 = std::min(n, j0 + group_);
                    for (Index l = 0; l < height; ++l) {
                        double sum = 0, square = 0;
                        for (Index j = j0; j < j1; ++j) {
                            const double v = panel[l * n + j];
                            sum += signs_[j] * v;
                            square += v * v;
                        }
                        b_signed_[(l0 + l) * groups_ + g] = sum;
                        b_norms_[g] += square;
                    }
                });
                for (Index c = 0; c < count(columns_); ++c)
                    for (Index l = 0; l < height; ++l) b_columns_[c * k + l0 + l] = panel[l * n + columns_[c]];
                gemm(false, false, count(rows_), n, height, &a_rows[l0], k, panel.data(), n, row_values_.values(), n);
                make_absolute(panel.data(), height * n);
                gemm(false, false, count(rows_), n, height, &a_sizes[l0], k, panel.data(), n, row_values_.magnitudes(),
                     n);
            });
        } else {  // B is stored as N x K: B S is stored transposed too
            each_panel(n, k, group_, [&](Index j0, Index height) {
                panel.resize(height * k);
                b.doubles(j0 * k, height * k, panel.data());
                parallel((height + group_ - 1) / group_, [&](Index p) {
                    const Index g = j0 / group_ + p;
                    double square = 0;
                    for (Index j = p * group_; j < std::min(height, (p + 1) * group_); ++j)
                        for (Index l = 0; l < k; ++l) {
                            const double v = panel[j * k + l];
                            b_signed_[g * k + l] += signs_[j0 + j] * v;
                            square += v * v;
                        }
                    b_norms_[g] = square;
                });
                for (Index c = 0; c < count(columns_); ++c)
                    if (columns_[c] >= j0 && columns_[c] < j0 + height)
                        std::copy_n(&panel[(columns_[c] - j0) * k], k, &b_columns_[c * k]);
                gemm(false, true, count(rows_), height, k, a_rows.data(), k, panel.data(), k, row_values_.values() + j0,
                     n);
                make_absolute(panel.data(), height * k);
                gemm(false, true, count(rows_), height, k, a_sizes.data(), k, panel.data(), k,
                     row_values_.magnitudes() + j0, n);
            });
        }
        for (double& v : b_norms_) v = std::sqrt(v);
    }

    /// A (B S), the norms of A's rows, and the sampled columns of the product.
    void read_a(const Input& a) {
        const Index m = size_.m, k = size_.k, columns = count(columns_);
        const bool turned = size_.layout.b_transposed;  // b_signed_ is groups x K
        const std::vector<double> b_sizes = absolute(b_columns_);
        product_ = zeros(m, groups_);
        a_norms_.resize(static_cast<std::size_t>(m));
        std::vector<double> panel;
        if (!size_.layout.a_transposed) {
            each_panel(m, k, 1, [&](Index i0, Index height) {
                panel.resize(height * k);
                a.doubles(i0 * k, height * k, panel.data());
                parallel(height, [&](Index i) {
                    double square = 0;
                    for (Index l = 0; l < k; ++l) square += panel[i * k + l] * panel[i * k + l];
                    a_norms_[i0 + i] = square;
                });
                gemm(false, turned, height, groups_, k, panel.data(), k, b_signed_.data(), turned ? k : groups_,
                     &product_[i0 * groups_], groups_);
                gemm(false, true, height, columns, k, panel.data(), k, b_columns_.data(), k,
                     column_values_.values() + i0 * columns, columns);
                make_absolute(panel.data(), height * k);
                gemm(false, true, height, columns, k, panel.data(), k, b_sizes.data(), k,
                     column_values_.magnitudes() + i0 * columns, columns);
            });
        } else {
            each_panel(k, m, 1, [&](Index l0, Index height) {
                panel.resize(height * m);
                a.doubles(l0 * m, height * m, panel.data());
                tbb::parallel_for(tbb::blocked_range<Index>(0, m, 256), [&](const auto& range) {
                    for (Index l = 0; l < height; ++l)
                        for (Index i = range.begin(); i < range.end(); ++i)
                            a_norms_[i] += panel[l * m + i] * panel[l * m + i];
                });
                gemm(true, turned, m, groups_, height, panel.data(), m,
                     turned ? &b_signed_[l0] : &b_signed_[l0 * groups_], turned ? k : groups_, product_.data(),
                     groups_);
                gemm(true, true, m, columns, height, panel.data(), m, &b_columns_[l0], k, column_values_.values(),
                     columns);
                make_absolute(panel.data(), height * m);
                gemm(true, true, m, columns, height, panel.data(), m, &b_sizes[l0], k, column_values_.magnitudes(),
                     columns);
            });
        }
        for (double& v : a_norms_) v = std::sqrt(v);
        b_signed_ = {};
        b_columns_ = {};
    }

    struct Found {
        std::uint64_t wrong = 0, first = std::numeric_limits<std::uint64_t>::max();
        std::string text;
        static Found both(Found a, const Found& b) {
            a.wrong += b.wrong;
            if (b.first < a.first) a.first = b.first, a.text = b.text;
            return a;
        }
        template <class What>
        void add(std::uint64_t at, const What& what) {
            ++wrong;
            if (at < first) first = at, text = what();
        }
    };
    void check_row(Index i, const double* row, values::Element element, const Allowed& allowed, double norm,
                   Found& found) const;
    Verification check_rows(values::Element element, std::span<const std::byte> actual, const Allowed& allowed) const;
    Verification check_columns(values::Element element, std::span<const std::byte> actual,
                               const Allowed& allowed) const;
    Found check_sums(values::Element element, std::span<const std::byte> actual, const Allowed& allowed) const;

    ProductSize size_;
    Index group_, groups_;
    std::vector<Index> rows_, columns_;
    bool whole_;                           ///< integers
    Expected row_values_, column_values_;  ///< rows x N, M x columns
    std::vector<double> signs_;
    std::vector<double> b_signed_, b_columns_;  ///< while the answer is made
    std::vector<double> product_;               ///< A B S, M x groups
    std::vector<double> a_norms_, b_norms_;
    double own_error_ = 0;  ///< of the references in double, relative to |A||B|
};

/// Tests that all elements of a row are finite, and that its signed sums are right.
void Sampled::check_row(Index i, const double* row, values::Element element, const Allowed& allowed, double norm,
                        Found& found) const {
    const Index n = size_.n;
    for (Index g = 0; g < groups_; ++g) {
        const Index j0 = g * group_, j1 = std::min(n, j0 + group_);
        double sum = 0, square = 0;
        for (Index j = j0; j < j1; ++j) {
            sum += signs_[j] * row[j];
            square += row[j] * row[j];
        }
        const auto at = static_cast<std::uint64_t>(i * n + j0);
        const double wanted = product_[i * groups_ + g], off = std::fabs(sum - wanted);
        if (whole_) {
            const unsigned unused = 64 - 8 * values::element_size(element);
            if (static_cast<std::uint64_t>(static_cast<std::int64_t>(sum - wanted)) << unused == 0) continue;
        } else if (!std::isfinite(square)) {
            std::uint64_t count = 0;
            for (Index j = j0; j < j1; ++j) {
                if (std::isfinite(row[j])) continue;
                found.add(at + static_cast<std::uint64_t>(j - j0),
                          [&] { return std::isnan(row[j]) ? "not a number (not written?)" : "infinite"; });
                ++count;
            }
            if (count > 0) continue;  // else the squares overflow: an f64 beyond 1e150, wrong in the sums below
        } else {
            const double elements = static_cast<double>(j1 - j0);
            double magnitude = own_error_ * std::sqrt(elements), value = allowed.rounding;
            double flat = allowed.rounding > 0 ? half_least(element) * elements : 0;
            switch (allowed.scale) {
                case ToleranceScale::magnitude:
                    magnitude += allowed.relative;
                    break;
                case ToleranceScale::value:
                    value += allowed.relative;
                    break;
                case ToleranceScale::norm:
                    flat += kDeviations * allowed.relative * norm * std::sqrt(elements);
                    break;
            }
            // The tolerance is relative to the reference's value, which may be smaller than the present values by as
            // much.
            value /= 1 - std::min(value, 0.5);
            const double limit =
                kDeviations * (magnitude * a_norms_[i] * b_norms_[g] + value * std::sqrt(square)) + flat;
            if (off <= limit) continue;
        }
        found.add(
            at, [&] { return fmt::format("the signed sum of {} elements from there is off by {:.3g}", j1 - j0, off); });
    }
}

Verification Sampled::check_rows(values::Element element, std::span<const std::byte> actual,
                                 const Allowed& allowed) const {
    const Index n = size_.n;
    const unsigned size = values::element_size(element);
    std::vector<std::byte> part(static_cast<std::size_t>(count(rows_) * n) * size);
    for (Index r = 0; r < count(rows_); ++r)
        std::copy_n(actual.data() + rows_[r] * n * size, n * size, part.data() + r * n * size);
    return verify(element, part, row_values_, allowed);
}

Verification Sampled::check_columns(values::Element element, std::span<const std::byte> actual,
                                    const Allowed& allowed) const {
    const Index m = size_.m, n = size_.n;
    const unsigned size = values::element_size(element);
    std::vector<std::byte> part(static_cast<std::size_t>(m * count(columns_)) * size);
    for (Index i = 0; i < m; ++i)
        for (Index c = 0; c < count(columns_); ++c)
            std::copy_n(actual.data() + (i * n + columns_[c]) * size, size,
                        part.data() + (i * count(columns_) + c) * size);
    return verify(element, part, column_values_, allowed);
}

Sampled::Found Sampled::check_sums(values::Element element, std::span<const std::byte> actual,
                                   const Allowed& allowed) const {
    const Index m = size_.m, n = size_.n;
    const unsigned size = values::element_size(element);
    double norm = 0;
    if (allowed.scale == ToleranceScale::norm)
        for (std::uint64_t i = 0; i < row_values_.count(); ++i)
            norm = std::max(norm, std::fabs(row_values_.values()[i]));
    return tbb::parallel_reduce(
        tbb::blocked_range<Index>(0, m, 8), Found{},
        [&](const tbb::blocked_range<Index>& range, Found found) {
            std::vector<double> row(static_cast<std::size_t>(n));
            for (Index i = range.begin(); i < range.end(); ++i) {
                values::load_doubles(element, actual.data() + i * n * size, n, row.data());
                check_row(i, row.data(), element, allowed, norm, found);
            }
            return found;
        },
        Found::both);
}

Verification Sampled::check(values::Element element, std::span<const std::byte> actual, const Allowed& allowed) const {
    const Index m = size_.m, n = size_.n;
    const unsigned size = values::element_size(element);
    Verification v;
    v.tolerance = whole_ ? 0 : allowed.relative;
    v.method = fmt::format("{} whole rows and {} whole columns; all elements by {} signed sums of {} each",
                           rows_.size(), columns_.size(), m * groups_, group_);
    if (actual.size() / size < static_cast<std::uint64_t>(m * n)) {
        v.text = fmt::format("the output has {} elements, the reference {}", actual.size() / size, m * n);
        return v;
    }
    // The samples are compared as if they were separate outputs.
    Allowed widened = allowed;
    if (widened.scale == ToleranceScale::magnitude) widened.relative += own_error_;
    const Verification rows = check_rows(element, actual, widened), columns = check_columns(element, actual, widened);
    const Found sums = check_sums(element, actual, allowed);

    v.checked = rows.checked + columns.checked;
    v.wrong = rows.wrong + columns.wrong + sums.wrong;
    v.max_error = std::max(rows.max_error, columns.max_error);
    v.max_absolute_error = std::max(rows.max_absolute_error, columns.max_absolute_error);
    v.passed = v.wrong == 0;
    const auto place = [&](std::uint64_t row, std::uint64_t column) {
        return row * static_cast<std::uint64_t>(n) + column;
    };
    if (rows.wrong > 0) {
        const auto r = static_cast<Index>(rows.first_wrong) / n;
        v.first_wrong = place(rows_[r], rows.first_wrong % n);
        v.text = fmt::format("row {}: {}", rows_[r], rows.text);
    } else if (columns.wrong > 0) {
        const std::uint64_t i = columns.first_wrong / columns_.size(), c = columns.first_wrong % columns_.size();
        v.first_wrong = place(i, columns_[c]);
        v.text = fmt::format("column {}: {}", columns_[c], columns.text);
    } else if (sums.wrong > 0) {
        v.first_wrong = sums.first;
        v.text =
            fmt::format("{} of {} signed sums wrong; first at {}: {}", sums.wrong, m * groups_, sums.first, sums.text);
    } else {
        v.text = fmt::format("{} elements within {:.2g} (allowed {:.2g}), the others by their sums", v.checked,
                             v.max_error, v.tolerance);
    }
    return v;
}

}  // namespace

std::int64_t sample_group(const ProductSize& size) {
    const double work = static_cast<double>(size.m) * static_cast<double>(size.n) * static_cast<double>(size.k);
    return std::max<Index>(16, static_cast<Index>(std::ceil(work / 0x1p36)));
}

std::unique_ptr<Answer> answer_sampled(const Input& a, const Input& b, values::Element out, const ProductSize& size,
                                       std::uint64_t seed) {
    return std::make_unique<Sampled>(a, b, out, size, seed);
}

}  // namespace warpwright::ladder
