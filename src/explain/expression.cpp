// A recursive-descent parser of C's index expressions and the evaluation of its tree. It remembers where widths of rows
// stand in the text, so that padded and swizzled forms can be written as the user wrote the original.
#include "explain/expression.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>

#include <fmt/format.h>

namespace warpwright::explain {

/// One operator or operand. It is evaluated as a tree: expressions are short, and blocks have at most a thousand
/// threads.
struct ExpressionNode {
    enum class Kind { number, variable, unary, binary, choice };
    Kind kind = Kind::number;
    std::int64_t number = 0;  ///< or the variable's place among names()
    std::string op;
    std::size_t at = 0;  ///< in the text
    std::shared_ptr<const ExpressionNode> a, b, c;
};

namespace {

using Pointer = std::shared_ptr<const ExpressionNode>;

constexpr unsigned kDeepest = 200;

/// Functions of OpenCL C and CUDA's name for the same; the two that are made of several have none.
const std::map<std::string, const char*> kOpenCl = {{"get_local_id", "threadIdx"},  {"get_group_id", "blockIdx"},
                                                    {"get_local_size", "blockDim"}, {"get_num_groups", "gridDim"},
                                                    {"get_global_id", nullptr},     {"get_global_size", nullptr}};

Error fault(std::string what, std::size_t at, std::string hint = {}) {
    return Error{ErrorKind::input, std::move(what), {"expression", 1, static_cast<unsigned>(at + 1)}, std::move(hint)};
}

/// C's precedence; the higher binds tighter. 0: not a binary operator.
int precedence(std::string_view op) {
    static const std::map<std::string_view, int> table = {
        {"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5}, {"==", 6}, {"!=", 6}, {"<", 7},  {">", 7},
        {"<=", 7}, {">=", 7}, {"<<", 8}, {">>", 8}, {"+", 9}, {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};
    const auto it = table.find(op);
    return it == table.end() ? 0 : it->second;
}

/// The value, or the place and reason of an error.
struct Evaluation {
    const std::int64_t* values;
    std::string problem = {};
    std::size_t at = 0;

    std::int64_t fail(const ExpressionNode& n, const char* what) {
        if (problem.empty()) problem = what, at = n.at;
        return 0;
    }

    std::int64_t of(const ExpressionNode& n) {
        using K = ExpressionNode::Kind;
        switch (n.kind) {
            case K::number:
                return n.number;
            case K::variable:
                return values[n.number];
            case K::choice:
                return of(*n.a) ? of(*n.b) : of(*n.c);
            case K::unary: {
                const std::int64_t v = of(*n.a);
                if (n.op == "!") return !v;
                if (n.op == "~") return ~v;
                std::int64_t out = v;
                if (n.op == "-" && __builtin_sub_overflow(std::int64_t{0}, v, &out))
                    return fail(n, "the result does not fit 64 bits");
                return out;
            }
            case K::binary:
                return binary(n);
        }
        return 0;
    }

    std::int64_t binary(const ExpressionNode& n) {
        const std::string& op = n.op;
        const std::int64_t a = of(*n.a);
        if (op == "&&") return a && of(*n.b);
        if (op == "||") return a || of(*n.b);
        const std::int64_t b = of(*n.b);
        std::int64_t out = 0;
        bool over = false;
        if (op == "+")
            over = __builtin_add_overflow(a, b, &out);
        else if (op == "-")
            over = __builtin_sub_overflow(a, b, &out);
        else if (op == "*")
            over = __builtin_mul_overflow(a, b, &out);
        else if (op == "/" || op == "%") {
            if (b == 0) return fail(n, "a division by zero");
            if (b == -1)
                over = op == "/" && __builtin_sub_overflow(std::int64_t{0}, a, &out);
            else
                out = op == "/" ? a / b : a % b;
        } else if (op == "<<" || op == ">>") {
            if (b < 0 || b > 63) return fail(n, "a shift by less than 0 or more than 63");
            if (op == ">>") return a >> b;
            out = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << b);
            over = out >> b != a;
        } else if (op == "&")
            out = a & b;
        else if (op == "|")
            out = a | b;
        else if (op == "^")
            out = a ^ b;
        else if (op == "==")
            out = a == b;
        else if (op == "!=")
            out = a != b;
        else if (op == "<")
            out = a < b;
        else if (op == ">")
            out = a > b;
        else if (op == "<=")
            out = a <= b;
        else if (op == ">=")
            out = a >= b;
        return over ? fail(n, "the result does not fit 64 bits") : out;
    }
};

}  // namespace

bool is_builtin(std::string_view name) {
    if (name == "warpSize") return true;
    for (std::string_view base : {"threadIdx.", "blockIdx.", "blockDim.", "gridDim."})
        if (name.starts_with(base) && name.size() == base.size() + 1 && name.back() >= 'x' && name.back() <= 'z')
            return true;
    return false;
}

/// Recursive descent over the text; it keeps the first error.
class Parser {
public:
    explicit Parser(IndexExpression& out) : out_(out), text_(out.text_) {}

    Result<void> run() {
        skip();
        if (at_ == text_.size()) return fault("there is no expression", 0);
        array();
        if (!error_ && out_.array_.empty()) one_index();
        if (!error_ && at_ < text_.size()) unexpected();
        if (error_) return *error_;
        return {};
    }

private:
    void fail(std::string what, std::size_t at, std::string hint = {}) {
        if (!error_) error_ = fault(std::move(what), at, std::move(hint));
    }
    void unexpected() {
        if (at_ >= text_.size()) return fail("the expression ends too early", text_.size());
        const char c = text_[at_];
        if (c == '=' && text_.compare(at_, 2, "==") != 0) return fail("'=' assigns", at_, "give the index alone");
        fail(fmt::format("'{}' is not expected here", c), at_);
    }
    void skip() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    }
    bool take(std::string_view word) {
        skip();
        if (text_.compare(at_, word.size(), word) != 0) return false;
        at_ += word.size();
        return true;
    }
    static bool letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
    static bool word_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

    std::string word() {
        std::size_t end = at_;
        while (end < text_.size() &&
               (word_letter(text_[end]) || (text_[end] == '.' && end + 1 < text_.size() && letter(text_[end + 1]))))
            ++end;
        std::string out = text_.substr(at_, end - at_);
        at_ = end;
        return out;
    }

    /// `name[`...`]`: otherwise the text is one index.
    void array() {
        const std::size_t from = at_;
        if (letter(text_[at_])) {
            std::string name = word();
            if (take("[")) {
                out_.array_ = std::move(name);
                do {
                    one_index();
                    if (error_) return;
                    if (!take("]")) return at_ < text_.size() ? unexpected() : fail("a ']' is missing", text_.size());
                } while (take("["));
                skip();
                return;
            }
        }
        at_ = from;
    }

    void one_index() {
        skip();
        const std::size_t begin = at_;
        Pointer p = choice(0);
        if (!p) return;
        std::size_t end = at_;
        while (end > begin && std::isspace(static_cast<unsigned char>(text_[end - 1]))) --end;
        out_.indices_.push_back(std::move(p));
        out_.spans_.push_back({begin, end});
    }

    Pointer choice(unsigned depth) {
        Pointer a = binary(1, depth);
        if (!a || error_) return nullptr;
        skip();
        const std::size_t at = at_;
        if (!take("?")) return a;
        Pointer b = choice(depth + 1);
        if (!b || error_) return nullptr;
        if (!take(":")) return fail("'?' without ':'", at), nullptr;
        Pointer c = choice(depth + 1);
        if (!c || error_) return nullptr;
        return std::make_shared<ExpressionNode>(ExpressionNode{ExpressionNode::Kind::choice, 0, "?", at, a, b, c});
    }

    std::string_view peek_operator() {
        skip();
        for (std::size_t length : {std::size_t{2}, std::size_t{1}}) {
            const std::string_view op = std::string_view(text_).substr(std::min(at_, text_.size()), length);
            if (op.size() == length && precedence(op) > 0) return op;
        }
        return {};
    }

    Pointer binary(int least, unsigned depth) {
        if (depth > kDeepest) return fail("the expression is nested too deep", at_), nullptr;
        std::size_t left_at = (skip(), at_);
        Pointer left = unary(depth);
        std::size_t left_end = at_;
        while (left && !error_) {
            const std::string op(peek_operator());
            const int p = precedence(op);
            if (p == 0 || p < least) return left;
            const std::size_t at = at_;
            at_ += op.size();
            const std::size_t right_at = (skip(), at_);
            Pointer right = binary(p + 1, depth + 1);
            if (!right || error_) return nullptr;
            if (op == "*") {
                factor(*left, left_at, left_end);
                factor(*right, right_at, at_);
            }
            left = std::make_shared<ExpressionNode>(
                ExpressionNode{ExpressionNode::Kind::binary, 0, op, at, left, right, nullptr});
            left_end = at_;
        }
        return error_ ? nullptr : left;
    }

    /// A row's length: a plain number of 2 or more, or a plain variable of the user's.
    void factor(const ExpressionNode& n, std::size_t begin, std::size_t end) {
        while (end > begin && std::isspace(static_cast<unsigned char>(text_[end - 1]))) --end;
        if (n.kind == ExpressionNode::Kind::number && n.number >= 2)
            out_.factors_.push_back({begin, end - begin, n.number});
        else if (n.kind == ExpressionNode::Kind::variable &&
                 !is_builtin(out_.names_[static_cast<std::size_t>(n.number)]))
            out_.factors_.push_back({begin, end - begin, 0});
    }

    Pointer unary(unsigned depth) {
        if (depth > kDeepest) return fail("the expression is nested too deep", at_), nullptr;
        skip();
        const std::size_t at = at_;
        for (const char* op : {"-", "+", "!", "~"})
            if (take(op)) {
                Pointer a = unary(depth + 1);
                return a && !error_ ? std::make_shared<ExpressionNode>(
                                          ExpressionNode{ExpressionNode::Kind::unary, 0, op, at, a, nullptr, nullptr})
                                    : nullptr;
            }
        if (take("(")) {
            Pointer a = choice(depth + 1);
            if (!a || error_) return nullptr;
            if (!take(")")) return at_ < text_.size() ? unexpected() : fail("a ')' is missing", text_.size()), nullptr;
            return a;
        }
        if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) return number();
        if (at_ < text_.size() && letter(text_[at_])) return variable();
        unexpected();
        return nullptr;
    }

    Pointer number() {
        const std::size_t at = at_;
        const bool hex = text_.compare(at_, 2, "0x") == 0 || text_.compare(at_, 2, "0X") == 0;
        if (hex) at_ += 2;
        std::uint64_t value = 0;
        const std::size_t digits = at_;
        for (; at_ < text_.size(); ++at_) {
            const auto c = static_cast<unsigned char>(text_[at_]);
            if (!(hex ? std::isxdigit(c) : std::isdigit(c))) break;
            const auto digit = static_cast<std::uint64_t>(std::isdigit(c) ? c - '0' : std::tolower(c) - 'a' + 10);
            if (value > (std::uint64_t{std::numeric_limits<std::int64_t>::max()} - digit) / (hex ? 16 : 10))
                return fail("the number does not fit 64 bits", at), nullptr;
            value = value * (hex ? 16 : 10) + digit;
        }
        if (at_ == digits) return fail("a number has no digits", at), nullptr;
        while (at_ < text_.size() && (text_[at_] == 'u' || text_[at_] == 'U' || text_[at_] == 'l' || text_[at_] == 'L'))
            ++at_;
        if (at_ < text_.size() && (word_letter(text_[at_]) || text_[at_] == '.'))
            return fail("an index is made of whole numbers", at), nullptr;
        return std::make_shared<ExpressionNode>(ExpressionNode{
            ExpressionNode::Kind::number, static_cast<std::int64_t>(value), {}, at, nullptr, nullptr, nullptr});
    }

    /// A call of OpenCL C's, which leads to what CUDA has for it: "get_local_id(0)". Its parts do not stand in the
    /// text, so no proposal changes them.
    Pointer opencl(const std::string& name, std::size_t at) {
        take("(");
        skip();
        const std::string dimension = word();
        if ((dimension != "0" && dimension != "1" && dimension != "2") || !take(")"))
            return fail(fmt::format("'{}' needs 0, 1 or 2 in brackets, the dimension", name), at), nullptr;
        const auto part = [&](const char* builtin) {
            return named(fmt::format("{}.{}", builtin, static_cast<char>('x' + (dimension[0] - '0'))), at);
        };
        const auto joined = [&](const char* op, Pointer a, Pointer b) {
            return std::make_shared<ExpressionNode>(
                ExpressionNode{ExpressionNode::Kind::binary, 0, op, at, std::move(a), std::move(b), nullptr});
        };
        if (kOpenCl.at(name)) return part(kOpenCl.at(name));
        Pointer outer = part(name == "get_global_id" ? "blockIdx" : "gridDim");
        Pointer product = joined("*", std::move(outer), part("blockDim"));
        return name == "get_global_id" ? joined("+", std::move(product), part("threadIdx")) : product;
    }

    Pointer variable() {
        const std::size_t at = at_;
        std::string name = word();
        skip();
        if (at_ < text_.size() && text_[at_] == '(' && kOpenCl.contains(name)) return opencl(name, at);
        if (at_ < text_.size() && text_[at_] == '(')
            return fail(fmt::format("'{}' is called; its result is not known here", name), at,
                        "write out what it computes; get_local_id(0) and OpenCL's others of this kind are known"),
                   nullptr;
        if (at_ < text_.size() && text_[at_] == '[')
            return fail(fmt::format("'{}' is indexed; an index that comes from memory cannot be known here", name), at),
                   nullptr;
        if (name.find('.') != std::string::npos && !is_builtin(name))
            return fail(fmt::format("there is no '{}'", name), at,
                        "there are threadIdx, blockIdx, blockDim and gridDim, each .x .y .z"),
                   nullptr;
        if (name == "threadIdx" || name == "blockIdx" || name == "blockDim" || name == "gridDim")
            return fail(fmt::format("'{}' needs .x, .y or .z", name), at), nullptr;
        return named(name, at);
    }

    Pointer named(const std::string& name, std::size_t at) {
        auto it = std::find(out_.names_.begin(), out_.names_.end(), name);
        if (it == out_.names_.end()) it = out_.names_.insert(it, name);
        return std::make_shared<ExpressionNode>(ExpressionNode{
            ExpressionNode::Kind::variable, it - out_.names_.begin(), {}, at, nullptr, nullptr, nullptr});
    }

    IndexExpression& out_;
    const std::string& text_;
    std::size_t at_ = 0;
    std::optional<Error> error_;
};

Result<IndexExpression> IndexExpression::parse(std::string text, std::vector<std::int64_t> dims) {
    IndexExpression out;
    out.text_ = std::move(text);
    out.dims_ = std::move(dims);
    if (auto done = Parser(out).run(); !done) return std::move(done).error();
    const std::size_t n = out.indices_.size();
    if (out.dims_.empty() && n == 1) return out;
    if (out.dims_.size() != n)
        return fault(out.dims_.empty() ? fmt::format("{} indices, and the array's extents are not known", n)
                                       : fmt::format("{} indices, and {} extents", n, out.dims_.size()),
                     out.spans_.front().begin, "give as many extents as there are indices: --dims 32x33");
    for (std::size_t i = 0; i < n; ++i)
        if (out.dims_[i] < 0 || (out.dims_[i] == 0 && i > 0))
            return Error{ErrorKind::usage, fmt::format("an array's extent is {}", out.dims_[i]), Location{},
                         "--dims 32x33"};
    return out;
}

Result<std::int64_t> IndexExpression::index(const std::int64_t* values) const {
    std::int64_t flat = 0;
    for (std::size_t i = 0; i < indices_.size(); ++i) {
        Evaluation e{values};
        const std::int64_t v = e.of(*indices_[i]);
        if (!e.problem.empty()) return fault(e.problem, e.at);
        if (v < 0) return fault(fmt::format("the index is {}", v), spans_[i].begin);
        if (!dims_.empty() && dims_[i] > 0 && v >= dims_[i])
            return fault(fmt::format("the index is {}, the extent {}", v, dims_[i]), spans_[i].begin);
        const std::int64_t extent = i == 0 ? 1 : dims_[i];
        if (__builtin_mul_overflow(flat, extent, &flat) || __builtin_add_overflow(flat, v, &flat))
            return fault("the index does not fit 64 bits", spans_[i].begin);
    }
    return flat;
}

std::vector<IndexExpression::Width> IndexExpression::widths() const {
    std::vector<Width> out;
    if (indices_.size() > 1) out.push_back({"", dims_.back()});
    for (const Factor& f : factors_) {
        Width w{text_.substr(f.at, f.length), f.value};
        if (std::none_of(out.begin(), out.end(), [&](const Width& o) { return o.word == w.word; }))
            out.push_back(std::move(w));
    }
    return out;
}

Result<IndexExpression> IndexExpression::padded(const Width& width, std::int64_t by) const {
    if (width.word.empty()) {
        std::vector<std::int64_t> dims = dims_;
        dims.back() += by;
        return parse(text_, std::move(dims));
    }
    std::string text = text_;
    std::vector<Factor> places = factors_;
    std::sort(places.begin(), places.end(), [](const Factor& a, const Factor& b) { return a.at > b.at; });
    for (const Factor& f : places) {
        if (text_.substr(f.at, f.length) != width.word) continue;
        std::size_t from = f.at, to = f.at + f.length;
        if (f.value + by == 1 && f.value != 0) {  // a factor of 1 goes, with its sign
            while (from > 0 && text[from - 1] == ' ') --from;
            if (from > 0 && text[from - 1] == '*') {
                --from;
            } else {
                from = f.at;
                while (to < text.size() && (text[to] == ' ' || text[to] == '*')) ++to;
            }
            text.erase(from, to - from);
            continue;
        }
        text.replace(f.at, f.length, f.value ? std::to_string(f.value + by) : fmt::format("({} + {})", width.word, by));
    }
    return parse(std::move(text), dims_);
}

Result<IndexExpression> IndexExpression::swizzled(const Width& row, std::int64_t mask, std::int64_t scale) const {
    const std::string times = scale == 1 ? "" : fmt::format("*{}", scale);
    std::string text = text_;
    const TextRange last = spans_.back();
    const std::string inner = text_.substr(last.begin, last.end - last.begin);
    if (indices_.size() > 1) {
        const TextRange before = spans_[spans_.size() - 2];
        const std::string number = text_.substr(before.begin, before.end - before.begin);
        text.replace(last.begin, inner.size(), fmt::format("({}) ^ (({}) % {}){}", inner, number, mask + 1, times));
    } else {
        text.replace(last.begin, inner.size(),
                     fmt::format("({}) ^ (({}) / {} % {}){}", inner, inner, row.word, mask + 1, times));
    }
    return parse(std::move(text), dims_);
}

Result<IndexExpression> IndexExpression::exchanged(std::string_view a, std::string_view b) const {
    std::string text;
    for (std::size_t i = 0; i < text_.size();) {
        const bool starts = i == 0 || !(std::isalnum(static_cast<unsigned char>(text_[i - 1])) || text_[i - 1] == '_' ||
                                        text_[i - 1] == '.');
        if (starts && text_.compare(i, a.size(), a) == 0) {
            text += b;
            i += a.size();
        } else if (starts && text_.compare(i, b.size(), b) == 0) {
            text += a;
            i += b.size();
        } else {
            text += text_[i++];
        }
    }
    return parse(std::move(text), dims_);
}

}  // namespace warpwright::explain
