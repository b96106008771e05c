// What the checkers of a device found in all launches so far.
#pragma once

#include <vector>

#include "record/finding.hpp"

namespace warpwright::device {

class FindingLog {
public:
    virtual ~FindingLog() = default;
    /// Sorted.
    virtual std::vector<record::Finding> findings() const = 0;
    virtual void clear_findings() = 0;
    /// Adds a finding that is not about a kernel: a leak, a runtime error that nobody looked at.
    virtual void add_finding(record::Finding finding) = 0;
};

}  // namespace warpwright::device
