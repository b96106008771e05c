// PTX made wrong, or merely other, in the ways of the language: opcodes, suffixes, operands, constants, registers,
// labels and guards exchanged, instructions doubled, moved and left out. Most of what comes out is still PTX, so that
// it reaches what lies behind the parser. The same every time for the same seed.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpwright::test {

class PtxMutator {
public:
    explicit PtxMutator(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}

    std::string operator()(const std::string& text) {
        pieces_ = split(text);
        find();
        const unsigned changes = 1 + below(5);
        for (unsigned n = 0; n < changes && !instructions_.empty(); ++n) {
            change(below(instructions_.size()));
            find();
        }
        std::string out;
        for (const auto& p : pieces_) out += p;
        return out;
    }

private:
    std::uint64_t next() {  // xorshift64*
        state_ ^= state_ >> 12, state_ ^= state_ << 25, state_ ^= state_ >> 27;
        return state_ * 0x2545f4914f6cdd1du;
    }
    unsigned below(std::size_t n) { return n == 0 ? 0 : static_cast<unsigned>((next() >> 33) % n); }
    template <class T, std::size_t N>
    const T& any(const T (&list)[N]) {
        return list[below(N)];
    }

    /// Pieces that end with ';', '{', '}' or ':' outside of comments and texts; together they are the text.
    static std::vector<std::string> split(const std::string& text) {
        std::vector<std::string> out(1);
        bool quoted = false, comment = false;
        for (std::size_t i = 0; i < text.size(); ++i) {
            const char c = text[i];
            out.back() += c;
            if (comment)
                comment = c != '\n';
            else if (quoted)
                quoted = c != '"';
            else if (c == '"')
                quoted = true;
            else if (c == '/' && i + 1 < text.size() && text[i + 1] == '/')
                comment = true;
            else if (c == ';' || c == '}' ||
                     (c == ':' && i + 1 < text.size() && text[i + 1] != ':' && text[i - 1] != ':'))
                out.emplace_back();
            else if (c == '{' && std::all_of(out.back().begin(), out.back().end() - 1,
                                             [](unsigned char x) { return std::isspace(x); }))
                out.emplace_back();
        }
        return out;
    }

    static std::size_t first_of(const std::string& piece) {
        std::size_t at = piece.find_first_not_of(" \t\r\n");
        while (at != std::string::npos && piece.compare(at, 2, "//") == 0) {
            at = piece.find('\n', at);
            if (at != std::string::npos) at = piece.find_first_not_of(" \t\r\n", at);
        }
        return at;
    }

    /// Which pieces are instructions, and the words that they use.
    void find() {
        instructions_.clear(), registers_.clear(), labels_.clear();
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
            const auto& p = pieces_[i];
            const auto at = first_of(p);
            if (at == std::string::npos) continue;
            if (p.back() == ':' && p[at] != '.') labels_.push_back(p.substr(at, p.size() - 1 - at));
            if (p.back() != ';' || (!std::islower(static_cast<unsigned char>(p[at])) && p[at] != '@')) continue;
            instructions_.push_back(i);
            for (const auto& [from, length] : words(p))
                if (p[from] == '%') registers_.push_back(p.substr(from, length));
        }
    }

    struct Word {
        std::size_t at, length;
    };
    /// Registers, numbers and names after the opcode.
    static std::vector<Word> words(const std::string& piece) {
        std::vector<Word> out;
        const auto begin = opcode(piece);
        for (std::size_t i = begin.at + begin.length; i < piece.size();) {
            const auto c = static_cast<unsigned char>(piece[i]);
            if (!std::isalnum(c) && c != '%' && c != '_' && c != '$') {
                ++i;
                continue;
            }
            std::size_t end = i + 1;
            while (end < piece.size() && (std::isalnum(static_cast<unsigned char>(piece[end])) || piece[end] == '_' ||
                                          piece[end] == '$' || piece[end] == '.'))
                ++end;
            out.push_back({i, end - i});
            i = end;
        }
        return out;
    }
    /// The opcode with its suffixes.
    static Word opcode(const std::string& piece) {
        auto at = first_of(piece);
        if (at == std::string::npos) return {0, 0};
        if (piece[at] == '@') {
            at = piece.find_first_of(" \t\n", at);
            if (at != std::string::npos) at = piece.find_first_not_of(" \t\r\n", at);
            if (at == std::string::npos) return {0, 0};
        }
        auto end = at;
        while (end < piece.size() && (std::isalnum(static_cast<unsigned char>(piece[end])) || piece[end] == '.' ||
                                      piece[end] == '_' || piece[end] == ':'))
            ++end;
        return {at, end - at};
    }

    void replace(std::string& piece, const Word& w, const std::string& with) { piece.replace(w.at, w.length, with); }

    /// One word of a kind for another of the kind.
    void change_word(std::string& piece) {
        const auto all = words(piece);
        if (all.empty()) return;
        const auto w = all[below(all.size())];
        const char c = piece[w.at];
        if (c == '%' && !registers_.empty()) {
            // Of the same class, mostly: it has the same first letters.
            std::string other = registers_[below(registers_.size())];
            for (unsigned tries = 0; tries < 8 && other.substr(0, 2) != piece.substr(w.at, 2); ++tries)
                other = registers_[below(registers_.size())];
            replace(piece, w, other);
        } else if (std::isdigit(static_cast<unsigned char>(c))) {
            replace(piece, w, any(kNumbers));
        } else if (!labels_.empty()) {
            replace(piece, w, labels_[below(labels_.size())]);
        }
    }

    /// A suffix of the opcode: exchanged, left out, or another one added.
    void change_suffix(std::string& piece) {
        const auto op = opcode(piece);
        std::string text = piece.substr(op.at, op.length);
        std::vector<std::size_t> dots;
        for (std::size_t i = 0; i < text.size(); ++i)
            if (text[i] == '.') dots.push_back(i);
        if (dots.empty() || below(6) == 0) {
            text += any(kSuffixes);
        } else {
            const auto k = below(dots.size());
            const auto end = k + 1 < dots.size() ? dots[k + 1] : text.size();
            text.replace(dots[k], end - dots[k], below(5) == 0 ? "" : below(3) == 0 ? any(kSuffixes) : any(kTypes));
        }
        replace(piece, op, text);
    }

    /// The opcode of another instruction, or one of all, with the suffixes of this one.
    void change_opcode(std::string& piece) {
        const auto op = opcode(piece);
        auto end = piece.find('.', op.at);
        if (end == std::string::npos || end > op.at + op.length) end = op.at + op.length;
        if (below(3) == 0) {
            const auto& other = pieces_[instructions_[below(instructions_.size())]];
            const auto o = opcode(other);
            replace(piece, op, other.substr(o.at, o.length));
        } else {
            piece.replace(op.at, end - op.at, any(kOpcodes));
        }
    }

    void change_guard(std::string& piece) {
        const auto at = first_of(piece);
        if (piece[at] == '@') {
            if (piece.compare(at + 1, 1, "!") == 0)
                piece.erase(at + 1, 1);
            else if (below(2))
                piece.insert(at + 1, "!");
            else
                piece.erase(at, opcode(piece).at - at);
            return;
        }
        std::vector<std::string> predicates;
        for (const auto& r : registers_)
            if (r.starts_with("%p")) predicates.push_back(r);
        if (!predicates.empty()) piece.insert(at, "@" + predicates[below(predicates.size())] + " ");
    }

    void change_operands(std::string& piece) {
        const auto all = words(piece);
        if (all.size() < 2) return;
        const auto i = below(all.size() - 1);
        const auto j = i + 1 + below(all.size() - 1 - i);
        const auto first = piece.substr(all[i].at, all[i].length), second = piece.substr(all[j].at, all[j].length);
        replace(piece, all[j], first);
        replace(piece, all[i], second);
    }

    void change_address(std::string& piece) {
        const auto end = piece.find(']');
        if (end == std::string::npos) return change_word(piece);
        if (const auto plus = piece.find('+'); plus != std::string::npos && plus < end)
            piece.replace(plus, end - plus, "+" + any(kNumbers));
        else
            piece.insert(end, "+" + any(kNumbers));
    }

    void change(std::size_t which) {
        const auto at = instructions_[which];
        auto& piece = pieces_[at];
        switch (below(13)) {
            case 0:
                pieces_.erase(pieces_.begin() + static_cast<std::ptrdiff_t>(at));
                return;
            case 1: {
                const auto copy = piece;
                const auto to = instructions_[below(instructions_.size())];
                pieces_.insert(pieces_.begin() + static_cast<std::ptrdiff_t>(to), copy);
                return;
            }
            case 2:
                std::swap(piece, pieces_[instructions_[below(instructions_.size())]]);
                return;
            case 3:
            case 4:
                return change_opcode(piece);
            case 5:
            case 6:
                return change_suffix(piece);
            case 7:
                return change_guard(piece);
            case 8:
                return change_operands(piece);
            case 9:
                return change_address(piece);
            default:
                return change_word(piece);
        }
    }

    inline static const std::string kNumbers[] = {"0",
                                                  "1",
                                                  "2",
                                                  "3",
                                                  "4",
                                                  "7",
                                                  "8",
                                                  "15",
                                                  "16",
                                                  "31",
                                                  "32",
                                                  "63",
                                                  "64",
                                                  "127",
                                                  "128",
                                                  "255",
                                                  "256",
                                                  "1023",
                                                  "1024",
                                                  "4095",
                                                  "4096",
                                                  "32767",
                                                  "65535",
                                                  "65536",
                                                  "0x7fffffff",
                                                  "0x80000000",
                                                  "0xffffffff",
                                                  "4294967296",
                                                  "-1",
                                                  "-4",
                                                  "-16",
                                                  "-4096",
                                                  "-2147483648",
                                                  "9223372036854775807",
                                                  "0xffffffffffffffff",
                                                  "0f3F800000",
                                                  "0f7F800000",
                                                  "0f7FC00000",
                                                  "0fFF800000",
                                                  "0f80000000",
                                                  "0f00000001",
                                                  "0d3FF0000000000000"};
    inline static const std::string kTypes[] = {
        ".u8",  ".s8",  ".b8",  ".u16", ".s16",  ".b16",   ".u32",    ".s32",  ".b32",  ".u64",    ".s64",
        ".b64", ".f16", ".f32", ".f64", ".bf16", ".f16x2", ".bf16x2", ".pred", ".b128", ".e4m3x2", ".tf32"};
    inline static const std::string kSuffixes[] = {
        ".global",  ".shared",    ".local",    ".const",       ".param",       ".shared::cluster",
        ".v2",      ".v4",        ".lo",       ".hi",          ".wide",        ".sat",
        ".ftz",     ".rn",        ".rz",       ".rp",          ".rm",          ".rni",
        ".approx",  ".cc",        ".volatile", ".relaxed.gpu", ".acquire.gpu", ".sync",
        ".aligned", ".x1",        ".x4",       ".trans",       ".add",         ".min",
        ".max",     ".exch",      ".cas",      ".and",         ".inc",         ".eq",
        ".lt",      ".gtu",       ".nan",      ".to",          ".uni",         ".full",
        ".idx",     ".up",        ".down",     ".bfly",        ".all",         ".any",
        ".ballot",  ".wrap",      ".clamp",    ".m8n8",        ".noinc",       ".init",
        ".arrive",  ".expect_tx", ".try_wait", ".parity",      ".cta",         ".gpu",
        ".sys",     ".ca",        ".cg"};
    inline static const std::string kOpcodes[] = {"add",
                                                  "sub",
                                                  "mul",
                                                  "mad",
                                                  "fma",
                                                  "div",
                                                  "rem",
                                                  "min",
                                                  "max",
                                                  "abs",
                                                  "neg",
                                                  "and",
                                                  "or",
                                                  "xor",
                                                  "not",
                                                  "shl",
                                                  "shr",
                                                  "shf",
                                                  "bfe",
                                                  "bfi",
                                                  "brev",
                                                  "clz",
                                                  "popc",
                                                  "bfind",
                                                  "fns",
                                                  "lop3",
                                                  "prmt",
                                                  "sad",
                                                  "dp4a",
                                                  "dp2a",
                                                  "setp",
                                                  "set",
                                                  "selp",
                                                  "slct",
                                                  "mov",
                                                  "cvt",
                                                  "cvta",
                                                  "ld",
                                                  "st",
                                                  "atom",
                                                  "red",
                                                  "cp.async",
                                                  "ldu",
                                                  "prefetch",
                                                  "isspacep",
                                                  "shfl.sync",
                                                  "vote.sync",
                                                  "match.any.sync",
                                                  "redux.sync",
                                                  "activemask",
                                                  "elect.sync",
                                                  "bar.sync",
                                                  "bar.arrive",
                                                  "bar.red.popc",
                                                  "barrier.sync",
                                                  "bar.warp.sync",
                                                  "membar",
                                                  "fence",
                                                  "mbarrier",
                                                  "mapa",
                                                  "getctarank",
                                                  "ldmatrix",
                                                  "stmatrix",
                                                  "mma",
                                                  "wmma",
                                                  "rcp",
                                                  "sqrt",
                                                  "rsqrt",
                                                  "sin",
                                                  "cos",
                                                  "ex2",
                                                  "lg2",
                                                  "tanh",
                                                  "testp",
                                                  "copysign",
                                                  "addc",
                                                  "subc",
                                                  "madc",
                                                  "mul24",
                                                  "mad24",
                                                  "vadd",
                                                  "vabsdiff4",
                                                  "bra",
                                                  "brx",
                                                  "call",
                                                  "ret",
                                                  "exit",
                                                  "trap",
                                                  "nanosleep",
                                                  "szext",
                                                  "bmsk",
                                                  "suld",
                                                  "sust",
                                                  "tex",
                                                  "txq",
                                                  "alloca",
                                                  "stacksave",
                                                  "st.bulk",
                                                  "cp.async.bulk",
                                                  "cp.reduce.async.bulk",
                                                  "discard",
                                                  "setmaxnreg",
                                                  "griddepcontrol"};

    std::uint64_t state_;
    std::vector<std::string> pieces_;
    std::vector<std::size_t> instructions_;
    std::vector<std::string> registers_, labels_;
};

}  // namespace warpwright::test
