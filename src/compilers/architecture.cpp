// Each stand-in compiler takes architectures in this spelling, so one function reads them. What is newer than compute
// capability 9.0 becomes 9.0, the newest that code is generated for.
#include "compilers/architecture.hpp"

#include <charconv>
#include <string_view>

namespace warpwright::compilers {

Result<Architecture> read_architecture(const std::string& word) {
    const bool real = word.starts_with("sm_");
    const std::string rest = real ? word.substr(3) : word.starts_with("compute_") ? word.substr(8) : "";
    unsigned number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    const std::string_view suffix(end, static_cast<std::size_t>(rest.data() + rest.size() - end));
    const bool suffix_ok = suffix.empty() || suffix == "a" || suffix == "f";
    if (error != std::errc{} || number < 50 || !suffix_ok)
        return Error{ErrorKind::usage, "invalid value for --gpu-architecture (-arch): " + word, {}, "such as sm_90"};
    if (number > 90) return Architecture{"sm_90", real};
    return Architecture{"sm_" + std::to_string(number) + (suffix == "a" && number == 90 ? "a" : ""), real};
}

}  // namespace warpwright::compilers
