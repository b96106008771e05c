// An array index as CUDA C has it, "tile[threadIdx.x*32 + k]" or "tile[ty][tx ^ ty % 32]", to be evaluated for every
// thread of a block. It has whole numbers of 64 bits and C's operators, without assignments, calls and casts. Errors
// are located by their column in the text.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.hpp"

namespace warpwright::explain {

/// Names whose values each thread knows: threadIdx.x, ... gridDim.z, warpSize.
bool is_builtin(std::string_view name);

struct ExpressionNode;

class IndexExpression {
public:
    /// `name[i]`, `name[i][j]`, ..., or an index alone. `dims`: the array's extents, outermost first, as many as there
    /// are indices (the first may be 0: not known); with one index they may be left out.
    static Result<IndexExpression> parse(std::string text, std::vector<std::int64_t> dims = {});

    const std::string& text() const { return text_; }
    const std::string& array() const { return array_; }  ///< "tile"; empty where the text is an index alone
    const std::vector<std::int64_t>& dims() const { return dims_; }
    const std::vector<std::string>& names() const { return names_; }  ///< the variables, each once

    /// The element's index in the array, with a value for each of names(). Errors are input: a division by zero, an
    /// index out of its extent, a result that does not fit.
    Result<std::int64_t> index(const std::int64_t* values) const;

    /// The length of a row of the array, as far as the text shows it: a number, or a variable of the user's, that
    /// something is multiplied by, or the last extent.
    struct Width {
        std::string word;        ///< "32", "TILE"; empty: the last extent
        std::int64_t value = 0;  ///< of a number or an extent; 0: a variable
    };
    std::vector<Width> widths() const;
    /// The same index with rows of `width` that are `by` elements longer.
    Result<IndexExpression> padded(const Width& width, std::int64_t by) const;
    /// The same with the element's place in its row of `row` elements exclusive-or'ed with the row's number (its lowest
    /// `mask` + 1, a power of two), times `scale`.
    Result<IndexExpression> swizzled(const Width& row, std::int64_t mask, std::int64_t scale) const;
    /// The same with two builtin variables exchanged.
    Result<IndexExpression> exchanged(std::string_view a, std::string_view b) const;

private:
    struct Factor {
        std::size_t at, length;  ///< in the text
        std::int64_t value;      ///< 0: a variable
    };
    struct TextRange {
        std::size_t begin, end;
    };
    std::string text_, array_;
    std::vector<std::int64_t> dims_;
    std::vector<std::string> names_;
    std::vector<std::shared_ptr<const ExpressionNode>> indices_;
    std::vector<TextRange> spans_;  ///< of each index in the text
    std::vector<Factor> factors_;
    friend class Parser;
};

}  // namespace warpwright::explain
