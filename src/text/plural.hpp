// Which form of a noun goes with a number, by the rules that Unicode's CLDR gives for a language: data/text/<language>/
// language.toml has them as CLDR writes them, for whole numbers ("n % 10 = 2..4 and n % 100 != 12..14").
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/result.hpp"

namespace warpwright {

class PluralRules {
public:
    /// From rules by category ("one", "few", "many"; what fits none is "other"). ErrorKind::input for a text that is no
    /// rule, and for a category that CLDR does not have.
    static Result<PluralRules> parse(const std::map<std::string, std::string>& rules);

    /// How many forms a noun has: one for each rule, in CLDR's order of categories, and one for all other numbers.
    std::size_t forms() const { return rules_.size() + 1; }
    /// The form that goes with a number: 0 is the first.
    std::size_t form(std::uint64_t number) const;

private:
    /// "n % 10 = 2..4, 7": within one of the ranges, or outside of all.
    struct Relation {
        std::uint64_t modulus = 0;  ///< 0: none
        bool equal = true;
        std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
    };
    /// Any of these holds where all of its relations do.
    using Rule = std::vector<std::vector<Relation>>;

    static bool holds(const Relation& relation, std::uint64_t number);
    static bool parse_relation(std::string_view text, Relation& out);

    std::vector<Rule> rules_;
};

}  // namespace warpwright
