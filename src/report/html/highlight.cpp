// Only what spans lines is remembered from one to the next: comments, raw strings and continued directives. That is
// enough for reading, and wrong source cannot make it fail.
#include "report/html/highlight.hpp"

#include <algorithm>
#include <set>

namespace warpwright::report {
namespace {

const std::set<std::string_view> kKeywords{"alignas",      "asm",
                                           "auto",         "break",
                                           "case",         "catch",
                                           "class",        "const",
                                           "consteval",    "constexpr",
                                           "const_cast",   "continue",
                                           "decltype",     "default",
                                           "delete",       "do",
                                           "dynamic_cast", "else",
                                           "enum",         "explicit",
                                           "extern",       "false",
                                           "for",          "friend",
                                           "goto",         "if",
                                           "inline",       "mutable",
                                           "namespace",    "new",
                                           "noexcept",     "nullptr",
                                           "operator",     "private",
                                           "protected",    "public",
                                           "register",     "reinterpret_cast",
                                           "requires",     "restrict",
                                           "return",       "sizeof",
                                           "static",       "static_assert",
                                           "static_cast",  "struct",
                                           "switch",       "template",
                                           "this",         "throw",
                                           "true",         "try",
                                           "typedef",      "typename",
                                           "union",        "using",
                                           "virtual",      "volatile",
                                           "while",        "__asm__"};
const std::set<std::string_view> kCuda{"__global__",        "__device__",   "__host__",         "__shared__",
                                       "__constant__",      "__restrict__", "__forceinline__",  "__noinline__",
                                       "__launch_bounds__", "__managed__",  "__cluster_dims__", "__grid_constant__",
                                       "__align__",         "__restrict"};
const std::set<std::string_view> kOpenCl{"__kernel", "kernel",     "__global", "global",    "__local",
                                         "local",    "__constant", "constant", "__private", "private"};
const std::set<std::string_view> kTypes{
    "bool",    "char",    "double",  "float",         "half",           "int",
    "long",    "short",   "signed",  "unsigned",      "void",           "size_t",
    "uint",    "ulong",   "ushort",  "uchar",         "int8_t",         "int16_t",
    "int32_t", "int64_t", "uint8_t", "uint16_t",      "uint32_t",       "uint64_t",
    "dim3",    "__half",  "__half2", "__nv_bfloat16", "__nv_bfloat162", "cudaTextureObject_t"};
const std::set<std::string_view> kBuiltins{"threadIdx",
                                           "blockIdx",
                                           "blockDim",
                                           "gridDim",
                                           "warpSize",
                                           "clock64",
                                           "atomicAdd",
                                           "atomicMax",
                                           "atomicMin",
                                           "atomicCAS",
                                           "atomicExch",
                                           "fma",
                                           "fmaf",
                                           "sqrtf",
                                           "rsqrtf",
                                           "barrier",
                                           "get_global_id",
                                           "get_local_id",
                                           "get_group_id",
                                           "get_local_size",
                                           "get_num_groups",
                                           "get_global_size",
                                           "CLK_LOCAL_MEM_FENCE",
                                           "CLK_GLOBAL_MEM_FENCE"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// float4, uint2, int3 and the like.
bool is_vector_type(std::string_view word) {
    if (word.size() < 4 || !(word.back() >= '1' && word.back() <= '8')) return false;
    word.remove_suffix(1);
    if (word.back() == '1') word.remove_suffix(1);  // float16 of OpenCL
    return kTypes.contains(word);
}

class Lines {
public:
    explicit Lines(std::string_view language)
        : ptx_(language == "ptx"), cuda_(language == "cuda"), opencl_(language == "opencl") {}

    std::vector<Piece> line(std::string_view text) {
        std::vector<Piece> out;
        std::size_t at = 0;
        const auto take = [&](Token token, std::size_t end) {
            end = std::min(end, text.size());
            if (end == at) return;
            if (!out.empty() && out.back().token == token)
                out.back().text = std::string_view(out.back().text.data(), out.back().text.size() + end - at);
            else
                out.push_back({token, text.substr(at, end - at)});
            at = end;
        };
        const std::size_t first = std::min(text.find_first_not_of(" \t"), text.size());
        const bool directive =
            !ptx_ && (in_directive_ || (first < text.size() && text[first] == '#' && !in_comment_ && raw_end_.empty()));
        in_directive_ = directive && !text.empty() && text.back() == '\\';
        while (at < text.size()) {
            if (in_comment_) {
                const std::size_t end = text.find("*/", at);
                in_comment_ = end == std::string_view::npos;
                take(Token::comment, in_comment_ ? text.size() : end + 2);
            } else if (!raw_end_.empty()) {
                const std::size_t end = text.find(raw_end_, at);
                const std::size_t length = raw_end_.size();
                if (end != std::string_view::npos) raw_end_.clear();
                take(Token::text, end == std::string_view::npos ? text.size() : end + length);
            } else if (text.substr(at, 2) == "//") {
                take(Token::comment, text.size());
            } else if (text.substr(at, 2) == "/*") {
                in_comment_ = true;
                const std::size_t end = text.find("*/", at + 2);
                in_comment_ = end == std::string_view::npos;
                take(Token::comment, in_comment_ ? text.size() : end + 2);
            } else if (text.substr(at, 2) == "R\"" && !ptx_) {
                const std::size_t open = text.find('(', at);
                if (open == std::string_view::npos) {
                    take(Token::text, text.size());
                } else {
                    raw_end_ = ")" + std::string(text.substr(at + 2, open - at - 2)) + "\"";
                    take(Token::text, open + 1);
                }
            } else if (text[at] == '"' || text[at] == '\'') {
                take(Token::text, string_end(text, at));
            } else if (is_digit(text[at]) || (text[at] == '.' && at + 1 < text.size() && is_digit(text[at + 1]))) {
                take(directive ? Token::directive : Token::number, number_end(text, at));
            } else if (is_letter(text[at]) || (ptx_ && (text[at] == '.' || text[at] == '%'))) {
                std::size_t end = at + 1;
                while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) ++end;
                const std::string_view word = text.substr(at, end - at);
                take(directive ? Token::directive : kind(word, at == first), end);
            } else {
                take(directive ? Token::directive : Token::plain, at + 1);
            }
        }
        return out;
    }

private:
    static std::size_t string_end(std::string_view text, std::size_t at) {
        const char quote = text[at];
        for (std::size_t i = at + 1; i < text.size(); ++i) {
            if (text[i] == '\\')
                ++i;
            else if (text[i] == quote)
                return i + 1;
        }
        return text.size();
    }

    static std::size_t number_end(std::string_view text, std::size_t at) {
        std::size_t i = at + 1;
        while (i < text.size()) {
            const char c = text[i], before = text[i - 1];
            const bool sign = (c == '+' || c == '-') &&
                              (before == 'e' || before == 'E' || before == 'p' || before == 'P') &&
                              text.substr(at, 2) != "0x";
            const bool quote = c == '\'' && i + 1 < text.size() && (is_digit(text[i + 1]) || is_letter(text[i + 1]));
            if (!is_digit(c) && !is_letter(c) && c != '.' && !sign && !quote) break;
            ++i;
        }
        return i;
    }

    Token kind(std::string_view word, bool first) const {
        if (ptx_) {
            if (word[0] == '%') return Token::builtin;
            if (word[0] == '.') {
                static const std::set<std::string_view> directives{
                    ".version", ".target", ".address_size", ".visible", ".entry", ".func",
                    ".param",   ".reg",    ".shared",       ".global",  ".local", ".const",
                    ".align",   ".loc",    ".file",         ".maxntid", ".extern"};
                return directives.contains(word) ? Token::keyword : Token::type;
            }
            return first ? Token::builtin : Token::plain;
        }
        if (kKeywords.contains(word)) return Token::keyword;
        if ((cuda_ && kCuda.contains(word)) || (opencl_ && kOpenCl.contains(word))) return Token::keyword;
        if (kTypes.contains(word) || is_vector_type(word)) return Token::type;
        if (kBuiltins.contains(word) || (cuda_ && word.size() > 3 && word.starts_with("__"))) return Token::builtin;
        return Token::plain;
    }

    const bool ptx_, cuda_, opencl_;
    bool in_comment_ = false, in_directive_ = false;
    std::string raw_end_;
};

}  // namespace

std::vector<std::vector<Piece>> highlight(const std::vector<std::string>& lines, std::string_view language) {
    Lines state(language);
    std::vector<std::vector<Piece>> out;
    out.reserve(lines.size());
    for (const std::string& line : lines) out.push_back(state.line(line));
    return out;
}

}  // namespace warpwright::report
