#include "ptx/near.hpp"

#include <algorithm>
#include <vector>

#include "ptx/ast.hpp"

namespace warpwright::ptx {
namespace {

// Levenshtein distance, by rows; both texts are short.
unsigned distance(std::string_view a, std::string_view b) {
    std::vector<unsigned> row(b.size() + 1);
    for (unsigned j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        unsigned diagonal = row[0];
        row[0] = static_cast<unsigned>(i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            unsigned above = row[j];
            row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1] ? 1u : 0u)});
            diagonal = above;
        }
    }
    return row[b.size()];
}

std::string nearest(std::string_view text, const std::vector<std::string_view>& all) {
    if (text.size() > 40) return {};
    std::vector<std::pair<unsigned, std::string_view>> found;
    unsigned most = text.size() <= 3 ? 1 : 2;
    for (std::string_view candidate : all)
        if (unsigned d = distance(text, candidate); d <= most) found.emplace_back(d, candidate);
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
#define TYPE_TEXT(name, text, bits) all.push_back(text);
    WARPWRIGHT_PTX_TYPES(TYPE_TEXT)
#undef TYPE_TEXT
    return nearest(text, all);
}

}  // namespace warpwright::ptx
