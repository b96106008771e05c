// Sentences that records, profiles and errors carry in English: found among the English texts, and said by their keys.
#include <algorithm>
#include <optional>
#include <utility>

#include "text/words.hpp"

namespace warpwright {
namespace {

/// The texts of such sentences.
constexpr const char* kCarried[] = {"access.", "fault.",      "learn.error.", "left_out.",
                                    "note.",   "prediction.", "sample."};

bool digit(char c) { return c >= '0' && c <= '9'; }

using Found = std::vector<std::pair<std::string, std::string>>;

/// What stands in `english` for the arguments of a text; none where it is another sentence. An argument ends where what
/// follows it in the text begins, and the last one where the whole ends; none is empty.
std::optional<Found> matched(std::string_view english, std::string_view text) {
    Found out;
    for (;;) {
        const std::size_t open = text.find('{');
        const std::size_t close = open == text.npos ? open : text.find('}', open);
        if (close == text.npos) return english == text ? std::optional(std::move(out)) : std::nullopt;
        if (english.substr(0, open) != text.substr(0, open)) return std::nullopt;
        const std::string name(text.substr(open + 1, close - open - 1));
        english.remove_prefix(open), text.remove_prefix(close + 1);
        const std::string_view follows = text.substr(0, text.find('{'));
        const std::size_t end = text.empty()                    ? english.size()
                                : follows.size() == text.size() ? english.rfind(follows)
                                                                : english.find(follows, 1);
        if (end == english.npos || end == 0) return std::nullopt;
        // The forms of a noun are one of them, which its number decides.
        if (name.find('?') == name.npos) out.emplace_back(name, english.substr(0, end));
        english.remove_prefix(end);
    }
}

}  // namespace

std::optional<Text> known_text(const std::string& english) {
    const auto& texts = Words::plain().texts();
    for (const char* prefix : kCarried)
        for (auto it = texts.lower_bound(prefix); it != texts.end() && it->first.starts_with(prefix); ++it) {
            const auto found = matched(english, it->second);
            if (!found) continue;
            Values values;
            for (const auto& [name, text] : *found)
                if (auto inner = known_text(text))
                    values.emplace_back(name, std::move(*inner));
                else
                    values.emplace_back(name, digit(text[0]) ? Value(Figure{text}) : Value(name_text(text)));
            return message(it->first, std::move(values));
        }
    return std::nullopt;
}

Text carried_text(const std::string& english) {
    auto known = known_text(english);
    return known ? std::move(*known) : name_text(english);
}

}  // namespace warpwright
