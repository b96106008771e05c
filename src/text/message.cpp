// Texts are built from parts and compared by them, and neighbouring plain parts are joined, so that equal wordings are
// equal texts. Nothing here depends on a language.
#include "text/message.hpp"

#include <algorithm>

namespace warpwright {

Text::Text() = default;
Text::Text(const Text&) = default;
Text::Text(Text&&) noexcept = default;
Text& Text::operator=(const Text&) = default;
Text& Text::operator=(Text&&) noexcept = default;
Text::~Text() = default;

Text::Text(std::string plain) {
    if (!plain.empty()) parts_.push_back({std::move(plain)});
}

Text::Text(const char* plain) : Text(std::string(plain)) {}

Text::Text(Figure figure) {
    if (!figure.text.empty()) parts_.push_back({std::move(figure)});
}

Text::Text(Part part) { parts_.push_back(std::move(part)); }

Text& Text::operator+=(const Text& more) {
    // Plain text beside plain text is one part, so that texts that read the same are the same.
    for (const Part& part : std::vector<Part>(more.parts_)) {
        std::string* last = parts_.empty() ? nullptr : std::get_if<std::string>(&parts_.back().what);
        const std::string* plain = std::get_if<std::string>(&part.what);
        if (last && plain)
            *last += *plain;
        else
            parts_.push_back(part);
    }
    return *this;
}

bool Text::operator==(const Text& other) const { return parts_ == other.parts_; }

Text message(std::string key, Values values) { return Text(Part{Message{std::move(key), std::move(values)}}); }

Text message_or(std::string key, const std::string& english) {
    return english.empty() ? Text() : Text(Part{Message{std::move(key), {}, english}});
}

Text name_text(const std::string& name) { return message_or("name." + name, name); }

Text ladder_text(const std::string& ladder, const std::string& what, const std::string& english) {
    return message_or("ladders." + ladder + "." + what, english);
}

Text labelled(Text label, Text text) {
    return message("punctuation.labelled", {{"label", std::move(label)}, {"text", std::move(text)}});
}

Text of_wordings(std::vector<std::pair<std::string, std::string>> wordings) {
    if (wordings.empty()) return {};
    const std::string& first = wordings.front().second;
    if (std::all_of(wordings.begin(), wordings.end(), [&](const auto& one) { return one.second == first; }))
        return first;
    return Text(Part{Wordings{std::move(wordings)}});
}

std::vector<std::string> languages_of(const Text& text) {
    std::vector<std::string> out;
    for (const Part& part : text.parts())
        if (const auto* wordings = std::get_if<Wordings>(&part.what))
            for (const auto& [language, wording] : wordings->all)
                if (std::find(out.begin(), out.end(), language) == out.end()) out.push_back(language);
    return out;
}

}  // namespace warpwright
