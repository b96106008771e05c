#include "measure/cpu_rung.hpp"

#include <algorithm>
#include <cstring>

#include "ladder/cpu.hpp"

namespace warpwright::measure {
namespace {

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
    auto work = ladder::make_cpu_work(ladder.reference, rung.cpu, buffers, *variables, threads, variant);
    if (!work && work.error().kind == ErrorKind::limit) {
        record->left_out = work.error().what;
        return record;
    }
    if (!work) return std::move(work).error();
    record->time = to_time(summarise(sample(*work, options)));
    const ladder::HostBuffer& out = buffers.find(ladder.reference.output)->second;
    if (auto ok = ladder::verify_into(*record, problem, rung, *variables, out.bytes); !ok) return ok.error();
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
