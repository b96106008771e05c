// How often the model of time has two kernels in the order in which a GPU has them, by how far apart it has them:
// data/prediction/order.toml, which bench/prediction/rungs writes from times measured on a GPU. Whoever recommends one
// kernel by predicted times asks here whether they are far enough apart.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.hpp"

namespace warpwright::arch {

/// Pairs of kernels for one problem, of which the model has the slower one at least `from` times as slow as the other,
/// and less than the next row's.
struct OrderRow {
    double from = 1;
    unsigned pairs = 0, right = 0;  ///< right: in the order of the GPU
    bool operator==(const OrderRow&) const = default;
};

class Ordering {
public:
    /// The share of pairs that must have been in the right order for a pair as far apart to be told apart.
    static constexpr double kSure = 0.95;

    /// What both kernels of a pair are bound by decides which of the tables speaks of it.
    static bool is_memory(std::string_view binds) { return binds == "DRAM" || binds == "L2"; }

    /// The row of a pair. `ratio`: the longer predicted time over the shorter one.
    OrderRow row(bool memory, double ratio) const;
    /// The least ratio at which two kernels are told apart; absent where none is far enough.
    std::optional<double> margin(bool memory) const;

    const std::string& device() const { return device_; }  ///< on which the times were measured
    const std::string& source() const { return source_; }

private:
    friend Result<Ordering> parse_ordering(const std::string& text, const std::string& file);
    std::span<const OrderRow> rows(bool memory) const { return memory ? memory_ : other_; }
    std::vector<OrderRow> memory_, other_;
    std::string device_, source_;
};

/// Errors name file and line.
Result<Ordering> parse_ordering(const std::string& text, const std::string& file);
/// The table that comes with the program, read once. An error (kind input) where it is missing or broken.
const Result<Ordering>& ordering();

}  // namespace warpwright::arch
