// The singular is derived by English spelling rules, which suffice for the nouns that the messages use.
#include "text/counted.hpp"

namespace warpwright {
namespace {

std::string singular(std::string_view nouns) {
    if (nouns.ends_with("ies")) return std::string(nouns.substr(0, nouns.size() - 3)) + "y";
    const bool hissing = nouns.ends_with("ches") || nouns.ends_with("sses");
    return std::string(nouns.substr(0, nouns.size() - (hissing ? 2 : 1)));
}

}  // namespace

std::string grouped(std::uint64_t number, std::string_view sign) {
    std::string digits = std::to_string(number);
    for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, sign);
    return digits;
}

std::string noun_of(std::uint64_t count, std::string_view nouns) {
    return count == 1 ? singular(nouns) : std::string(nouns);
}

std::string counted(std::uint64_t count, std::string_view nouns) {
    return grouped(count) + ' ' + noun_of(count, nouns);
}

}  // namespace warpwright
