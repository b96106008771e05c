// The ways are tried from the cheapest to the most general: rows of local memory, one address, a few runs, a pattern of
// fixed offsets, lanes that turn out to follow each other, and last the runtime. Masked copies and checked launches
// admit fewer of them.
#include "engine/codegen/memory.hpp"

#include "engine/codegen/followed_access.hpp"
#include "engine/codegen/local_access.hpp"
#include "engine/codegen/next_rows.hpp"
#include "engine/codegen/run_access.hpp"
#include "engine/codegen/runtime_access.hpp"
#include "engine/codegen/scattered_access.hpp"
#include "engine/codegen/uniform_access.hpp"

namespace warpwright::engine::codegen {

using simt::Space;

namespace {

/// Whether sectors of other devices' memory are told apart: then the runtime is asked for each access that leaves the
/// device, with one run of lanes at most.
bool may_leave_device(const FunctionState& fn, const Access& a) {
    return fn.options.linked && a.space == Space::global;
}

/// More runs than this are taken apart lane by lane; the checkers take longer for a lane than for a run.
std::size_t most_runs(const FunctionState& fn, const Access& a) {
    return may_leave_device(fn, a) ? 1 : fn.options.check ? 8 : 4;
}

void load(FunctionState& fn, const Access& a) {
    if (a.space == Space::local) return local_load(fn, a);
    if (takes_one_address(fn, a)) return uniform_load(fn, a);
    if (takes_runs(fn, a)) {
        fetch_next_row(fn, a);
        return run_load(fn, a);
    }
    const bool apart = may_leave_device(fn, a);
    if (!apart && fn.at.converged && scattered_load(fn, a)) return;
    if (!apart && followed_load(fn, a)) return;
    runtime_load(fn, a);
}

void store(FunctionState& fn, const Access& a) {
    if (a.space == Space::local) return local_store(fn, a);
    if (takes_one_address(fn, a)) return uniform_store(fn, a);
    if (takes_runs(fn, a)) {
        fetch_next_row(fn, a);
        return run_store(fn, a);
    }
    const bool apart = may_leave_device(fn, a);
    if (!apart && fn.at.converged && scattered_store(fn, a)) return;
    if (!apart && followed_store(fn, a)) return;
    runtime_store(fn, a);
}

}  // namespace

bool has_way(const simt::Inst& i) {
    // 128-bit elements come as two halves each.
    if (i.space == Space::param || (i.type != simt::Type::none && simt::bytes(i.type) > 8)) return false;
    const auto count = i.kind == simt::InstKind::store ? i.in.size() - 1 : i.out.size();
    const auto total = simt::bytes(i.type) * count;
    return total > 0 && total <= 32 && (total & (total - 1)) == 0;
}

bool takes_one_address(const FunctionState& fn, const Access& a) {
    if (a.space == Space::local || a.space == Space::generic || !fn.uniform(a.inst->in[0])) return false;
    return !a.store || (fn.at.converged && !fn.options.check);
}

bool takes_runs(const FunctionState& fn, const Access& a) {
    if (a.space == Space::local || a.space == Space::generic || a.runs.empty()) return false;
    if (a.runs.size() > most_runs(fn, a)) return false;
    if (fn.at.converged && !a.store) return true;
    if (!fn.at.converged && (a.runs.size() != 1 || (!a.store && !a.runs[0].contiguous))) return false;
    if (a.store)
        for (const auto& r : a.runs)
            if (!r.contiguous || r.same_as != static_cast<unsigned>(&r - a.runs.data())) return false;
    return true;
}

Result<void> emit_load_or_store(FunctionState& fn, const simt::Inst& i) {
    if (i.space == Space::param) return fn.unsupported(i, "this form of parameter access is not supported");
    // 128-bit elements come as two halves each; other forms are not supported.
    if (i.type != simt::Type::none && simt::bytes(i.type) > 8)
        return fn.unsupported(i, "128-bit elements are not supported");
    Access a = classify(fn, i);
    if (a.total() > 32 || (a.total() & (a.total() - 1)) != 0)
        return fn.unsupported(i, "this access width is not supported");
    if (a.store)
        store(fn, a);
    else
        load(fn, a);
    return {};
}

}  // namespace warpwright::engine::codegen
