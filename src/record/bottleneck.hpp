// What holds a launch, or a whole program, back: decided once (predict/causes), kept in records and profiles as data,
// and said by every printer from the same texts. The names stand in record/causes.inc (docs/causes.md).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpwright::record {

/// One of them, with what tells it.
struct Bottleneck {
    std::string cause;          ///< a name of record/causes.inc
    double share = 0;           ///< of the time, what mending it alone would save, as predicted; near_the_limit: 0
    std::string file = {};      ///< of the line that has most of it; empty: it belongs to no line, or none is known
    unsigned line = 0;          ///< 0: none
    std::string variable = {};  ///< the array that is accessed there, where it is known
    std::string way = {};       ///< which of the cause's advices fits; empty: the usual one
    std::map<std::string, double> evidence = {};    ///< numbers by name: "sectors_per_request", "needed"
    std::map<std::string, std::string> names = {};  ///< words that belong to them: "limiter", "resource"
    bool operator==(const Bottleneck&) const = default;
};

/// What is told of a cause at least: less of a launch's time is not worth a change.
inline constexpr double kLeastShare = 0.08;
inline constexpr const char* kNearTheLimit = "near_the_limit";

enum class CauseOf : std::uint8_t { launch, program };

/// A row of record/causes.inc.
struct BottleneckInfo {
    std::string_view name;
    CauseOf of;
    std::string_view meaning, told;
};
std::span<const BottleneckInfo> causes();
bool is_cause(std::string_view name);

/// Puts them in the order in which they are told: by what they save. But what changes results in their last bits
/// (slow_math) comes behind what saves much without that, and what a single launch cannot save (launch_overhead) last.
void order(std::vector<Bottleneck>& causes);

/// Those of several launches as those of all: shares go by their times (`of_a`, `of_b`), the one that weighs more gives
/// the place and the numbers. The largest come first, and near_the_limit stays only where there is nothing else.
void join(std::vector<Bottleneck>& a, const std::vector<Bottleneck>& b, double of_a, double of_b);

/// What was seen, and what to do, in English: what JSON carries of it for readers.
std::string evidence_english(const Bottleneck& b);
std::string fix_english(const Bottleneck& b);

}  // namespace warpwright::record
