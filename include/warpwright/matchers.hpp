// GoogleTest matchers on a warpwright::Profile (needs GoogleMock):
//
//     EXPECT_THAT(profile, HasNoBankConflicts());
//     EXPECT_THAT(profile, AllOf(HasNoRaces(), SectorsPerRequestAtMost(4), OccupancyAtLeast(0.5)));
//
// What fails says by how much and names the source lines.
#pragma once

#include <gmock/gmock.h>

#include <functional>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>

#include "warpwright/profile.hpp"

namespace warpwright {

/// How GoogleTest prints one.
inline void PrintTo(const Profile& profile, std::ostream* out) { *out << describe(profile); }

namespace matchers {

/// A verdict as a matcher.
class ProfileMatcher {
public:
    using is_gtest_matcher = void;
    ProfileMatcher(std::string what, std::function<Verdict(const Profile&)> judge)
        : what_(std::move(what)), judge_(std::move(judge)) {}
    bool MatchAndExplain(const Profile& profile, std::ostream* out) const {
        const Verdict verdict = judge_(profile);
        if (out) *out << verdict.text;
        return verdict.holds;
    }
    void DescribeTo(std::ostream* out) const { *out << what_; }
    void DescribeNegationTo(std::ostream* out) const { *out << "not: " << what_; }

private:
    std::string what_;
    std::function<Verdict(const Profile&)> judge_;
};

namespace detail {
template <class T>
std::string with(const char* what, const T& value) {
    std::ostringstream text;
    text << what << ' ' << value;
    return text.str();
}
}  // namespace detail

// Findings of the checkers.
inline ProfileMatcher HasNoFindings() { return {"has no findings", no_findings}; }
inline ProfileMatcher HasNoErrors() { return {"has no errors among its findings", no_errors}; }
inline ProfileMatcher HasNoRaces() {
    return {"has no races", [](const Profile& p) { return no_findings_of(p, record::Checker::race); }};
}
inline ProfileMatcher HasNoBadAccesses() {
    return {"has no bad accesses", [](const Profile& p) { return no_findings_of(p, record::Checker::memory); }};
}
inline ProfileMatcher HasNoUninitialisedReads() {
    return {"reads nothing that was never written",
            [](const Profile& p) { return no_findings_of(p, record::Checker::init); }};
}
inline ProfileMatcher HasNoBarrierMisuse() {
    return {"uses barriers and masks as it should",
            [](const Profile& p) { return no_findings_of(p, record::Checker::sync); }};
}
/// For tests that a bug is found: HasFinding("race-shared"), HasFinding("out-of-bounds", 12).
inline ProfileMatcher HasFinding(std::string kind, unsigned line = 0) {
    return {"has a finding " + kind + (line ? " at line " + std::to_string(line) : ""),
            [kind, line](const Profile& p) { return has_finding(p, kind, line); }};
}

// Memory.
inline ProfileMatcher HasNoBankConflicts() { return {"has no bank conflicts", no_bank_conflicts}; }
inline ProfileMatcher BankConflictsAtMost(std::uint64_t most) {
    return {detail::with("has bank conflicts of at most", most),
            [most](const Profile& p) { return bank_conflicts_at_most(p, most); }};
}
inline ProfileMatcher SectorsPerRequestAtMost(double most) {
    return {detail::with("has global sectors per request of at most", most),
            [most](const Profile& p) { return sectors_per_request_at_most(p, most); }};
}
inline ProfileMatcher GlobalBytesAtMost(std::uint64_t most) {
    return {detail::with("moves bytes of global memory of at most", most),
            [most](const Profile& p) { return global_bytes_at_most(p, most); }};
}
inline ProfileMatcher GlobalEfficiencyAtLeast(double least) {
    return {detail::with("uses of the global sectors it touches at least", least),
            [least](const Profile& p) { return global_efficiency_at_least(p, least); }};
}
inline ProfileMatcher HasNoLocalMemory() { return {"uses no local memory", no_local_memory}; }
inline ProfileMatcher SharedBytesAtMost(std::uint64_t most) {
    return {detail::with("has shared memory per block of at most", most),
            [most](const Profile& p) { return shared_bytes_at_most(p, most); }};
}

// Control flow and occupancy; fractions from 0 to 1.
inline ProfileMatcher BranchEfficiencyAtLeast(double least) {
    return {detail::with("has a branch efficiency of at least", least),
            [least](const Profile& p) { return branch_efficiency_at_least(p, least); }};
}
inline ProfileMatcher LaneEfficiencyAtLeast(double least) {
    return {detail::with("has a lane efficiency of at least", least),
            [least](const Profile& p) { return lane_efficiency_at_least(p, least); }};
}
inline ProfileMatcher OccupancyAtLeast(double least) {
    return {detail::with("has an occupancy of at least", least),
            [least](const Profile& p) { return occupancy_at_least(p, least); }};
}
inline ProfileMatcher RegistersAtMost(std::uint32_t most) {
    return {detail::with("has registers per thread of at most", most),
            [most](const Profile& p) { return registers_at_most(p, most); }};
}

// What holds the launch back (docs/causes.md).
inline ProfileMatcher IsNotHeldBackBy(const std::string& cause, double share = record::kLeastShare) {
    return {"is not held back by " + cause, [=](const Profile& p) { return not_held_back_by(p, cause, share); }};
}
inline ProfileMatcher IsNearTheLimit(double share = record::kLeastShare) {
    return {"is near the limit", [=](const Profile& p) { return near_the_limit(p, share); }};
}

// Any count: CountAtMost(Count::barriers, 8).
inline ProfileMatcher CountAtMost(record::Count count, std::uint64_t most) {
    return {detail::with((std::string(record::count_key(count)) + " is at most").c_str(), most),
            [count, most](const Profile& p) { return count_at_most(p, count, most); }};
}
inline ProfileMatcher HasNoneOf(record::Count count) { return CountAtMost(count, 0); }

}  // namespace matchers
}  // namespace warpwright
