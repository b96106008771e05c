// Prepares the host's buffers, times the work and verifies its result. Where only the first rows of a product are
// timed, only they are verified, and the record says so.
#include "measure/cpu_rung.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ladder/cpu.hpp"

namespace warpwright::measure {
namespace {

/// Verifies a product of which only the first rows were computed, against a reference of those rows.
Result<void> verify_rows(record::Record& record, const ladder::Problem& problem, const ladder::Rung& rung,
                         const ladder::Variables& variables, ladder::HostBuffers& buffers,
                         const ladder::CpuRows& rows) {
    const ladder::Reference& reference = problem.ladder().reference;
    const auto n = reference.sizes[1].integer(variables), k = reference.sizes[2].integer(variables);
    if (!n) return n.error();
    if (!k) return k.error();
    const auto input = [&](std::size_t i) { return ladder::Input(buffers.find(reference.inputs[i])->second); };
    const ladder::HostBuffer& out = buffers.find(reference.output)->second;
    const auto layout = ladder::Layout::of(ladder::word_of(reference.layout, problem.variant()));
    ladder::Problem part = problem;
    part.set_expected(ladder::reference_matmul(input(0), input(1), out.element, rows.timed, *n, *k, layout));
    if (auto ok = ladder::verify_into(record, part, rung, variables, out.bytes); !ok) return ok;
    record.verification->method = fmt::format("every element of the first {} of {} rows", rows.timed, rows.all);
    return {};
}

Result<record::Record> time_rung(const ladder::Rung& rung, const ladder::Variant& variant,
                                 const ladder::Problem& problem, unsigned threads, const SampleOptions& options) {
    const ladder::Ladder& ladder = problem.ladder();
    auto record = ladder::describe(ladder, rung, variant, problem.size());
    if (!record) return record;
    record->device = "cpu";
    auto reason = ladder::why_left_out(ladder, rung, variant, problem.size(), nullptr);
    if (!reason) return std::move(reason).error();
    record->left_out = std::move(*reason);
    if (record->left_out) return record;
    auto variables = ladder::variables_of(ladder, rung, problem.size(), variant);
    if (!variables) return std::move(variables).error();
    ladder::HostBuffers buffers;
    for (std::size_t i = 0; i < ladder.buffers.size(); ++i) {
        const ladder::Buffer& b = ladder.buffers[i];
        const auto& inputs = ladder.reference.inputs;
        bool used =
            b.name == ladder.reference.output || std::find(inputs.begin(), inputs.end(), b.name) != inputs.end();
        if (!used) continue;
        auto host = problem.host_buffer(i);
        if (!host) return std::move(host).error();
        if (!b.filled) std::memset(host->bytes.data(), problem.poison(), host->bytes.size());
        buffers.emplace(b.name, std::move(*host));
    }
    const ladder::CpuRows rows = ladder::cpu_rows(ladder.reference, rung.cpu, *variables, variant);
    auto work = ladder::make_cpu_work(ladder.reference, rung.cpu, buffers, *variables, threads, variant,
                                      rows.part() ? std::optional(rows.timed) : std::nullopt);
    if (!work && work.error().kind == ErrorKind::limit) {
        record->left_out = work.error().what;
        return record;
    }
    if (!work) return std::move(work).error();
    record->time = to_time(summarise(sample(*work, options)));
    record->time->median_s /= rows.share();
    record->time->min_s /= rows.share();
    if (rows.part()) record->time->timed_share = rows.share();
    const ladder::HostBuffer& out = buffers.find(ladder.reference.output)->second;
    if (rows.part()) {
        if (auto ok = verify_rows(*record, problem, rung, *variables, buffers, rows); !ok) return ok.error();
        record->notes.push_back(
            fmt::format("timed on the first {} of {} rows, and multiplied to the time of all", rows.timed, rows.all));
    } else if (auto ok = ladder::verify_into(*record, problem, rung, *variables, out.bytes); !ok) {
        return ok.error();
    }
    record->notes.push_back("timed on " + ladder::cpu_name());
    return record;
}

}  // namespace

ladder::RungRun run_cpu_rung(const ladder::Rung& rung, const ladder::Variant& variant, const ladder::Problem& problem,
                             unsigned threads, const SampleOptions& options) {
    ladder::RungRun run;
    auto record = time_rung(rung, variant, problem, threads, options);
    if (record) {
        run.record = std::move(*record);
        return run;
    }
    run.record.experiment = problem.ladder().name;
    run.record.rung = rung.name;
    run.record.device = "cpu";
    run.record.error = record.error().text();
    run.problem = record.error();
    return run;
}

}  // namespace warpwright::measure
