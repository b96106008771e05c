// Kernels of our own libraries (kernels/aten, blas, fft, ...) are no text of the program's: what the checkers find in
// one is told at the program's line that led to its launch, once for each such line.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "record/finding.hpp"
#include "support/source_files.hpp"

namespace warpwright::cudart {

struct Launch;

class LaunchPlaces {
public:
    /// A launch has ended, and these are the findings so far: those that became more are of this launch.
    void ended(const Launch& launch, const std::vector<record::Finding>& findings);
    /// The finding as the program is told of it, with what the kernel's own line says of a trap.
    std::vector<record::Finding> told(const record::Finding& finding, SourceFiles& sources) const;

private:
    using Key = std::tuple<record::FindingKind, std::string, std::string, std::string>;
    struct Seen {
        std::uint64_t count = 0;
        std::map<std::string, std::pair<record::FindingPlace, std::uint64_t>> places;  ///< by their text
    };
    static Key key_of(const record::Finding& finding);
    std::map<Key, Seen> seen_;
};

}  // namespace warpwright::cudart
