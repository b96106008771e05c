// The rule of the banks follows from the generation that a compute capability belongs to, and 0 stands for GCN. The
// rule of coalescing is named by the model, and the capability only tells the two rules of 1.x apart.
#include "counters/rules.hpp"

namespace warpwright::counters {

bool has_wide_banks(const arch::DeviceModel& model) { return model.compute_capability / 10 == 3; }

BankRule bank_rule(const arch::DeviceModel& model, bool wide_banks) {
    switch (model.compute_capability / 10) {
        case 0:
            return kBanksGcn;  // no compute capability: another vendor's
        case 1:
            return kBanksTesla;
        case 2:
            return kBanksFermi;
        case 3:
            return wide_banks ? kBanksKepler8 : kBanksKepler4;
        default:
            return kBanksMaxwell;
    }
}

CoalescingRule coalescing_rule(const arch::DeviceModel& model) {
    switch (model.coalescing) {
        case arch::Coalescing::half_warp_segments:
            return model.compute_capability >= 12 ? kCoalesceTesla12 : kCoalesceTesla10;
        case arch::Coalescing::l1_lines:
        case arch::Coalescing::lines_64:
        case arch::Coalescing::l2_segments:
        case arch::Coalescing::sectors:
            break;
    }
    CoalescingRule rule;
    rule.segment_bytes = arch::transaction_bytes(model.coalescing);
    return rule;
}

unsigned segment_bytes(const CoalescingRule& rule) {
    return rule.kind == CoalescingRule::Kind::sectors ? rule.segment_bytes : 0;
}

}  // namespace warpwright::counters
