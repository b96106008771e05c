#include "support/counted.hpp"

#include <algorithm>
#include <array>

namespace warpwright {
namespace {

/// What texts count.
constexpr std::array<std::string_view, 43> kNouns = {
    "accesses",   "allocations", "arguments",    "banks",   "barriers",  "blocks",   "branches",     "bytes",
    "candidates", "cells",       "columns",      "copies",  "cores",     "cycles",   "devices",      "elements",
    "errors",     "files",       "instructions", "kernels", "lanes",     "launches", "lines",        "multiprocessors",
    "passes",     "places",      "points",       "records", "registers", "requests", "rows",         "rungs",
    "runs",       "sectors",     "segments",     "sizes",   "streams",   "threads",  "transactions", "values",
    "warps",      "wavefronts",  "waves"};

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool digit(char c) { return c >= '0' && c <= '9'; }

std::string singular(std::string_view nouns) {
    if (nouns.ends_with("ies")) return std::string(nouns.substr(0, nouns.size() - 3)) + "y";
    const bool hissing = nouns.ends_with("ches") || nouns.ends_with("sses");
    return std::string(nouns.substr(0, nouns.size() - (hissing ? 2 : 1)));
}

/// Whether the 1 at `at` is a number of its own, not a part of another one or of a name.
bool stands_alone(std::string_view text, std::size_t at) {
    if (at == 0) return true;
    const char before = text[at - 1];
    if (digit(before) || letter(before)) return false;
    return !(before == '.' || before == ',') || at < 2 || !digit(text[at - 2]);
}

}  // namespace

std::string noun_of(std::uint64_t count, std::string_view nouns) {
    return count == 1 ? singular(nouns) : std::string(nouns);
}

std::string counted(std::uint64_t count, std::string_view nouns) {
    std::string digits = std::to_string(count);
    for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
    return digits + ' ' + noun_of(count, nouns);
}

std::string agreed(std::string_view text) {
    std::string out;
    std::size_t done = 0;
    for (std::size_t at = text.find("1 "); at != std::string_view::npos; at = text.find("1 ", at + 1)) {
        std::size_t end = at + 2;
        while (end < text.size() && letter(text[end])) ++end;
        const std::string_view word = text.substr(at + 2, end - at - 2);
        if (!stands_alone(text, at) || std::find(kNouns.begin(), kNouns.end(), word) == kNouns.end()) continue;
        out += text.substr(done, at + 2 - done);
        out += singular(word);
        done = end;
    }
    return out + std::string(text.substr(done));
}

}  // namespace warpwright
