// A finding of a checker in a kernel's run: one defect, however often it occurred. The checkers fill these; printers
// (text, JSON, SARIF) only read them. record/findings.inc lists the kinds, docs/check.md explains them.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.hpp"

namespace warpwright::record {

/// The kinds of defect. Their order is that of printing.
enum class FindingKind : std::uint8_t {
#define WARPWRIGHT_FINDING(key, ...) key,
#include "record/findings.inc"
};

/// The number of each checker.
enum class CheckerBit : std::uint8_t {
#define WARPWRIGHT_CHECKER(key, ...) key,
#include "record/findings.inc"
};
/// The checkers a user can choose, as bits of a set; each kind belongs to one.
enum class Checker : std::uint8_t {
#define WARPWRIGHT_CHECKER(key, ...) key = 1 << static_cast<int>(CheckerBit::key),
#include "record/findings.inc"
};

/// What a checker looks at.
enum class CheckerScope : std::uint8_t { kernels, programs };

struct CheckerInfo {
    Checker checker;
    std::string_view name;  ///< "memory"
    CheckerScope scope;
};
/// In the order of their bits.
std::span<const CheckerInfo> checkers();
std::string_view name_of(Checker checker);

inline constexpr std::uint32_t kAllCheckers = 0
#define WARPWRIGHT_CHECKER(key, ...) | static_cast<std::uint32_t>(Checker::key)
#include "record/findings.inc"
    ;
/// Those that check kernels; the others check whole programs.
inline constexpr std::uint32_t kKernelCheckers = 0
#define WARPWRIGHT_CHECKER(key, of) \
    | (CheckerScope::of == CheckerScope::kernels ? static_cast<std::uint32_t>(Checker::key) : 0)
#include "record/findings.inc"
    ;

/// "memory,race" to a set of checkers.
Result<std::uint32_t> parse_checkers(std::string_view text);
/// The names of a set of checkers, with `between` between them.
std::string checker_names(std::uint32_t set, std::string_view between);

enum class Severity : std::uint8_t { error, warning };
/// "error", "warning"
std::string_view name_of(Severity severity);

/// A row of record/findings.inc.
struct FindingKindInfo {
    FindingKind kind;
    std::string_view name;  ///< "race-shared"
    Severity severity;      ///< the usual one
    Checker checker;
    std::string_view title;    ///< a phrase, for lists of rules
    std::string_view meaning;  ///< what is found, as the documentation says it
    std::string_view advice;   ///< what to do
};
/// In the order of the enumeration.
std::span<const FindingKindInfo> finding_kinds();
const FindingKindInfo& info(FindingKind kind);

/// One side of a finding: its place in the source, and its thread.
struct FindingPlace {
    std::string file;
    unsigned line = 0, column = 0;
    std::string access;  ///< "store of 4 bytes", "bar.sync", ...
    /// Its block in the grid and its place in the block, both known or neither.
    std::optional<std::array<std::uint32_t, 3>> block, thread;

    /// "kernel.cu:12"
    std::string text() const;
    /// "thread (3,0,0) of block (1,0,0)"; empty if it is not known.
    std::string thread_text() const;
};

/// The launch that wrote a place in memory last.
struct Writer {
    std::string kernel;
    std::uint64_t blocks = 0, threads_per_block = 0;
    std::uint32_t bytes = 0;  ///< of one element of the store; 0: not known
};

/// The array that an access belongs to, as the program's text calls it.
struct FindingArray {
    std::string name;         ///< "s"; "parameter 2" where its name is not known
    std::string element;      ///< "s[7][12]"
    std::string declaration;  ///< "float s[8][33]"; empty if it is not known
    unsigned line = 0;        ///< of the declaration, in the file of Finding::at
    std::uint64_t bytes = 0;  ///< of the array; 0: see Finding::allocation
};

/// Memory of the device.
struct FindingAllocation {
    std::uint64_t address = 0, bytes = 0;
    auto operator<=>(const FindingAllocation&) const = default;
};

struct Finding {
    FindingKind kind = FindingKind::fault;
    Severity severity = Severity::error;
    Cause cause{};        ///< of the fault that ended the launch; Cause::none if the kind is enough
    std::string message;  ///< one line, of its first occurrence
    std::string kernel;
    FindingPlace at;
    std::optional<FindingPlace> other;  ///< races: the access before
    std::string space;                  ///< "global", "shared", "local"; empty if it is no access
    std::uint64_t address = 0;          ///< global: device address; shared and local: offset
    std::uint32_t bytes = 0;
    std::optional<FindingAllocation> allocation;  ///< the nearest
    std::optional<FindingPlace> allocated;        ///< whole programs: the call that allocated it
    std::string allocated_as;                     ///< the host's variable that holds its address; empty: not known
    std::optional<FindingArray> array;            ///< what was accessed
    std::uint64_t count = 1;                      ///< times it was seen: thread by thread for accesses
    std::string advice;                           ///< what to do; decided where the defect is found
};
/// A finding with the severity and the advice of its kind's row.
Finding finding_of(FindingKind kind);

/// {"schema": 1, "findings": [...]}
std::string findings_json(const std::vector<Finding>& findings);
/// Reads the output of findings_json().
Result<std::vector<Finding>> read_findings(const std::string& json);

}  // namespace warpwright::record
