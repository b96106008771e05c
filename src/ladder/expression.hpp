// Expressions of ladder files and of the command line: "ceil_div(N, TILE)", "4*(M*K + K*N)".
//
// Arithmetic is that of double precision, which is exact for integers up to 2^53; `/` is true division. Where a
// whole number is wanted, a result that is not one is an error, so a silent rounding cannot happen.
// Functions: ceil_div(a,b), div(a,b) (rounded down), mod(a,b), round_up(a,b) (to a multiple of b), next_pow2(a),
// min, max, abs, sqrt, log2, floor, ceil, and the usual operators including < <= == != && || and c ? a : b.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "support/result.hpp"

namespace warpwright::ladder {

using Variables = std::map<std::string, double, std::less<>>;

class Expression {
public:
    Expression() = default;  ///< the constant 0

    /// ErrorKind::input with the place and the position in the text when the syntax is wrong.
    static Result<Expression> parse(std::string text, Location where = {});

    const std::string& text() const { return text_; }
    const Location& where() const { return where_; }
    /// The variables it uses, sorted.
    const std::vector<std::string>& names() const { return names_; }

    /// Its value; ErrorKind::input for an unknown variable, a division by zero or a value that is not finite.
    Result<double> real(const Variables& variables) const;
    /// The same, and the value must be whole and at most 2^53 in size.
    Result<std::int64_t> integer(const Variables& variables) const;

private:
    std::string text_ = "0";
    Location where_;
    std::vector<std::string> names_;
};

/// An expression prepared for many evaluations with changing variables.
class BoundExpression {
public:
    /// `variables` must outlive this object and keep its keys; values may change between calls.
    static Result<BoundExpression> bind(const Expression& expression, Variables& variables);
    BoundExpression(BoundExpression&&) noexcept;
    BoundExpression& operator=(BoundExpression&&) noexcept;
    ~BoundExpression();

    double operator()() const;  ///< not finite where the expression is not defined

private:
    struct Parser;
    explicit BoundExpression(std::unique_ptr<Parser> parser);
    std::unique_ptr<Parser> parser_;
};

}  // namespace warpwright::ladder
