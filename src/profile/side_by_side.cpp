// Launches that were told apart in one run may be one entry in the other: then its shape decides.
#include "profile/side_by_side.hpp"

#include <algorithm>

namespace warpwright::profile {

const KernelUse* same_kernel(const Profile& other, const KernelUse& use) {
    const KernelUse *of_name = nullptr, *of_shape = nullptr;
    std::size_t named = 0;
    for (const KernelUse& k : other.kernels) {
        if (k.name != use.name || k.from_device != use.from_device || k.device != use.device) continue;
        of_name = &k, ++named;
        if (k.grid != use.grid || k.block != use.block || k.dynamic_shared != use.dynamic_shared) continue;
        if (k.apart == use.apart) return &k;
        if (!of_shape) of_shape = &k;
    }
    return of_shape ? of_shape : named == 1 ? of_name : nullptr;
}

namespace {

/// Why a run has no time of a kernel that another run has.
std::string why_absent(const Profile& run, const KernelUse& use, int code) {
    for (const Fault& f : run.faults)
        if (f.kernel == use.name) return "the kernel was ended by an error there: " + f.text;
    for (const Profile::Call& c : run.calls)
        if (c.failed && c.name.find("Launch") != std::string::npos) return "a launch failed there";
    if (code != 0) return "the program ended with code " + std::to_string(code) + " there, before this kernel";
    return "the program does not launch it so there";
}

}  // namespace

void add_model(Profile& profile, const std::string& model, const Profile& on_model, int code) {
    for (KernelUse& k : profile.kernels) {
        OnModel& m = k.models.emplace_back();
        m.model = model;
        const KernelUse* there = same_kernel(on_model, k);
        if (!there || there->times.calls == 0) {
            m.why = why_absent(on_model, k, code);
            continue;
        }
        m.seconds = there->times.average(), m.total = there->times.total;
        m.predicted = there->predicted.has_value() && there->unpredicted.empty();
        if (there->predicted) m.causes = there->predicted->causes;
    }
}

void add_model(Profile& profile, const std::string& model, const std::string& why) {
    for (KernelUse& k : profile.kernels) {
        OnModel& m = k.models.emplace_back();
        m.model = model, m.why = why;
    }
}

}  // namespace warpwright::profile
