// Levenshtein distance, with two exchanged letters as one edit, finds the words that a misspelt one is near to: at most
// three, and only within a third of its length, because a farther one is no slip.
#include "support/closest.hpp"

#include <algorithm>
#include <cctype>

namespace warpwright {
namespace {

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

}  // namespace

std::size_t edits(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i)
        for (std::size_t j = 1; j <= b.size(); ++j) {
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[a.size()][b.size()];
}

std::vector<std::string> closest(std::string_view word, std::span<const std::string> known) {
    constexpr std::size_t kLongest = 64, kMost = 3;
    if (word.empty() || word.size() > kLongest) return {};
    const std::string wanted = lower(word);
    const std::size_t most = std::max<std::size_t>(1, wanted.size() / 3);
    std::vector<std::pair<std::size_t, std::string>> found;
    for (const std::string& candidate : known) {
        if (candidate.size() > kLongest) continue;
        const std::size_t d = edits(wanted, lower(candidate));
        if (d <= most && d < wanted.size()) found.emplace_back(d, candidate);
    }
    std::sort(found.begin(), found.end());
    std::vector<std::string> out;
    // What is as near as the nearest; the others are no better guess than any word.
    for (const auto& [d, candidate] : found)
        if (d == found.front().first && out.size() < kMost && std::find(out.begin(), out.end(), candidate) == out.end())
            out.push_back(candidate);
    return out;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
    const std::vector<std::string> words = closest(word, known);
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i)
        out += (i == 0 ? "did you mean '" : i + 1 == words.size() ? "' or '" : "', '") + words[i];
    return out.empty() ? out : out + "'?";
}

}  // namespace warpwright
