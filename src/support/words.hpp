// The texts that a report shows. data/text/<language>.toml has the texts that all pages share, one file per language;
// data/text/experiments/<name>.toml has the texts of one experiment, one table per language ([en], [zh], ...), and
// their keys begin with its name. A text is found by its dotted key ("banks.conclusion.padded"), and its figures are
// inserted by name: "{stride} words", "{share:.1f} %" (format of the fmt library). English is complete; a text that
// another language lacks is shown in English.
//
// Texts of several languages at once: where Words has been loaded by load_all, each text it gives holds the wording of
// every language between marks that no other text has, and in_language() takes one out. So a page is made once, and
// shown in each language.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "support/result.hpp"

namespace warpwright {

/// A figure with its unit as English writes it ("1,234.5 GB/s"): texts show it with the signs and units of theirs.
struct Figure {
    std::string text;
    bool operator==(const Figure&) const = default;
};

/// The wording of one language, of a text that may hold those of several; other text as it stands.
std::string in_language(std::string_view text, std::string_view language);
/// The languages of its wordings, in order; none of plain text.
std::vector<std::string> languages_of(std::string_view text);
/// One text of several wordings, by language, the first of which is shown where none is asked for; plain text where all
/// are the same.
std::string of_languages(const std::vector<std::pair<std::string, std::string>>& wordings);

class Words {
public:
    using Value = std::variant<std::int64_t, double, std::string, Figure>;
    using Values = std::vector<std::pair<const char*, Value>>;

    /// Texts of a language ("en", "zh", "ru", "fi"). Errors: usage (no such language; the hint names those there are),
    /// input (a file that cannot be read; with its place).
    static Result<Words> load(std::string_view language);
    /// Texts of all languages at once, `language` the first of them. Errors: as load.
    static Result<Words> load_all(std::string_view language);
    /// From texts in memory: for tests, and for programs with their own texts.
    static Words of(std::string language, std::map<std::string, std::string> texts);
    /// English without texts: phrases and figures stand as they are.
    static const Words& plain();
    /// Where the texts are looked for, the first folder first.
    static std::vector<std::string> folders();
    /// The languages there are, by name.
    static std::vector<std::string> languages();

    const std::string& language() const { return language_; }
    bool has(std::string_view key) const { return texts_.find(std::string(key)) != texts_.end(); }
    const std::map<std::string, std::string>& texts() const { return texts_; }

    /// The text of a key with its figures. A missing key, or a figure that the text needs and does not get, is our own
    /// defect: it is shown as "[key]" so that it is seen, and the tests of every page search for it.
    std::string operator()(std::string_view key, const Values& values = {}) const;

    /// A figure as English writes it, with this language's decimal sign, grouping and units (texts "number.decimal",
    /// "number.group", "unit.<unit>"). Of several languages: a text of them all.
    std::string figure(std::string_view english) const;
    /// A unit alone: "GB/s".
    std::string unit(std::string_view english) const;

    /// A name or sentence of a file that is written in English only (a ladder, a device model), in the words' language
    /// or languages: as data/text/phrases/<language>.toml has it, else as it stands. A phrase may have names in braces
    /// ("needs {n} bytes"), which stand for any text: a figure, or again a phrase.
    std::string phrase(const std::string& english) const;
    const std::map<std::string, std::string>& phrases() const { return phrases_; }
    /// "label: text", with the language's colon. Of several languages in_language() puts it in.
    std::string labelled(const std::string& label, const std::string& text) const;

    /// The languages that a text holds, the first one first; one where the words are of one.
    std::vector<std::string> all_languages() const;
    /// Of words of several languages those of one. It must be one of them.
    Words in(std::string_view language) const;

private:
    std::string one(std::string_view key, const Values& values) const;
    std::string one_figure(std::string_view english) const;
    std::string one_phrase(const std::string& english) const;

    std::string language_;
    std::map<std::string, std::string> texts_;
    std::map<std::string, std::string> phrases_;  ///< by what they are in English
    std::vector<Words> others_;                   ///< of further languages
};

}  // namespace warpwright
