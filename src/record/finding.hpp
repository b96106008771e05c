// A finding of a checker in a kernel's run: one defect, however often it occurred. The checkers fill these; printers
// (text, JSON, SARIF) only read them. docs/check.md explains each kind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.hpp"

namespace warpwright::record {

/// The kinds of defect. Their order is that of printing.
enum class FindingKind : std::uint8_t {
    out_of_bounds,
    null_pointer,
    use_after_free,
    read_only,
    misaligned,
    leak,
    uninitialised,
    unwritten_copy,   ///< elements that nothing wrote are copied to the host
    race_lanes,       ///< between lanes of a warp, without __syncwarp
    race_shared,      ///< in shared memory, between warps of a block or blocks of a cluster
    race_global,      ///< in global memory
    unfinished_copy,  ///< memory that an asynchronous copy is still writing
    barrier_divergence,
    barrier_exited,
    sync_mask,
    shuffle_source,
    deadlock,
    fault,      ///< whatever else ended the launch: a trap, an assertion, ...
    api_error,  ///< an error that a call of the runtime returned and nobody looked at
};

/// The checkers a user can choose; each kind belongs to one.
enum class Checker : std::uint8_t { memory = 1, init = 2, race = 4, sync = 8, leak = 16, api = 32 };
inline constexpr std::uint32_t kAllCheckers = 63;
/// Those that check kernels; the others check whole programs.
inline constexpr std::uint32_t kKernelCheckers = 15;

struct FindingKindInfo {
    FindingKind kind;
    std::string_view name;  ///< "race-shared"
    Checker checker;
    std::string_view title;   ///< a phrase, for lists of rules
    std::string_view advice;  ///< what to do
};
const std::vector<FindingKindInfo>& finding_kinds();
const FindingKindInfo& info(FindingKind kind);

/// "memory,race" to a set of checkers.
Result<std::uint32_t> parse_checkers(std::string_view text);

enum class Severity : std::uint8_t { error, warning };

/// One side of a finding: its place in the source, and its thread.
struct FindingPlace {
    std::string file;
    unsigned line = 0, column = 0;
    std::string access;  ///< "store of 4 bytes", "bar.sync", ...
    bool has_thread = false;
    std::uint32_t block[3] = {0, 0, 0}, thread[3] = {0, 0, 0};

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
    std::optional<std::pair<std::uint64_t, std::uint64_t>> allocation;  ///< address and size of the nearest
    std::optional<FindingPlace> allocated;                              ///< whole programs: the call that allocated it
    std::string allocated_as;           ///< the host's variable that holds its address; empty: not known
    std::optional<FindingArray> array;  ///< what was accessed
    std::uint64_t count = 1;            ///< times it was seen: thread by thread for accesses
    std::string advice;
};

/// {"schema": 1, "findings": [...]}
std::string findings_json(const std::vector<Finding>& findings);
/// Reads the output of findings_json().
Result<std::vector<Finding>> read_findings(const std::string& json);

}  // namespace warpwright::record
