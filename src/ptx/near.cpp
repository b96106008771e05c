// Guesses by the distance of spelling over the tables of opcodes, modifiers and types, so that a hint never names what
// does not exist.
#include "ptx/near.hpp"

#include <algorithm>
#include <vector>

#include "ptx/ast.hpp"
#include "support/closest.hpp"

namespace warpwright::ptx {
namespace {

std::string nearest(std::string_view text, const std::vector<std::string_view>& all) {
    if (text.size() > 40) return {};
    std::vector<std::pair<std::size_t, std::string_view>> found;
    const std::size_t most = text.size() <= 3 ? 1 : 2;
    for (std::string_view candidate : all)
        if (const std::size_t d = edits(text, candidate); d <= most) found.emplace_back(d, candidate);
    std::sort(found.begin(), found.end());
    std::string out;
    for (std::size_t i = 0; i < found.size() && i < 4; ++i)
        (((out += out.empty() ? "near: " : ", ") += '\'') += found[i].second) += '\'';
    return out;
}

}  // namespace

std::string near_opcodes(std::string_view text) {
    std::vector<std::string_view> all;
    for (unsigned i = 0; i < static_cast<unsigned>(Op::size_); ++i) all.push_back(spelling(static_cast<Op>(i)));
    return nearest(text, all);
}

std::string near_suffixes(std::string_view text) {
    std::vector<std::string_view> all;
    for (unsigned i = 0; i < static_cast<unsigned>(Mod::size_); ++i) all.push_back(spelling(static_cast<Mod>(i)));
#define TYPE(name, text, ...) all.push_back(text);
#include "ptx/types.inc"
#undef TYPE
    return nearest(text, all);
}

}  // namespace warpwright::ptx
