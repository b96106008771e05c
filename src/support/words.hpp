// The texts that a report shows. data/text/<language>.toml has the texts that all pages share, one file per language;
// data/text/experiments/<name>.toml has the texts of one experiment, one table per language ([en], [zh], ...), and
// their keys begin with its name. A text is found by its dotted key ("banks.conclusion.padded"), and its figures are
// inserted by name: "{stride} words", "{share:.1f} %" (format of the fmt library). English is complete; a text that
// another language lacks is shown in English.
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

class Words {
public:
    using Value = std::variant<std::int64_t, double, std::string>;
    using Values = std::vector<std::pair<const char*, Value>>;

    /// Texts of a language ("en", "zh", "ru", "fi"). Errors: usage (no such language; the hint names those there are),
    /// input (a file that cannot be read; with its place).
    static Result<Words> load(std::string_view language);
    /// From texts in memory: for tests, and for programs with their own texts.
    static Words of(std::string language, std::map<std::string, std::string> texts);
    /// The languages there are, by name.
    static std::vector<std::string> languages();

    const std::string& language() const { return language_; }
    bool has(std::string_view key) const { return texts_.find(std::string(key)) != texts_.end(); }
    const std::map<std::string, std::string>& texts() const { return texts_; }

    /// The text of a key with its figures. A missing key, or a figure that the text needs and does not get, is our own
    /// defect: it is shown as "[key]" so that it is seen, and the tests of every page search for it.
    std::string operator()(std::string_view key, const Values& values = {}) const;

private:
    std::string language_;
    std::map<std::string, std::string> texts_;
};

}  // namespace warpwright
