// What the checkers of a device found in all launches so far.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "record/finding.hpp"

namespace warpwright::device {

class FindingLog {
public:
    static constexpr std::string_view kPart = "checkers";
    virtual ~FindingLog() = default;
    /// Sorted.
    virtual std::vector<record::Finding> findings() const = 0;
    virtual void clear_findings() = 0;
    /// Adds a finding that is not about a kernel: a leak, a runtime error that nobody looked at.
    virtual void add_finding(record::Finding finding) = 0;
    /// Other checkers for later launches (a set of record::Checker; 0: none), and those of now. Waits for launches that
    /// run.
    virtual Result<void> set_checkers(std::uint32_t checkers) = 0;
    virtual std::uint32_t checkers() const = 0;
};

}  // namespace warpwright::device
