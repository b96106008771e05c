// Only whole numbers are counted, so a rule is parsed into ranges and an optional modulus instead of the full grammar.
// The first category whose rule holds is the form.
#include "text/plural.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace warpwright {
namespace {

/// CLDR's categories in the order in which texts list the forms; "other" is always the last.
constexpr std::array<const char*, 5> kCategories{"zero", "one", "two", "few", "many"};

std::string_view trimmed(std::string_view text) {
    const auto from = text.find_first_not_of(' ');
    if (from == text.npos) return {};
    return text.substr(from, text.find_last_not_of(' ') + 1 - from);
}

std::vector<std::string_view> split(std::string_view text, std::string_view by) {
    std::vector<std::string_view> out;
    for (std::size_t end; (end = text.find(by)) != text.npos; text.remove_prefix(end + by.size()))
        out.push_back(trimmed(text.substr(0, end)));
    out.push_back(trimmed(text));
    return out;
}

bool number_of(std::string_view text, std::uint64_t& out) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

}  // namespace

bool PluralRules::parse_relation(std::string_view text, Relation& out) {
    const std::size_t sign = text.find('=');
    if (sign == text.npos || sign == 0) return false;
    out.equal = text[sign - 1] != '!';
    const auto operand = split(text.substr(0, out.equal ? sign : sign - 1), "%");
    // n is the number, i its whole part: of whole numbers they are the same.
    if (operand.size() > 2 || (operand[0] != "n" && operand[0] != "i")) return false;
    if (operand.size() == 2 && (!number_of(operand[1], out.modulus) || out.modulus == 0)) return false;
    for (const std::string_view range : split(text.substr(sign + 1), ",")) {
        const auto ends = split(range, "..");
        std::uint64_t low = 0, high = 0;
        if (ends.size() > 2 || !number_of(ends.front(), low) || !number_of(ends.back(), high)) return false;
        out.ranges.emplace_back(low, high);
    }
    return true;
}

Result<PluralRules> PluralRules::parse(const std::map<std::string, std::string>& rules) {
    PluralRules out;
    for (const auto& [category, text] : rules)
        if (std::find(kCategories.begin(), kCategories.end(), category) == kCategories.end())
            return Error{ErrorKind::input,
                         "there is no category '" + category + "' of plurals",
                         {},
                         "categories: zero, one, two, few, many; what fits none of their rules is the last form"};
    for (const char* category : kCategories) {
        const auto it = rules.find(category);
        if (it == rules.end()) continue;
        Rule rule;
        for (const std::string_view all : split(it->second, " or ")) {
            auto& relations = rule.emplace_back();
            for (const std::string_view one : split(all, " and "))
                if (!parse_relation(one, relations.emplace_back()))
                    return Error{ErrorKind::input, "'" + std::string(one) + "' is no rule of plurals", {}, ""};
        }
        out.rules_.push_back(std::move(rule));
    }
    return out;
}

bool PluralRules::holds(const Relation& relation, std::uint64_t number) {
    if (relation.modulus) number %= relation.modulus;
    const bool within = std::any_of(relation.ranges.begin(), relation.ranges.end(),
                                    [&](const auto& range) { return range.first <= number && number <= range.second; });
    return within == relation.equal;
}

std::size_t PluralRules::form(std::uint64_t number) const {
    for (std::size_t i = 0; i < rules_.size(); ++i)
        for (const auto& all : rules_[i])
            if (std::all_of(all.begin(), all.end(), [&](const Relation& r) { return holds(r, number); })) return i;
    return rules_.size();
}

}  // namespace warpwright
