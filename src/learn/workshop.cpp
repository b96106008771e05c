// Each attempt has an emulated device of its own for its hidden sizes, and another for its counts, so that nothing of
// an earlier attempt is left: code, memory or findings. Registers are estimated whatever the machine has, so that an
// attempt has the same figures everywhere.
#include "learn/workshop.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "device/emulated/emulated.hpp"
#include "lab/sweep/modelled_launches.hpp"
#include "lab/sweep/target.hpp"
#include "ladder/run.hpp"
#include "launch/limits.hpp"
#include "predict/launch_picture.hpp"
#include "predict/launch_work.hpp"
#include "support/processor_time.hpp"

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

std::vector<std::string> program_arguments(const std::vector<std::int64_t>& size, std::uint64_t seed) {
    std::vector<std::string> out;
    for (const std::int64_t n : size) out.push_back(std::to_string(n));
    out.push_back(std::to_string(seed % 1000000));
    return out;
}

/// The PTX of what was compiled, by source and macros, and what the compiler warned of, by source.
struct Workshop::Texts {
    using Key = std::pair<std::string, std::vector<std::string>>;
    std::mutex mutex;
    std::map<Key, Result<std::string>> all;
    std::map<std::string, std::vector<std::string>> warnings;
};

Workshop::Workshop(const Exercise& exercise, const WorkshopOptions& options, arch::DeviceModel model,
                   std::vector<arch::DeviceModel> others)
    : exercise_(exercise),
      options_(options),
      model_(std::move(model)),
      others_(std::move(others)),
      texts_(std::make_shared<Texts>()) {}
Workshop::~Workshop() = default;

Result<std::unique_ptr<Workshop>> Workshop::make(const Exercise& exercise, const WorkshopOptions& options) {
    auto model = arch::load_model(arch::model_or_default(options.model.empty() ? exercise.model : options.model));
    if (!model) return std::move(model).error();
    std::vector<arch::DeviceModel> others;
    for (const std::string& name : options.models) {
        // A model of the user's own that cannot be read is missing there, and stops no judging.
        if (auto other = arch::load_model(name)) others.push_back(std::move(*other));
    }
    return std::unique_ptr<Workshop>(new Workshop(exercise, options, std::move(*model), std::move(others)));
}

Result<std::unique_ptr<device::Device>> Workshop::device(const ladder::Rung& rung, bool checked) const {
    device::EmulatedOptions emulated;
    emulated.limits = launch::limits_of(model_);
    emulated.threads = options_.threads;
    emulated.cpu = options_.cpu;
    emulated.memory = kMemory;
    emulated.cache_directory = default_cache_directory();
    emulated.estimated_registers = true;
    emulated.limits_of_processor = true;
    emulated.most_instructions = options_.most_instructions;
    emulated.checkers = checked ? record::kKernelCheckers : 0;
    emulated.sources = std::make_shared<SourceFiles>(only_file(rung.source));
    return device::make_emulated(emulated);
}

ladder::CompileFunction Workshop::compiler() const {
    // Where the time is over, the session leaves the thread that compiles: it must not need this object.
    auto target = std::make_shared<lab::Target>();
    target->processor_seconds = std::chrono::duration<double>(options_.limit).count();
    target->seconds = target->processor_seconds * kClockToProcessor;
    return [texts = texts_, target](const std::string& path,
                                    const std::vector<std::string>& defines) -> Result<std::string> {
        {
            std::lock_guard lock(texts->mutex);
            if (const auto it = texts->all.find({path, defines}); it != texts->all.end()) return it->second;
        }
        std::vector<std::string> warnings;
        auto text = lab::compile_to_ptx(path, defines, {}, *target, &warnings);
        std::lock_guard lock(texts->mutex);
        texts->warnings[path] = std::move(warnings);
        return texts->all.insert_or_assign({path, defines}, std::move(text)).first->second;
    };
}

void Workshop::changed(const std::string& file) {
    std::lock_guard lock(texts_->mutex);
    std::erase_if(texts_->all, [&](const auto& one) { return one.first.first == file; });
    texts_->warnings.erase(file);
}

std::vector<std::string> Workshop::warnings_of(const std::string& file) const {
    std::lock_guard lock(texts_->mutex);
    const auto it = texts_->warnings.find(file);
    return it == texts_->warnings.end() ? std::vector<std::string>() : it->second;
}

void Workshop::add_rung(std::vector<ladder::Rung>& to, const std::string& name) const {
    if (const auto* rung = exercise_.rung(name)) to.push_back(*rung);
}

Result<void> Workshop::compile_all(const std::string& file) {
    std::vector<ladder::Rung> rungs;
    add_rung(rungs, exercise_.ladder.reference.rung);
    for (const Question& q : exercise_.questions)
        if (!figures_.contains({"", q.name})) add_rung(rungs, q.rung);
    for (const Requirement& r : exercise_.requirements)
        for (const auto& [name, rung] : r.own_figures(exercise_))
            if (!figures_.contains({rung, r.metric})) add_rung(rungs, rung);
    if (exercise_.questions.empty()) {
        add_rung(rungs, exercise_.start);
        rungs.back().source = file;
    }
    if (rungs.empty()) return {};
    auto device = this->device(rungs.front(), false);
    if (!device) return std::move(device).error();
    compile(**device, rungs);
    return {};
}

/// By a session of its own, since the limit of the compiler is one of processor time.
void Workshop::compile(device::Device& device, const std::vector<ladder::Rung>& rungs) const {
    ladder::RunOptions options;
    options.launch.timeout = options_.limit * kClockToProcessor;
    options.compile = compiler();
    ladder::Session session(device, options);
    std::vector<ladder::Session::Wanted> wanted;
    auto sizes = exercise_.sizes;
    sizes.push_back(exercise_.measured);
    for (const ladder::Rung& rung : rungs)
        for (const auto& size : sizes) wanted.push_back({&rung, {}, size});
    session.compile_ahead(exercise_.ladder, wanted, 1);
}

Rehearsed Workshop::rehearsed() const {
    Rehearsed out;
    out.figures = figures_;
    out.host_code = DiskCache::noted(".host-code");
    std::lock_guard lock(texts_->mutex);
    for (const auto& [source, text] : texts_->all)
        if (text) out.texts.emplace(source, *text);
    return out;
}

void Workshop::take(Rehearsed rehearsed) {
    figures_ = std::move(rehearsed.figures);
    DiskCache::hand_down(std::move(rehearsed.host_code));
    lab::hand_down_headers();
    std::lock_guard lock(texts_->mutex);
    for (auto& [source, text] : rehearsed.texts) texts_->all.emplace(source, std::move(text));
}

Result<std::optional<double>> Workshop::figure(const Rehearsed::Named& name,
                                               const std::function<Result<std::optional<double>>()>& make) {
    if (const auto it = figures_.find(name); it != figures_.end()) return std::optional(it->second);
    auto value = make();
    if (value && *value) figures_.emplace(name, **value);
    return value;
}

/// A device and what is compiled for it, on which one kernel runs at one size after the other.
class Workshop::Bench {
public:
    static Result<std::unique_ptr<Bench>> make(const Workshop& workshop, const ladder::Rung& rung, bool checked) {
        auto device = workshop.device(rung, checked);
        if (!device) return std::move(device).error();
        std::vector<ladder::Rung> rungs{rung};
        workshop.add_rung(rungs, workshop.exercise_.ladder.reference.rung);
        workshop.compile(**device, rungs);
        return std::unique_ptr<Bench>(new Bench(workshop, rung, std::move(*device), checked));
    }

    Result<Run> run(const std::vector<std::int64_t>& size, std::uint64_t seed) {
        const ladder::Ladder& ladder = workshop_.exercise_.ladder;
        auto problem = ladder::Problem::make(ladder, size, {}, seed);
        if (!problem) return std::move(problem).error();
        if (ladder.reference.kind == ladder::Reference::Kind::rung && !is_output(ladder, rung_)) {
            const ladder::Rung* reference = workshop_.exercise_.rung(ladder.reference.rung);
            if (auto made = session_.run_rung(*reference, {}, *problem); made.problem) return *made.problem;
        }
        // What made the expected result is no part of what is found or counted.
        auto* log = device_->finding_log();
        if (checked_) log->clear_findings();
        view_ = {};
        launches_.emplace(workshop_.model_, checked_ ? predict::Simulate::none : predict::Simulate::all);
        auto ran = session_.run_rung(rung_, {}, *problem);
        Run out{std::move(ran.record), std::move(ran.problem), {}, std::move(ran.output), std::move(view_)};
        if (checked_) out.findings = log->findings();
        if (!checked_) launches_->annotate(out.record), out.out_of_time = launches_->out_of_time();
        return out;
    }

private:
    Bench(const Workshop& workshop, const ladder::Rung& rung, std::unique_ptr<device::Device> device, bool checked)
        : workshop_(workshop),
          rung_(rung),
          checked_(checked),
          device_(std::move(device)),
          session_(*device_, options()) {}

    ladder::RunOptions options() {
        ladder::RunOptions out;
        out.launch.timeout = out.launch.compile_timeout = workshop_.options_.limit;
        out.launch.counters = out.launch.per_line = !checked_;
        out.compile = workshop_.compiler();
        if (!checked_) {
            out.before = [this](const auto& k, const auto& c, auto& o) {
                if (launches_) launches_->before(k, c, o);
            };
            out.after = [this](const auto& k, const auto& c, const auto& r) {
                if (!launches_) return;
                launches_->after(k, c, r);
                // Without a trace there is no picture, and that no time was predicted either the record says.
                if (!r.trace) return;
                const auto work = predict::launch_work(k, c, r);
                view_.add(work, workshop_.others_);
                if (auto picture = predict::launch_picture(k.name, work, workshop_.model_, ""))
                    view_.add(std::move(*picture));
            };
        }
        return out;
    }

    const Workshop& workshop_;
    const ladder::Rung rung_;
    const bool checked_;
    const std::unique_ptr<device::Device> device_;
    std::optional<lab::ModelledLaunches> launches_;  ///< of the kernel that is judged
    LaunchView view_;                                ///< of the kernel that is judged
    ladder::Session session_;
};

Result<Workshop::Run> Workshop::counted_run(const ladder::Rung& rung) const {
    auto bench = Bench::make(*this, rung, false);
    if (!bench) return std::move(bench).error();
    auto ran = (*bench)->run(exercise_.measured, kCountedSeed);
    if (!ran) return std::move(ran).error();
    if (ran->problem) return *ran->problem;
    return ran;
}

Result<record::Record> Workshop::counted(const std::string& name) {
    if (const auto it = counted_.find(name); it != counted_.end()) return it->second;
    const ladder::Rung* rung = exercise_.rung(name);
    if (!rung)
        return Error{ErrorKind::input, "the exercise has no rung '" + name + "'", Location{exercise_.folder, 0, 0}, ""};
    auto ran = counted_run(*rung);
    if (ran && ran->out_of_time) out_of_time_.insert(name);
    return counted_.emplace(name, ran ? Result<record::Record>(std::move(ran->record)) : std::move(ran).error())
        .first->second;
}

Result<Programs*> Workshop::programs() const {
    if (options_.programs) return options_.programs.get();
    return Error{ErrorKind::usage, "this exercise is a whole program, and nothing here can run one", Location{},
                 "warpwright learn " + exercise_.name};
}

Result<std::string> Workshop::own_program(const std::string& name) {
    if (const auto it = built_.find(name); it != built_.end()) return it->second;
    auto programs = this->programs();
    if (!programs) return std::move(programs).error();
    return built_.emplace(name, (*programs)->build(exercise_.rung(name)->source, true)).first->second;
}

Result<ProgramRun> Workshop::program_counted(const std::string& name) {
    if (const auto it = program_counted_.find(name); it != program_counted_.end()) return it->second;
    auto program = own_program(name);
    if (!program) return std::move(program).error();
    auto ran = (*programs())->run(*program, program_arguments(exercise_.measured, kCountedSeed), false, true);
    return program_counted_.emplace(name, std::move(ran)).first->second;
}

Result<ProgramRun> Workshop::program_expected(const std::vector<std::int64_t>& size, std::uint64_t seed) {
    const auto arguments = program_arguments(size, seed);
    std::lock_guard lock(expected_mutex_);
    if (const auto it = program_expected_.find(arguments); it != program_expected_.end()) return it->second;
    auto program = own_program(exercise_.reference);
    if (!program) return std::move(program).error();
    return program_expected_.emplace(arguments, (*programs())->run(*program, arguments, false, true)).first->second;
}

/// Whether what was compiled from a file has code of another file of the course, or of an exercise that lies elsewhere
/// (an installed course can be read by a confined compiler), by the files that the PTX names.
bool Workshop::includes_ours(const std::string& file) const {
    namespace fs = std::filesystem;
    std::error_code ec;
    const fs::path ours = fs::weakly_canonical(exercise_.folder, ec).parent_path(),
                   own = fs::weakly_canonical(file, ec);
    std::lock_guard lock(texts_->mutex);
    for (const auto& [source, text] : texts_->all) {
        if (source.first != file || !text) continue;
        std::istringstream lines(*text);
        for (std::string line; std::getline(lines, line);) {
            const auto at = line.find(".file"), open = line.find('"'), close = line.rfind('"');
            if (at == std::string::npos || open == std::string::npos || open >= close) continue;
            const fs::path named = fs::weakly_canonical(line.substr(open + 1, close - open - 1), ec);
            if (named == own) continue;
            if (fs::exists(named.parent_path() / "exercise.toml", ec)) return true;
            for (fs::path up = named.parent_path(); up.has_relative_path(); up = up.parent_path())
                if (up == ours) return true;
        }
    }
    return false;
}

Result<Attempt> Workshop::attempt(const ladder::Rung& rung, std::uint64_t seed, const std::string& file) {
    Attempt out;
    ladder::Rung tried = rung;
    if (!file.empty()) tried.source = file;
    auto bench = Bench::make(*this, tried, true);
    if (!bench) return std::move(bench).error();
    if (!file.empty() && includes_ours(file)) {
        out.unusable = Error{ErrorKind::input, "it includes a file of the course", Location{file, 0, 0}, ""};
        return out;
    }
    for (const auto& size : exercise_.sizes) {
        auto ran = (*bench)->run(size, seed);
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
    auto counted = counted_run(tried);
    if (counted)
        out.counted = std::move(counted->record), out.view = std::move(counted->view),
        out.out_of_time = counted->out_of_time;
    else
        out.unusable = std::move(counted).error();
    return out;
}

}  // namespace warpwright::learn
