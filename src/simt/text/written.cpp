// How the operands of a PTX instruction were written, as a short text (text.hpp).
#include <charconv>

#include "simt/text/words.hpp"

namespace warpwright::simt::text {

namespace {

using Kind = Written::Kind;

constexpr unsigned kMostNested = 8;

/// One operand. `plain`: nobody asks what a register was made from.
std::string one(const Written& w, bool plain) {
    std::string s = std::string(w.minus ? "-" : "") + (w.negated ? "!" : "");
    const auto list = [&](char open, char close) {
        s += open;
        for (std::size_t k = 0; k < w.elements.size(); ++k) s += (k ? "," : "") + one(w.elements[k], plain);
        return s + close;
    };
    switch (w.kind) {
        case Kind::integer:
            return s + std::to_string(w.value);
        case Kind::vector:
            return list('{', '}');
        case Kind::address:
            return list('[', ']');
        case Kind::pair:
            return list('(', ')');
        case Kind::sink:
            return s + (plain ? "r" : "_");
        default:
            return s + "r" + (w.text.empty() ? "" : "." + w.text);
    }
}

std::string all(const std::vector<Written>& operands, bool plain) {
    std::string s;
    for (const auto& o : operands) s += (s.empty() ? "" : ",") + one(o, plain);
    return s;
}

class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}

    std::optional<std::vector<Written>> run() {
        auto read = list(0);
        return ok_ && at_ == text_.size() ? std::optional(std::move(read)) : std::nullopt;
    }

private:
    bool accept(char c) {
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }

    std::vector<Written> list(unsigned depth) {
        std::vector<Written> out;
        if (depth > kMostNested) ok_ = false;
        if (!ok_ || at_ >= text_.size() || text_[at_] == '}' || text_[at_] == ']' || text_[at_] == ')') return out;
        do out.push_back(operand(depth));
        while (ok_ && accept(','));
        return out;
    }

    Written operand(unsigned depth) {
        Written w;
        w.minus = accept('-');
        w.negated = accept('!');
        const auto nested = [&](Kind kind, char close) {
            w.kind = kind;
            w.elements = list(depth + 1);
            ok_ = ok_ && accept(close);
        };
        if (accept('{'))
            nested(Kind::vector, '}');
        else if (accept('['))
            nested(Kind::address, ']');
        else if (accept('('))
            nested(Kind::pair, ')');
        else if (accept('r'))
            reg(w);
        else if (!accept('_'))
            integer(w);
        return w;
    }

    void reg(Written& w) {
        w.kind = Kind::reg;
        if (!accept('.')) return;
        const auto from = at_;
        while (at_ < text_.size() && std::string_view(",)]}").find(text_[at_]) == std::string_view::npos) ++at_;
        w.text = text_.substr(from, at_ - from);
        ok_ = ok_ && !w.text.empty();
    }

    void integer(Written& w) {
        w.kind = Kind::integer;
        const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), w.value);
        ok_ = ok_ && error == std::errc();
        at_ = static_cast<std::size_t>(end - text_.data());
    }

    std::string_view text_;
    std::size_t at_ = 0;
    bool ok_ = true;
};

}  // namespace

std::vector<Written> implied_operands(const Inst& i) {
    const bool carries_in = facts(i.ptx->op).family == Family::carry, carries_out = i.ptx->has(Mod::cc);
    const std::size_t results = i.out.size() - (carries_out && !i.out.empty() ? 1 : 0);
    const std::size_t inputs = i.in.size() - (carries_in && !i.in.empty() ? 1 : 0);
    Written reg;
    reg.kind = Kind::reg;
    std::vector<Written> out(1, reg);
    if (results > 1) {
        out[0].kind = Kind::pair;
        out[0].elements.assign(results, reg);
    }
    for (std::size_t k = 0; k < inputs; ++k) {
        Written w = reg;
        if (i.in[k].is_integer()) w.kind = Kind::integer, w.value = i.in[k].bits;
        w.negated = i.in[k].negated;
        out.push_back(std::move(w));
    }
    return out;
}

namespace {

/// Whether the meaning of such an instruction depends on how its operands were written; not so what helps another one.
bool depends(const Inst& i) {
    switch (i.kind) {
        case InstKind::data:
        case InstKind::copy_group:
        case InstKind::matrix:
        case InstKind::matrix_load:
        case InstKind::matrix_store:
        case InstKind::matrix_move:
        case InstKind::matrix_async:
        case InstKind::async_op:
        case InstKind::async_wait:
            return true;
        default:
            return i.kind == InstKind::nop && facts(i.ptx->op).form == Form::wgmma;
    }
}

}  // namespace

std::string written(const Inst& i) {
    if (!i.ptx || i.ptx->operands.empty() || !depends(i)) return "";
    const bool data = facts(i.ptx->op).form == Form::data;
    const auto text = all(i.ptx->operands, data);
    return i.kind == InstKind::data && text == all(implied_operands(i), data) ? "" : text;
}

std::optional<std::vector<Written>> written_from(std::string_view text) { return Reader(text).run(); }

}  // namespace warpwright::simt::text
