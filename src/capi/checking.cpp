// Before each launch the findings in the device's log are moved to a list for the caller, so that the launch's result
// has its own alone. Where the environment has switched the checkers on already, these functions leave them as they
// are.
#include "capi/checking.hpp"

#include <mutex>
#include <vector>

#include "capi/handles.hpp"
#include "capi/text.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/stream/stream.hpp"
#include "device/finding_log.hpp"
#include "record/finding.hpp"

namespace warpwright::capi {
namespace {

std::mutex mutex;
std::vector<record::Finding>& kept() {
    static auto* findings = new std::vector<record::Finding>;
    return *findings;
}

/// All that was found since the last call.
std::string taken(device::Device& device) {
    cudart::Scheduler::get().wait_all();
    keep_findings();
    std::lock_guard lock(mutex);
    (void)device;
    return record::findings_json(std::exchange(kept(), {}));
}

}  // namespace

bool checked_from_outside() { return cudart::Runtime::get().settings.checks(); }

bool checking() {
    auto gpu = device();
    return gpu && (*gpu)->finding_log()->checkers() != 0;
}

void keep_findings() {
    auto gpu = device();
    if (!gpu || checked_from_outside()) return;
    auto found = (*gpu)->finding_log()->findings();
    (*gpu)->finding_log()->clear_findings();
    // Without checkers these are accesses that a GPU does not notice, which were told when they were found.
    if (!checking()) return;
    std::lock_guard lock(mutex);
    for (auto& f : found) kept().push_back(std::move(f));
}

}  // namespace warpwright::capi

using namespace warpwright;

ww_status ww_check_begin(const char* checkers) {
    auto gpu = capi::device();
    if (!gpu) return capi::fail(gpu.error());
    auto set = record::parse_checkers(checkers && *checkers ? checkers : "all");
    if (!set) return capi::fail(set.error());
    if (capi::checked_from_outside()) return capi::done();
    if (capi::checking())
        return capi::fail(capi::usage("a check is under way already", "one check at a time; end the other one first"));
    cudart::Scheduler::get().wait_all();
    (*gpu)->finding_log()->clear_findings();
    const auto on = (*gpu)->finding_log()->set_checkers(*set);
    return on ? capi::done() : capi::fail(on.error());
}

ww_status ww_check_take(char** json) {
    auto gpu = capi::device();
    if (!gpu) return capi::fail(gpu.error());
    return capi::give(capi::taken(**gpu), json);
}

ww_status ww_check_end(char** json) {
    auto gpu = capi::device();
    if (!gpu) return capi::fail(gpu.error());
    const std::string found = capi::taken(**gpu);
    if (capi::checked_from_outside()) return capi::give(found, json);
    (*gpu)->finding_log()->clear_findings();
    if (auto off = (*gpu)->finding_log()->set_checkers(0); !off) return capi::fail(off.error());
    return capi::give(found, json);
}
