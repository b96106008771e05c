// Predicted times are compared by the table of how often pairs were in the order of a GPU.
#include "lab/page/apart.hpp"

#include <algorithm>

#include "arch/ordering.hpp"

namespace warpwright::lab {

using record::Record;

namespace {

bool is_simulated(const Record& r) {
    return r.predicted && r.predicted->method == record::Predicted::kSimulated && r.predicted->seconds > 0;
}

bool is_measured(const Record& r) { return r.time && r.time->median_s > 0; }

double factor_of(double a, double b) { return std::max(a, b) / std::min(a, b); }

}  // namespace

std::optional<Apart> apart(const Record& a, const Record& b) {
    if (is_measured(a) && is_measured(b)) return Apart{factor_of(a.time->median_s, b.time->median_s), true, 0, 0, {}};
    if (is_measured(a) || is_measured(b) || !is_simulated(a) || !is_simulated(b)) return std::nullopt;
    const auto is_memory = [](const Record& r) { return r.bound && arch::Ordering::is_memory(r.bound->binds); };
    return predicted_apart(a.predicted->seconds, b.predicted->seconds, is_memory(a) && is_memory(b),
                           a.predicted->error && b.predicted->error);
}

Apart predicted_apart(double a, double b, bool memory, bool compared) {
    Apart out{factor_of(a, b), false, 0, 0, {}};
    const auto& table = arch::ordering();
    if (!table) return out;
    const arch::OrderRow row = table->row(memory, out.factor);
    out.pairs = row.pairs, out.right = row.right, out.device = table->device();
    if (const auto margin = table->margin(memory)) out.told = out.factor >= (compared ? *margin : *margin * *margin);
    return out;
}

bool cannot_tell(const Record& a, const Record& b) {
    const auto both = apart(a, b);
    return !both || !both->told;
}

}  // namespace warpwright::lab
