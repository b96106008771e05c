// Texts in the reader's language. A language is a folder, data/text/<language>/: language.toml has its signs, units and
// plurals, and every other file its texts by dotted key: <name>.toml those that pages and reports share,
// experiments/<name>.toml those of an experiment (their keys begin with its name) and ladders/<name>.toml the
// translations of a ladder's English ("ladders.<name>.rung.<rung>.why").
//
// A text has its arguments in braces by name: "{stride} words"; "{share:.1f} %" in a format of the fmt library; and
// "{n} {n?block|blocks}" with the forms of a noun, one for each of the language's plurals.
//
// English is complete, and a copy of it is in the program; a text that another language lacks is shown in English.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.hpp"
#include "text/message.hpp"
#include "text/plural.hpp"

namespace warpwright {

class Words {
public:
    /// Texts of a language, by the name of its folder. Errors: usage (no such language; the hint names those there
    /// are), input (a file that cannot be read; with its place).
    static Result<Words> load(std::string_view language);
    /// With those of all other languages behind them, see in(); for files that show each.
    static Result<Words> load_all(std::string_view language);
    /// From texts in memory: for tests, and for programs with their own texts.
    static Words of(std::string language, std::map<std::string, std::string> texts);
    /// English, from the program itself.
    static const Words& plain();
    /// Where the folders of languages are looked for, the first place first. A file hides those of its name in places
    /// behind.
    static std::vector<std::string> folders();
    /// The languages there are, by name.
    static std::vector<std::string> languages();

    const std::string& language() const { return language_; }
    bool has(std::string_view key) const { return texts_.find(std::string(key)) != texts_.end(); }
    const std::map<std::string, std::string>& texts() const { return texts_; }
    const PluralRules& plurals() const { return plurals_; }

    /// The text of a key with its arguments. A missing key, or an argument that the text needs and does not get, is our
    /// own defect: it is shown as "[key]" so that it is seen, and the tests of every page search for it.
    std::string operator()(std::string_view key, const Values& values = {}) const;
    /// A text as this language says it.
    std::string render(const Text& text) const;

    /// A figure as English writes it, with this language's decimal sign, grouping and units (texts "number.decimal",
    /// "number.group", "unit.<unit>").
    std::string figure(std::string_view english) const;
    /// A unit alone: "GB/s".
    std::string unit(std::string_view english) const;
    /// A name that the program itself uses, as name_text() has it.
    std::string name(const std::string& name) const { return render(name_text(name)); }
    /// "label: text", with the language's colon.
    std::string labelled(const std::string& label, const std::string& text) const;

    /// The languages there are to be shown, this one first; one where the words are of one.
    std::vector<std::string> all_languages() const;
    /// Of words of several languages those of one; these themselves where it is none of them.
    const Words& in(std::string_view language) const;

private:
    std::string said(const Message& message) const;
    std::string argument(const std::string& format, const Value& value) const;
    std::string form_of(std::string_view forms, const Value& value) const;
    std::string sign(const char* key, const char* usual) const;
    std::string without_blanks(std::string text) const;
    /// Takes rules and signs from the texts. Errors: input.
    Result<void> settle();

    std::string language_;
    std::map<std::string, std::string> texts_;
    PluralRules plurals_;
    std::vector<std::pair<char32_t, char32_t>> closed_;  ///< characters between which no blank stands
    std::vector<Words> others_;                          ///< of further languages
};

/// A sentence that a record, a profile, a finding or an error carries in English ("the launch kept no trace"), as the
/// text that it is among access.*, fault.*, learn.error.*, left_out.*, note.*, prediction.* and sample.*; absent where
/// it is none of them.
std::optional<Text> known_text(const std::string& english);
/// The same, else as a name.
Text carried_text(const std::string& english);

}  // namespace warpwright
