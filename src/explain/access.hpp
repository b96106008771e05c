// The cost of an array access: for every warp of a block and every value of the index's open variables. The rules are
// those of the room counters; better forms are found by evaluating them (propose).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "arch/model.hpp"
#include "counters/access.hpp"
#include "explain/expression.hpp"

namespace warpwright::explain {

struct Setting {
    arch::DeviceModel model;  ///< limits and rules are used
    bool shared = true;       ///< else global memory
    bool wide_banks = false;  ///< compute capability 3.x: 8-byte mode
    counters::SharedOp op = counters::SharedOp::load;
    std::array<std::uint32_t, 3> block{32, 1, 1};
    std::map<std::string, std::int64_t, std::less<>> given;  ///< "k", "blockIdx.x", ...
    std::uint32_t bytes = 4;                                 ///< of an element: 1, 2, 4, 8, 16
    std::uint64_t base = 0;                                  ///< where the array begins, bytes
};

/// Checks the block against the device, the element's size, the 8-byte mode.
Result<void> check(const Setting& setting);

/// One warp's addresses.
struct Request {
    std::vector<std::uint64_t> address;
    std::uint64_t mask = 0;
    unsigned lanes = 32;
    std::vector<std::uint32_t> small() const { return {address.begin(), address.end()}; }
};

/// The meanings of the names in an expression.
class Binding {
public:
    /// Errors: a variable in a row's length that has no value.
    static Result<Binding> bind(const IndexExpression& expression, const Setting& setting);
    /// Variables that are neither builtin nor given: the same in all lanes, 0 unless they are tried out.
    const std::vector<std::string>& open() const { return open_; }
    /// A warp's addresses, with `value` for the open variable number `which`.
    Result<Request> request(unsigned warp, std::size_t which = 0, std::int64_t value = 0) const;
    unsigned warps() const { return warps_; }

private:
    const IndexExpression* expression_ = nullptr;
    const Setting* setting_ = nullptr;
    std::vector<std::int64_t> values_;
    std::vector<std::size_t> open_places_;
    std::vector<std::string> open_;
    std::array<std::ptrdiff_t, 3> thread_{-1, -1, -1};
    unsigned warps_ = 0;
};

/// Sums over the block's warps and the open variables' values that were tried.
struct Cost {
    std::uint64_t requests = 0;
    std::uint64_t passes = 0;     ///< shared: wavefronts; global: transactions
    std::uint64_t ideal = 0;      ///< the same lanes at consecutive elements
    std::uint64_t conflicts = 0;  ///< shared: as hardware counts them
    std::uint64_t moved = 0;      ///< global: bytes
    std::uint64_t wanted = 0;     ///< global: distinct bytes that the lanes request
    unsigned worst = 0;           ///< passes of the worst request
    unsigned worst_warp = 0;
    std::int64_t worst_value = 0;  ///< of the first open variable
    unsigned tried = 1;            ///< values of each open variable
};
Result<Cost> cost_of(const IndexExpression& expression, const Setting& setting);

/// A change that was evaluated and is better: no expression costs more, and the sum less.
struct Fix {
    enum class Kind {
        padding,   ///< rows longer by `by` elements
        swizzle,   ///< the place in a row exclusive-or'ed with the row's number
        exchange,  ///< threadIdx.x and threadIdx.y exchanged
        align,     ///< the array begins `by` bytes further on
        fields,    ///< a structure's fields in separate arrays, which begin `by` bytes further on
    };
    Kind kind = Kind::padding;
    std::int64_t by = 0;
    std::vector<IndexExpression> expressions;
    std::vector<Cost> costs;
    Cost total;
};

/// Best first; those of equal cost in the order of the enumeration. All expressions are of the same array.
Result<std::vector<Fix>> propose(const std::vector<IndexExpression>& expressions, const Setting& setting);

/// The sum of several.
Cost sum(const std::vector<Cost>& costs);

}  // namespace warpwright::explain
