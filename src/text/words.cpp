// How texts are said: arguments put in, nouns in the form that goes with their number, figures with a language's signs.
#include "text/words.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "text/counted.hpp"

namespace warpwright {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }

/// From five digits on in groups, as tables have them.
std::string whole(std::int64_t value, const std::string& group) {
    const std::uint64_t size = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    return (value < 0 ? "-" : "") + (size < 10000 ? std::to_string(size) : grouped(size, group));
}

/// The whole number that a figure is ("1", "1,024"), so that a noun can agree with it.
std::optional<std::uint64_t> whole_number(std::string_view text) {
    std::string digits;
    for (const char c : text)
        if (digit(c))
            digits += c;
        else if (c != ',')
            return std::nullopt;
    std::uint64_t out = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return out;
}

std::optional<std::uint64_t> number_of(const Value& value) {
    if (const auto* n = std::get_if<std::int64_t>(&value))
        return *n < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(*n));
    if (const auto* figure = std::get_if<Figure>(&value)) return whole_number(figure->text);
    const Text* text = std::get_if<Text>(&value);
    if (!text || text->parts().size() != 1) return std::nullopt;
    const std::vector<Part>& parts = text->parts();
    if (const auto* figure = std::get_if<Figure>(&parts.front().what)) return whole_number(figure->text);
    const auto* plain = std::get_if<std::string>(&parts.front().what);
    return plain ? whole_number(*plain) : std::nullopt;
}

/// The character that begins at `at`, and its length in bytes; 0 and 1 where none does.
std::pair<char32_t, std::size_t> character(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
    const std::size_t length = byte(0) < 0x80 ? 1 : byte(0) < 0xe0 ? 2 : byte(0) < 0xf0 ? 3 : 4;
    if (at + length > text.size()) return {0, 1};
    char32_t out = length == 1 ? byte(0) : byte(0) & (0xff >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) out = out << 6 | (byte(i) & 0x3f);
    return {out, length};
}

}  // namespace

Words Words::of(std::string language, std::map<std::string, std::string> texts) {
    Words words;
    words.language_ = std::move(language);
    words.texts_ = std::move(texts);
    (void)words.settle();  // rules that are wrong are none: these texts are the caller's own
    return words;
}

Result<void> Words::settle() {
    std::map<std::string, std::string> rules;
    for (auto it = texts_.lower_bound("plural."); it != texts_.end() && it->first.starts_with("plural."); ++it)
        rules.emplace(it->first.substr(7), it->second);
    auto plurals = PluralRules::parse(rules);
    if (!plurals) return std::move(plurals).error();
    plurals_ = std::move(*plurals);
    const std::string ranges = sign("script.closed", "");  // "U+3000-U+9FFF U+FF00-U+FFEF"
    for (std::size_t at = 0; (at = ranges.find("U+", at)) != std::string::npos;) {
        char32_t ends[2] = {0, 0};
        for (char32_t& end : ends) {
            unsigned code = 0;
            if (ranges.compare(at, 2, "U+") == 0)
                at = static_cast<std::size_t>(
                    std::from_chars(ranges.data() + at + 2, ranges.data() + ranges.size(), code, 16).ptr -
                    ranges.data());
            end = code;
            if (&end == ends) ++at;  // the hyphen
        }
        if (ends[1] < ends[0]) return Error{ErrorKind::input, "'" + ranges + "' are no ranges of characters", {}, ""};
        closed_.emplace_back(ends[0], ends[1]);
    }
    return {};
}

std::vector<std::string> Words::all_languages() const {
    std::vector<std::string> out{language_};
    for (const Words& other : others_) out.push_back(other.language_);
    return out;
}

const Words& Words::in(std::string_view language) const {
    for (const Words& other : others_)
        if (other.language_ == language) return other;
    return *this;
}

std::string Words::sign(const char* key, const char* usual) const {
    const auto it = texts_.find(key);
    return it == texts_.end() ? std::string(usual) : it->second;
}

std::string Words::figure(std::string_view english) const {
    const std::string decimal = sign("number.decimal", "."), group = sign("number.group", ",");
    std::string out;
    for (std::size_t i = 0; i < english.size(); ++i) {
        const char c = english[i];
        const bool within = i > 0 && i + 1 < english.size() && digit(english[i - 1]) && digit(english[i + 1]);
        if (c == '.' && within) {
            out += decimal;
        } else if (c == ',' && within) {
            out += group;
        } else if (c == ' ' && i > 0 && i + 1 < english.size() && !digit(english[i + 1])) {
            return out + " " + unit(english.substr(i + 1));  // the unit ends a figure
        } else {
            out += c;
        }
    }
    return out;
}

std::string Words::unit(std::string_view english) const {
    const auto it = texts_.find("unit." + std::string(english));
    return it == texts_.end() ? std::string(english) : it->second;
}

std::string Words::labelled(const std::string& label, const std::string& text) const {
    return (*this)("punctuation.labelled", {{"label", label}, {"text", text}});
}

/// Texts have blanks around names, which are Latin as a rule; beside a name that is translated some scripts have none.
std::string Words::without_blanks(std::string text) const {
    if (closed_.empty()) return text;
    const auto closed = [&](std::size_t at) {
        const char32_t c = character(text, at).first;
        return std::any_of(closed_.begin(), closed_.end(),
                           [&](const auto& range) { return range.first <= c && c <= range.second; });
    };
    std::string out;
    bool before = false;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = character(text, at).second;
        if (text[at] == ' ' && before && at + 1 < text.size() && closed(at + 1)) {
            ++at;
            continue;
        }
        before = closed(at);
        out += text.substr(at, length);
        at += length;
    }
    return out;
}

std::string Words::argument(const std::string& format, const Value& value) const {
    if (const auto* n = std::get_if<std::int64_t>(&value)) return whole(*n, sign("number.group", ","));
    if (const auto* figure = std::get_if<Figure>(&value)) return this->figure(figure->text);
    if (const auto* text = std::get_if<Text>(&value)) return render(*text);
    std::string text = fmt::format(fmt::runtime("{:" + format + "}"), std::get<double>(value));
    if (const std::size_t dot = text.find('.'); dot != std::string::npos)
        text.replace(dot, 1, sign("number.decimal", "."));
    return text;
}

/// "block|blocks": the form that goes with the number; the last one with what is no whole number.
std::string Words::form_of(std::string_view forms, const Value& value) const {
    const auto number = number_of(value);
    const std::size_t wanted = number ? plurals_.form(*number) : plurals_.forms() - 1;
    if (static_cast<std::size_t>(std::count(forms.begin(), forms.end(), '|')) + 1 != plurals_.forms())
        throw std::invalid_argument("as many forms as the language has plurals");
    for (std::size_t i = 0; i < wanted; ++i) forms.remove_prefix(forms.find('|') + 1);
    return std::string(forms.substr(0, forms.find('|')));
}

std::string Words::operator()(std::string_view key, const Values& values) const {
    return said(Message{std::string(key), values, {}});
}

std::string Words::said(const Message& message) const {
    const std::string missing = "[" + message.key + "]";
    const auto it = texts_.find(message.key);
    if (it == texts_.end()) return message.english.empty() ? missing : message.english;
    std::string out;
    std::string_view text = it->second;
    try {
        for (std::size_t open; (open = text.find('{')) != text.npos;) {
            const std::size_t close = text.find('}', open);
            if (close == text.npos) return missing;
            const std::string_view inside = text.substr(open + 1, close - open - 1);
            const std::size_t name_end = std::min(inside.find_first_of(":?"), inside.size());
            const auto value = std::find_if(message.values.begin(), message.values.end(),
                                            [&](const auto& v) { return v.first == inside.substr(0, name_end); });
            if (value == message.values.end()) return missing;
            out += text.substr(0, open);
            const std::string_view how = inside.substr(std::min(name_end + 1, inside.size()));
            out += name_end < inside.size() && inside[name_end] == '?' ? form_of(how, value->second)
                                                                       : argument(std::string(how), value->second);
            text.remove_prefix(close + 1);
        }
    } catch (const fmt::format_error&) {
        return missing;
    } catch (const std::invalid_argument&) {
        return missing;
    }
    return without_blanks(out + std::string(text));
}

std::string Words::render(const Text& text) const {
    std::string out;
    for (const Part& part : text.parts()) {
        if (const auto* plain = std::get_if<std::string>(&part.what)) {
            out += *plain;
        } else if (const auto* figure = std::get_if<Figure>(&part.what)) {
            out += this->figure(figure->text);
        } else if (const auto* message = std::get_if<Message>(&part.what)) {
            out += said(*message);
        } else {
            const auto& all = std::get<Wordings>(part.what).all;
            const auto own = std::find_if(all.begin(), all.end(), [&](const auto& w) { return w.first == language_; });
            out += own == all.end() ? all.front().second : own->second;
        }
    }
    return out;
}

}  // namespace warpwright
