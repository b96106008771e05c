// Each run has an emulated device of its own, so that nothing of an earlier one is left: code, memory or findings.
// Registers are estimated whatever the machine has, so that an attempt has the same figures everywhere.
#include "learn/workshop.hpp"

#include <algorithm>

#include "device/emulated/emulated.hpp"
#include "lab/sweep/modelled_launches.hpp"
#include "lab/sweep/target.hpp"
#include "ladder/run.hpp"
#include "launch/limits.hpp"
#include "support/disk_cache.hpp"

namespace warpwright::learn {
namespace {

/// Inputs of the counted run: counts must not change from attempt to attempt.
constexpr std::uint64_t kCountedSeed = 1;
/// The checkers keep some 40 bytes for each byte of this, and an exercise's arrays are small.
constexpr std::uint64_t kMemory = std::uint64_t{64} << 20;

bool is_output(const ladder::Ladder& ladder, const ladder::Rung& rung) {
    return ladder.reference.kind == ladder::Reference::Kind::rung && ladder.reference.rung == rung.name;
}

}  // namespace

/// The PTX of what was compiled, by source and macros.
struct Workshop::Texts {
    using Key = std::pair<std::string, std::vector<std::string>>;
    std::mutex mutex;
    std::map<Key, Result<std::string>> all;
};

Workshop::Workshop(const Exercise& exercise, const WorkshopOptions& options, arch::DeviceModel model)
    : exercise_(exercise), options_(options), model_(std::move(model)), texts_(std::make_shared<Texts>()) {}
Workshop::~Workshop() = default;

Result<std::unique_ptr<Workshop>> Workshop::make(const Exercise& exercise, const WorkshopOptions& options) {
    auto model = arch::load_model(arch::model_or_default(options.model.empty() ? exercise.model : options.model));
    if (!model) return std::move(model).error();
    return std::unique_ptr<Workshop>(new Workshop(exercise, options, std::move(*model)));
}

Result<std::unique_ptr<device::Device>> Workshop::device(const ladder::Rung& rung, bool checked) const {
    device::EmulatedOptions emulated;
    emulated.limits = launch::limits_of(model_);
    emulated.threads = options_.threads;
    emulated.cpu = options_.cpu;
    emulated.memory = kMemory;
    emulated.cache_directory = default_cache_directory();
    emulated.estimated_registers = true;
    emulated.checkers = checked ? record::kKernelCheckers : 0;
    emulated.sources = std::make_shared<SourceFiles>(only_file(rung.source));
    return device::make_emulated(emulated);
}

ladder::CompileFunction Workshop::compiler() const {
    // Where the time is over, the session leaves the thread that compiles: it must not need this object.
    return [texts = texts_, target = std::make_shared<lab::Target>()](
               const std::string& path, const std::vector<std::string>& defines) -> Result<std::string> {
        {
            std::lock_guard lock(texts->mutex);
            if (const auto it = texts->all.find({path, defines}); it != texts->all.end()) return it->second;
        }
        auto text = lab::compile_to_ptx(path, defines, {}, *target);
        std::lock_guard lock(texts->mutex);
        return texts->all.insert_or_assign({path, defines}, std::move(text)).first->second;
    };
}

void Workshop::changed(const std::string& file) {
    std::lock_guard lock(texts_->mutex);
    std::erase_if(texts_->all, [&](const auto& one) { return one.first.first == file; });
}

Result<void> Workshop::compile_all(const std::string& file) {
    std::vector<ladder::Rung> rungs;
    for (const std::string& name : {exercise_.reference, exercise_.start, exercise_.ladder.reference.rung})
        if (const auto* rung = exercise_.rung(name)) rungs.push_back(*rung);
    for (const Question& q : exercise_.questions) rungs.push_back(*exercise_.rung(q.rung));
    if (exercise_.questions.empty()) {
        rungs.push_back(*exercise_.rung(exercise_.start));
        rungs.back().source = file;
    }
    auto device = this->device(rungs.front(), false);
    if (!device) return std::move(device).error();
    ladder::RunOptions options;
    options.launch.timeout = options_.limit;
    options.compile = compiler();
    ladder::Session session(**device, options);
    std::vector<ladder::Session::Wanted> wanted;
    auto sizes = exercise_.sizes;
    sizes.push_back(exercise_.measured);
    for (const ladder::Rung& rung : rungs)
        for (const auto& size : sizes) wanted.push_back({&rung, {}, size});
    session.compile_ahead(exercise_.ladder, wanted, 1);
    return {};
}

Result<Workshop::Run> Workshop::run(const ladder::Rung& rung, const std::vector<std::int64_t>& size, std::uint64_t seed,
                                    bool checked) const {
    auto device = this->device(rung, checked);
    if (!device) return std::move(device).error();
    lab::ModelledLaunches launches(model_, checked ? predict::Simulate::none : predict::Simulate::all);
    ladder::RunOptions options;
    options.launch.timeout = options.launch.compile_timeout = options_.limit;
    options.launch.counters = options.launch.per_line = !checked;
    options.compile = compiler();
    if (!checked) {
        options.before = [&](const auto& k, const auto& c, auto& o) { launches.before(k, c, o); };
        options.after = [&](const auto& k, const auto& c, const auto& r) { launches.after(k, c, r); };
    }
    ladder::Session session(**device, options);
    auto problem = ladder::Problem::make(exercise_.ladder, size, {}, seed);
    if (!problem) return std::move(problem).error();
    if (exercise_.ladder.reference.kind == ladder::Reference::Kind::rung && !is_output(exercise_.ladder, rung)) {
        const ladder::Rung* reference = exercise_.rung(exercise_.ladder.reference.rung);
        if (auto made = session.run_rung(*reference, {}, *problem); made.problem) return *made.problem;
    }
    auto* log = (*device)->finding_log();
    if (checked) log->clear_findings();
    auto ran = session.run_rung(rung, {}, *problem);
    Run out{std::move(ran.record), std::move(ran.problem), {}, std::move(ran.output)};
    if (checked) out.findings = log->findings();
    if (!checked) launches.annotate(out.record);
    return out;
}

Result<record::Record> Workshop::counts_of(const ladder::Rung& rung) const {
    auto ran = run(rung, exercise_.measured, kCountedSeed, false);
    if (!ran) return std::move(ran).error();
    if (ran->problem) return *ran->problem;
    return std::move(ran->record);
}

Result<record::Record> Workshop::counted(const std::string& name) {
    if (const auto it = counted_.find(name); it != counted_.end()) return it->second;
    const ladder::Rung* rung = exercise_.rung(name);
    if (!rung)
        return Error{ErrorKind::input, "the exercise has no rung '" + name + "'", Location{exercise_.folder, 0, 0}, ""};
    return counted_.emplace(name, counts_of(*rung)).first->second;
}

Result<Attempt> Workshop::attempt(const ladder::Rung& rung, std::uint64_t seed, const std::string& file) {
    Attempt out;
    ladder::Rung tried = rung;
    if (!file.empty()) tried.source = file;
    for (const auto& size : exercise_.sizes) {
        auto ran = run(tried, size, seed, true);
        if (!ran) return std::move(ran).error();
        out.output += ran->output;
        // What is no fault and left no finding did not begin: a text that does not compile, a kernel that is not there.
        if (ran->problem && ran->findings.empty() && ran->problem->kind != ErrorKind::fault) {
            out.unusable = std::move(ran->problem);
            return out;
        }
        out.trials.push_back({size, std::move(ran->record), std::move(ran->findings), std::move(ran->problem)});
        const Trial& last = out.trials.back();
        const bool found = std::any_of(last.findings.begin(), last.findings.end(),
                                       [](const auto& f) { return f.severity == record::Severity::error; });
        if (last.problem || found || last.record.verified != true) return out;
    }
    auto counts = counts_of(tried);
    if (counts)
        out.counted = std::move(*counts);
    else
        out.unusable = std::move(counts).error();
    return out;
}

}  // namespace warpwright::learn
