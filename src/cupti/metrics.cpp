#include "cupti/metrics.hpp"

#include <algorithm>

namespace warpwright::cupti {
namespace {

using record::Count;

Metric counted(const char* hardware, std::vector<Count> counts) { return {hardware, {hardware}, std::move(counts)}; }
Metric shown(const char* hardware, std::vector<std::string> also = {}) {
    Metric m{hardware, {hardware}, {}};
    m.hardware.insert(m.hardware.end(), also.begin(), also.end());
    return m;
}

std::vector<Metric> all() {
    return {
        shown(kDuration),
        counted("smsp__inst_executed.sum", {Count::instructions}),
        counted("smsp__thread_inst_executed.sum", {Count::thread_instructions}),
        counted("smsp__inst_executed_op_branch.sum", {Count::branches}),
        counted("smsp__sass_branch_targets_threads_divergent.sum", {Count::divergent_branches}),
        counted("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", {Count::global_load_requests}),
        counted("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", {Count::global_load_sectors}),
        counted("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", {Count::global_store_requests}),
        counted("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", {Count::global_store_sectors}),
        counted("l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", {Count::global_atomic_requests}),
        counted("l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", {Count::global_atomic_sectors}),
        counted("l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", {Count::global_atomic_requests}),
        counted("l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", {Count::global_atomic_sectors}),
        counted("l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", {Count::local_load_requests}),
        counted("l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", {Count::local_load_sectors}),
        counted("l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", {Count::local_store_requests}),
        counted("l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", {Count::local_store_sectors}),
        counted("smsp__inst_executed_op_shared_ld_pred_on_any.sum", {Count::shared_load_requests}),
        counted("smsp__inst_executed_op_shared_st_pred_on_any.sum", {Count::shared_store_requests}),
        counted("smsp__inst_executed_op_shared_atom_pred_on_any.sum", {Count::shared_atomic_requests}),
        counted("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", {Count::shared_load_wavefronts}),
        counted("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", {Count::shared_store_wavefronts}),
        counted("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", {Count::shared_atomic_wavefronts}),
        counted("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
                {Count::shared_load_bank_conflicts, Count::shared_load_excess_wavefronts}),
        counted("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
                {Count::shared_store_bank_conflicts, Count::shared_store_excess_wavefronts}),
        counted("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum", {Count::shared_atomic_bank_conflicts}),
        // These count a fused multiply-add as two.
        counted("smsp__sass_thread_inst_executed_ops_hadd_hmul_hfma_pred_on.sum", {Count::flops, Count::flops_f16}),
        counted("smsp__sass_thread_inst_executed_ops_fadd_fmul_ffma_pred_on.sum", {Count::flops, Count::flops_f32}),
        counted("smsp__sass_thread_inst_executed_ops_dadd_dmul_dfma_pred_on.sum", {Count::flops, Count::flops_f64}),
        shown("sm__warps_active.avg.pct_of_peak_sustained_active"),
        shown("dram__bytes_read.sum", {"dram__bytes_op_read.sum"}),
        shown("dram__bytes_write.sum", {"dram__bytes_op_write.sum"}),
        shown("dram__throughput.avg.pct_of_peak_sustained_elapsed"),
        shown("lts__throughput.avg.pct_of_peak_sustained_elapsed"),
        shown("l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed"),
        shown("smsp__issue_active.avg.pct_of_peak_sustained_elapsed"),
    };
}

}  // namespace

std::vector<Metric> metrics_for(const std::vector<std::string>& wanted) {
    auto known = all();
    if (wanted.empty()) return known;
    std::vector<Metric> out{known.front()};
    const auto has = [&](const std::string& name) {
        return std::any_of(out.begin(), out.end(), [&](const Metric& m) { return m.name == name; });
    };
    for (const auto& word : wanted) {
        bool ours = false;
        for (unsigned k = 0; k < record::kCounts && !ours; ++k) ours = word == record::count_key(static_cast<Count>(k));
        if (!ours) {
            if (!has(word)) out.push_back(shown(word.c_str()));
            continue;
        }
        // A sum of several (atomics that answer and that do not) takes all its parts.
        for (const auto& m : known)
            for (auto c : m.counts)
                if (word == record::count_key(c) && !has(m.name)) out.push_back(m);
    }
    return out;
}

}  // namespace warpwright::cupti
