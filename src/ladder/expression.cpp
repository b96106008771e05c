// muParser with functions of our own. An expression is parsed when it is read, for its errors and the names in it, and
// bound once to the places of variables where it is evaluated for each element.
#include "ladder/expression.hpp"

#include <muParser.h>

#include <cmath>
#include <list>

namespace warpwright::ladder {
namespace {

double ceil_div(double a, double b) { return std::ceil(a / b); }
double div_down(double a, double b) { return std::floor(a / b); }
double mod(double a, double b) { return a - b * std::floor(a / b); }
double round_up(double a, double b) { return b * std::ceil(a / b); }
double next_pow2(double a) { return a <= 1 ? 1.0 : std::exp2(std::ceil(std::log2(a))); }
double floor_of(double a) { return std::floor(a); }
double ceil_of(double a) { return std::ceil(a); }

void add_functions(mu::Parser& parser) {
    parser.DefineFun("ceil_div", ceil_div);
    parser.DefineFun("div", div_down);
    parser.DefineFun("mod", mod);
    parser.DefineFun("round_up", round_up);
    parser.DefineFun("next_pow2", next_pow2);
    parser.DefineFun("floor", floor_of);
    parser.DefineFun("ceil", ceil_of);
}

double* make_variable(const char*, void* storage) {
    auto* list = static_cast<std::list<double>*>(storage);
    list->push_back(1.0);
    return &list->back();
}

Error at(const Expression& e, std::string what) {
    return Error{ErrorKind::input, "in '" + e.text() + "': " + std::move(what), e.where(), ""};
}

std::string lower_first(std::string text) {
    if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
    if (!text.empty() && text.back() == '.') text.pop_back();
    for (char& c : text)
        if (c == '"') c = '\'';
    return text;
}

}  // namespace

struct BoundExpression::Parser {
    mu::Parser parser;
};

BoundExpression::BoundExpression(std::unique_ptr<Parser> parser) : parser_(std::move(parser)) {}
BoundExpression::BoundExpression(BoundExpression&&) noexcept = default;
BoundExpression& BoundExpression::operator=(BoundExpression&&) noexcept = default;
BoundExpression::~BoundExpression() = default;

double BoundExpression::operator()() const {
    try {
        return parser_->parser.Eval();
    } catch (const mu::ParserError&) {
        return std::nan("");
    }
}

Result<BoundExpression> BoundExpression::bind(const Expression& expression, Variables& variables) {
    for (const std::string& name : expression.names())
        if (!variables.contains(name)) {
            std::string known;
            for (const auto& [key, value] : variables) known += (known.empty() ? "" : ", ") + key;
            Error error = at(expression, "'" + name + "' is not known here");
            error.hint = "known: " + known;
            return error;
        }
    auto parser = std::make_unique<Parser>();
    try {
        add_functions(parser->parser);
        for (const std::string& name : expression.names())
            parser->parser.DefineVar(name, &variables.find(name)->second);
        parser->parser.SetExpr(expression.text());
    } catch (const mu::ParserError& e) {
        return at(expression, lower_first(e.GetMsg()));
    }
    return BoundExpression(std::move(parser));
}

Result<Expression> Expression::parse(std::string text, Location where) {
    Expression result;
    result.text_ = std::move(text);
    result.where_ = std::move(where);
    std::list<double> storage;
    try {
        mu::Parser parser;
        add_functions(parser);
        parser.SetVarFactory(make_variable, &storage);
        parser.SetExpr(result.text_);
        parser.Eval();  // muParser finds syntax errors when it first compiles
        if (parser.GetNumResults() != 1) return at(result, "one value is wanted, not a list");
        for (const auto& [name, address] : parser.GetUsedVar()) result.names_.push_back(name);
    } catch (const mu::ParserError& e) {
        return at(result, lower_first(e.GetMsg()));
    }
    return result;
}

Result<double> Expression::real(const Variables& variables) const {
    Variables copy = variables;
    auto bound = BoundExpression::bind(*this, copy);
    if (!bound) return std::move(bound).error();
    double value = (*bound)();
    if (!std::isfinite(value)) return at(*this, "the value is not a finite number (division by zero?)");
    return value;
}

Result<std::int64_t> Expression::integer(const Variables& variables) const {
    auto value = real(variables);
    if (!value) return std::move(value).error();
    if (*value != std::floor(*value)) {
        Error error = at(*this, "the value " + std::to_string(*value) + " is not a whole number");
        error.hint = "use div() or ceil_div()";
        return error;
    }
    if (std::fabs(*value) > 9007199254740992.0) return at(*this, "the value is beyond 2^53");
    return static_cast<std::int64_t>(*value);
}

}  // namespace warpwright::ladder
