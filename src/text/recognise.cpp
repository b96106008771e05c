// Sentences that records, profiles and errors carry in English: found among the English texts, and said by their keys.
#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "text/words.hpp"

namespace warpwright {
namespace {

/// The texts of such sentences; and those of what may stand in one of them, which alone would be found in too much.
constexpr const char* kCarried[] = {"access.",   "advice.", "fault.",      "learn.error.",
                                    "left_out.", "note.",   "prediction.", "sample."};

constexpr const char* kWithin[] = {"standing."};

bool digit(char c) { return c >= '0' && c <= '9'; }

using Found = std::vector<std::pair<std::string, std::string>>;

/// Whether a word is among forms: "thread|threads".
bool is_one_of(std::string_view word, std::string_view forms) {
    for (;;) {
        const std::size_t end = std::min(forms.find('|'), forms.size());
        if (forms.substr(0, end) == word) return true;
        if (end == forms.size()) return false;
        forms.remove_prefix(end + 1);
    }
}

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
        const std::size_t forms = name.find('?');
        if (forms == name.npos)
            out.emplace_back(name, english.substr(0, end));
        else if (!is_one_of(english.substr(0, end), std::string_view(name).substr(forms + 1)))
            return std::nullopt;
        english.remove_prefix(end);
    }
}

Value value_of(const std::string& english);

/// The text that begins with one of these prefixes and is the sentence.
std::optional<Text> found_text(const std::string& english, std::span<const char* const> prefixes) {
    const auto& texts = Words::plain().texts();
    for (const char* prefix : prefixes)
        for (auto it = texts.lower_bound(prefix); it != texts.end() && it->first.starts_with(prefix); ++it) {
            const auto found = matched(english, it->second);
            if (!found) continue;
            Values values;
            for (const auto& [name, text] : *found) values.emplace_back(name, value_of(text));
            return message(it->first, std::move(values));
        }
    return std::nullopt;
}

/// What stands in a sentence: another one, a figure, or a name.
Value value_of(const std::string& english) {
    if (auto known = found_text(english, kCarried)) return std::move(*known);
    if (auto known = found_text(english, kWithin)) return std::move(*known);
    if (digit(english[0])) return Figure{english};
    return name_text(english);
}

}  // namespace

std::optional<Text> known_text(const std::string& english) { return found_text(english, kCarried); }

Text carried_text(const std::string& english) {
    if (english.empty()) return {};
    auto known = known_text(english);
    return known ? std::move(*known) : name_text(english);
}

}  // namespace warpwright
