#include "support/words.hpp"
#include "support/counted.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>

#include <fmt/args.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include "support/data_folders.hpp"

namespace warpwright {
namespace {

/// A real number in a text of a language with another decimal sign.
struct Real {
    double value = 0;
    std::string decimal;
};

/// A whole number; from five digits on in groups, as tables have them.
struct Whole {
    std::int64_t value = 0;
    std::string group;
};

}  // namespace
}  // namespace warpwright

/// Takes the format of a double; the sign is put in afterwards.
template <>
struct fmt::formatter<warpwright::Real> {
    std::string spec;

    constexpr auto parse(format_parse_context& context) {
        auto end = context.begin();
        while (end != context.end() && *end != '}') ++end;
        spec.assign(context.begin(), end);
        return end;
    }
    template <class Context>
    auto format(const warpwright::Real& real, Context& context) const {
        std::string text = fmt::format(fmt::runtime("{:" + spec + "}"), real.value);
        if (const std::size_t dot = text.find('.'); dot != std::string::npos) text.replace(dot, 1, real.decimal);
        return std::copy(text.begin(), text.end(), context.out());
    }
};

template <>
struct fmt::formatter<warpwright::Whole> {
    constexpr auto parse(format_parse_context& context) { return context.begin(); }
    template <class Context>
    auto format(const warpwright::Whole& whole, Context& context) const {
        std::string text = fmt::format("{}", whole.value);
        const std::size_t sign = whole.value < 0 ? 1 : 0;
        if (text.size() - sign >= 5)
            for (std::size_t i = text.size(); i > sign + 3; i -= 3) text.insert(i - 3, whole.group);
        return std::copy(text.begin(), text.end(), context.out());
    }
};

namespace warpwright {
namespace {

// A text of several languages: kBegin, then for each its name, kName, its wording, with kNext between them, kEnd.
constexpr char kBegin = '\x02', kName = '\x1f', kNext = '\x1e', kEnd = '\x03';

bool digit(char c) { return c >= '0' && c <= '9'; }

/// Whether a character of Han script or its signs (U+3000 to U+9FFF, U+FF00 to U+FFEF) begins there.
bool is_han(std::string_view text, std::size_t at) {
    if (at + 2 >= text.size()) return false;
    const auto c = static_cast<unsigned char>(text[at]), next = static_cast<unsigned char>(text[at + 1]);
    return (c >= 0xe3 && c <= 0xe9) || (c == 0xef && next >= 0xbc);
}

/// Texts have blanks around names, which are Latin as a rule; beside a name that is translated there is none.
std::string without_han_blanks(std::string text) {
    for (std::size_t at = 0; (at = text.find(' ', at)) != std::string::npos;)
        if (at >= 3 && is_han(text, at - 3) && is_han(text, at + 1))
            text.erase(at, 1);
        else
            ++at;
    return text;
}

constexpr const char* kHanColon = "：";

namespace fs = std::filesystem;

std::string find_file(std::string_view language) {
    std::error_code ec;
    for (const std::string& folder : Words::folders()) {
        std::string path = fmt::format("{}/{}.toml", folder, language);
        if (fs::is_regular_file(path, ec)) return path;
    }
    return {};
}

Result<void> gather(const toml::table& table, const std::string& prefix, const std::string& file,
                    std::map<std::string, std::string>& out) {
    for (const auto& [key, node] : table) {
        const std::string name = prefix + std::string(key.str());
        if (const toml::table* inner = node.as_table()) {
            if (auto ok = gather(*inner, name + ".", file, out); !ok) return ok;
        } else if (const auto* text = node.as_string()) {
            out.insert_or_assign(name, text->get());
        } else {
            return Error{ErrorKind::input,
                         "the text '" + name + "' is not a string",
                         Location{file, node.source().begin.line, node.source().begin.column},
                         {}};
        }
    }
    return {};
}

using Inserts = std::vector<std::pair<std::string, std::string>>;

/// The texts that stand in `english` for the names in braces of a pattern; none where it is another text. A text ends
/// where what follows it in the pattern begins, and the last one where the whole ends; none is empty.
std::optional<Inserts> matched(std::string_view english, std::string_view pattern) {
    Inserts out;
    for (;;) {
        const std::size_t open = pattern.find('{');
        const std::size_t close = open == pattern.npos ? open : pattern.find('}', open);
        if (close == pattern.npos) return english == pattern ? std::optional(std::move(out)) : std::nullopt;
        if (english.substr(0, open) != pattern.substr(0, open)) return std::nullopt;
        const std::string name(pattern.substr(open + 1, close - open - 1));
        english.remove_prefix(open), pattern.remove_prefix(close + 1);
        const std::string_view follows = pattern.substr(0, pattern.find('{'));
        const std::size_t end = pattern.empty()                    ? english.size()
                                : follows.size() == pattern.size() ? english.rfind(follows)
                                                                   : english.find(follows, 1);
        if (end == english.npos || end == 0) return std::nullopt;
        out.emplace_back(name, english.substr(0, end));
        english.remove_prefix(end);
    }
}

std::string inserted(std::string text, const Inserts& inserts) {
    for (const auto& [name, insert] : inserts) {
        const std::string mark = "{" + name + "}";
        for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += insert.size())
            text.replace(at, mark.size(), insert);
    }
    return text;
}

Error unreadable(const toml::parse_error& e, const std::string& file) {
    return Error{ErrorKind::input,
                 std::string(e.description()),
                 Location{file, e.source().begin.line, e.source().begin.column},
                 {}};
}

/// The files of the experiments' texts by experiment; of two with one name, the one in the earlier folder.
std::map<std::string, std::string> experiment_files() {
    std::map<std::string, std::string> files;
    for (const std::string& folder : Words::folders()) {
        std::error_code ec;
        for (fs::directory_iterator it(folder + "/experiments", ec), end; !ec && it != end; it.increment(ec))
            if (it->path().extension() == ".toml") files.emplace(it->path().stem().string(), it->path().string());
    }
    return files;
}

/// Adds the texts that all experiments have in one language.
Result<void> read_experiments(std::string_view language, std::map<std::string, std::string>& out) {
    for (const auto& [experiment, file] : experiment_files()) {
        try {
            const toml::table all = toml::parse_file(file);
            if (const toml::table* texts = all.get_as<toml::table>(language))
                if (auto ok = gather(*texts, experiment + ".", file, out); !ok) return ok;
        } catch (const toml::parse_error& e) {
            return unreadable(e, file);
        }
    }
    return {};
}

Result<void> read(const std::string& file, std::map<std::string, std::string>& out) {
    try {
        return gather(toml::parse_file(file), "", file, out);
    } catch (const toml::parse_error& e) {
        return unreadable(e, file);
    }
}

/// Phrases of all folders; of one that stands in several, the one in the earlier folder.
Result<void> read_phrases(std::string_view language, std::map<std::string, std::string>& out) {
    for (const std::string& folder : Words::folders()) {
        const std::string file = fmt::format("{}/phrases/{}.toml", folder, language);
        std::error_code ec;
        if (!fs::is_regular_file(file, ec)) continue;
        try {
            const toml::table all = toml::parse_file(file);
            for (const auto& [english, node] : all) {
                const auto* text = node.as_string();
                if (!text)
                    return Error{ErrorKind::input,
                                 "the phrase '" + std::string(english.str()) + "' is not a string",
                                 Location{file, node.source().begin.line, node.source().begin.column},
                                 {}};
                out.emplace(english.str(), text->get());
            }
        } catch (const toml::parse_error& e) {
            return unreadable(e, file);
        }
    }
    return {};
}

}  // namespace

std::vector<std::string> Words::folders() { return data_folders(Data::text); }

std::vector<std::string> Words::languages() {
    std::set<std::string> names;
    for (const std::string& folder : Words::folders()) {
        std::error_code ec;
        for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec))
            if (it->path().extension() == ".toml") names.insert(it->path().stem().string());
    }
    return {names.begin(), names.end()};
}

Result<Words> Words::load(std::string_view language) {
    Words words;
    words.language_ = language;
    const std::string wanted = find_file(language);
    if (wanted.empty() || language.empty() || language.find('/') != std::string_view::npos)
        return Error{ErrorKind::usage, fmt::format("there are no texts in the language '{}'", language), Location{},
                     fmt::format("languages: {}", fmt::join(languages(), ", "))};
    std::vector<std::string> layers{"en"};
    if (language != "en") layers.emplace_back(language);
    for (const std::string& layer : layers) {
        const std::string file = layer == language ? wanted : find_file(layer);
        if (!file.empty())
            if (auto ok = read(file, words.texts_); !ok) return std::move(ok).error();
        if (auto ok = read_experiments(layer, words.texts_); !ok) return std::move(ok).error();
    }
    if (auto ok = read_phrases(language, words.phrases_); !ok) return std::move(ok).error();
    return words;
}

Words Words::of(std::string language, std::map<std::string, std::string> texts) {
    Words words;
    words.language_ = std::move(language);
    words.texts_ = std::move(texts);
    return words;
}

const Words& Words::plain() {
    static const Words words = of("en", {});
    return words;
}

Result<Words> Words::load_all(std::string_view language) {
    auto words = load(language);
    if (!words) return words;
    for (const std::string& other : languages()) {
        if (other == language) continue;
        auto more = load(other);
        if (!more) return more;
        words->others_.push_back(std::move(*more));
    }
    return words;
}

std::vector<std::string> Words::all_languages() const {
    std::vector<std::string> out{language_};
    for (const Words& other : others_) out.push_back(other.language_);
    return out;
}

Words Words::in(std::string_view language) const {
    for (const Words& other : others_)
        if (other.language_ == language) return other;
    Words out;
    out.language_ = language_;
    out.texts_ = texts_;
    out.phrases_ = phrases_;
    return out;
}

namespace {

bool has_han(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at)
        if (is_han(text, at)) return true;
    return false;
}

/// Chinese has a colon of its own, without a blank: between a name, which may be Latin, and a wording.
void put_han_colon(std::string& before, std::string_view wording) {
    if (before.ends_with(": ") && has_han(wording)) before.replace(before.size() - 2, 2, kHanColon);
}

}  // namespace

std::string in_language(std::string_view text, std::string_view language) {
    std::string out;
    for (;;) {
        const std::size_t begin = text.find(kBegin);
        const std::size_t end = begin == std::string_view::npos ? begin : text.find(kEnd, begin);
        if (end == std::string_view::npos) return out + std::string(text);
        out += text.substr(0, begin);
        std::string_view inside = text.substr(begin + 1, end - begin - 1), chosen;
        for (bool first = true; !inside.empty(); first = false) {
            const std::string_view one = inside.substr(0, inside.find(kNext));
            const std::size_t name = one.find(kName);
            const bool wanted = name != std::string_view::npos && one.substr(0, name) == language;
            if (first || wanted) chosen = one.substr(name == std::string_view::npos ? 0 : name + 1);
            if (wanted) break;
            inside.remove_prefix(std::min(inside.size(), one.size() + 1));
        }
        if (language == "zh") put_han_colon(out, chosen);
        out += chosen;
        text.remove_prefix(end + 1);
    }
}

std::vector<std::string> languages_of(std::string_view text) {
    std::vector<std::string> out;
    for (std::size_t at; (at = text.find_first_of("\x02\x1e")) != std::string_view::npos;) {
        text.remove_prefix(at + 1);
        const std::string_view name = text.substr(0, text.find(kName));
        if (std::find(out.begin(), out.end(), name) == out.end()) out.emplace_back(name);
    }
    return out;
}

std::string of_languages(const std::vector<std::pair<std::string, std::string>>& wordings) {
    if (wordings.empty()) return {};
    bool same = true;
    for (const auto& [language, wording] : wordings) same &= wording == wordings.front().second;
    if (same) return wordings.front().second;
    std::string out(1, kBegin);
    for (const auto& [language, wording] : wordings) {
        if (out.size() > 1) out += kNext;
        out += language + kName + wording;
    }
    return out + kEnd;
}

std::string Words::one_figure(std::string_view english) const {
    const auto sign = [&](const char* key, const char* usual) {
        const auto it = texts_.find(key);
        return it == texts_.end() ? std::string(usual) : it->second;
    };
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

std::string Words::figure(std::string_view english) const {
    if (others_.empty()) return one_figure(english);
    std::vector<std::pair<std::string, std::string>> all{{language_, one_figure(english)}};
    for (const Words& other : others_) all.emplace_back(other.language_, other.one_figure(english));
    return of_languages(all);
}

std::string Words::unit(std::string_view english) const {
    const auto it = texts_.find("unit." + std::string(english));
    return it == texts_.end() ? std::string(english) : it->second;
}

std::string Words::one_phrase(const std::string& english) const {
    if (const auto it = phrases_.find(english); it != phrases_.end()) return it->second;
    for (const auto& [pattern, wording] : phrases_) {
        if (pattern.find('{') == std::string::npos) continue;
        auto found = matched(english, pattern);
        if (!found) continue;
        for (auto& [name, text] : *found) text = digit(text[0]) ? one_figure(text) : one_phrase(text);
        return without_han_blanks(inserted(wording, *found));
    }
    return language_ == "en" ? agreed(english) : english;
}

std::string Words::phrase(const std::string& english) const {
    if (others_.empty()) return one_phrase(english);
    std::vector<std::pair<std::string, std::string>> all{{language_, one_phrase(english)}};
    for (const Words& other : others_) all.emplace_back(other.language_, other.one_phrase(english));
    return of_languages(all);
}

std::string Words::labelled(const std::string& label, const std::string& text) const {
    return label + (others_.empty() && language_ == "zh" ? kHanColon : ": ") + text;
}

std::string Words::operator()(std::string_view key, const Values& values) const {
    if (others_.empty()) return one(key, values);
    std::vector<std::pair<std::string, std::string>> all{{language_, one(key, values)}};
    for (const Words& other : others_) all.emplace_back(other.language_, other.one(key, values));
    return of_languages(all);
}

std::string Words::one(std::string_view key, const Values& values) const {
    const auto it = texts_.find(std::string(key));
    if (it == texts_.end()) return fmt::format("[{}]", key);
    const auto sign = [&](const char* of, const char* usual) {
        const auto at = texts_.find(of);
        return at == texts_.end() ? std::string(usual) : at->second;
    };
    const std::string decimal = sign("number.decimal", "."), group = sign("number.group", ",");
    fmt::dynamic_format_arg_store<fmt::format_context> store;
    for (const auto& [name, value] : values) {
        if (const auto* real = std::get_if<double>(&value))
            store.push_back(fmt::arg(name, Real{*real, decimal}));
        else if (const auto* whole = std::get_if<std::int64_t>(&value))
            store.push_back(fmt::arg(name, Whole{*whole, group}));
        else if (const auto* figure = std::get_if<Figure>(&value))
            store.push_back(fmt::arg(name, one_figure(figure->text)));
        else
            store.push_back(fmt::arg(name, in_language(std::get<std::string>(value), language_)));
    }
    try {
        std::string text = fmt::vformat(it->second, store);
        return language_ == "en" ? agreed(text) : without_han_blanks(text);
    } catch (const fmt::format_error&) {
        return fmt::format("[{}]", key);
    }
}

}  // namespace warpwright
