// Every process computes the same division of the steps, so that none has to be sent. The first process passes on what
// the others report between its own steps, and an error that several have is told once.
#include "lab/sweep/mpi_sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <thread>

#include "ladder/run.hpp"
#include "vendor/mpi.hpp"

namespace warpwright::lab {

namespace {

using Json = nlohmann::json;

// What processes say to each other: a letter, and a text.
constexpr char kReady = 'S', kRecord = 'R', kError = 'E', kNote = 'N', kOver = 'F', kStop = 'X', kBye = 'B';

std::string dump(const Json& j) { return j.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json to_json(const Error& e) {
    return {{"kind", static_cast<int>(e.kind)}, {"what", e.what}, {"file", e.where.file}, {"line", e.where.line},
            {"column", e.where.column},         {"hint", e.hint}};
}

Error error_of(const Json& j) {
    return Error{static_cast<ErrorKind>(j.value("kind", 0)), j.value("what", ""),
                 Location{j.value("file", ""), j.value("line", 0u), j.value("column", 0u)}, j.value("hint", "")};
}

Json parse(const std::string& text) { return Json::parse(text, nullptr, false); }

Result<record::Record> record_of(const std::string& text) {
    auto set = record::from_json(fmt::format("{{\"schema\": {}, \"environment\": {}, \"records\": [{}]}}",
                                             record::kSchema, record::to_json(record::Environment{}), text),
                                 "a record of another process");
    if (!set) return std::move(set).error();
    if (set->records.size() != 1) return Error{ErrorKind::internal, "another process sent no record", Location{}, ""};
    return std::move(set->records.front());
}

bool is_of(const record::Record& r, const Step& step) {
    if (r.rung != step.rung->name) return false;
    for (std::size_t i = 0; i < step.size.size(); ++i)
        if (i >= r.axes.size() || r.axes[i].text() != std::to_string(step.size[i])) return false;
    return std::all_of(step.variant.begin(), step.variant.end(), [&](const auto& choice) {
        return std::any_of(r.axes.begin(), r.axes.end(), [&](const record::Axis& a) {
            return a.name == choice.first && a.text() == choice.second.text;
        });
    });
}

double cost_of(const Plan& plan, const Step& step) {
    auto record = ladder::describe(*plan.ladder, *step.rung, step.variant, step.size);
    if (!record) return 1;
    return std::max({1.0, record->flops.value_or(0), record->bytes.value_or(0)});
}

/// The steps of one process. Its problems keep their numbers.
Plan part_of(const Plan& plan, const std::vector<unsigned>& owners, const std::vector<bool>& taken, unsigned rank) {
    Plan out{plan.ladder, {}};
    for (std::size_t i = 0; i < plan.steps.size(); ++i)
        if (!taken[i] && owners[i] == rank) out.steps.push_back(plan.steps[i]);
    return out;
}

std::string words_of(const Plan& plan) {
    std::string out = plan.ladder->name;
    for (const Step& s : plan.steps) {
        out += '\n' + s.rung->name;
        for (const std::int64_t v : s.size) out += ' ' + std::to_string(v);
        for (const auto& [name, value] : s.variant) out += ' ' + name + '=' + value.text;
    }
    return out;
}

/// "cuda" of "cuda:1".
std::string kind_of(const std::string& device) { return device.substr(0, device.find(':')); }

void wait() { std::this_thread::sleep_for(std::chrono::milliseconds(3)); }

}  // namespace

bool several_processes() { return vendor::Mpi::started(); }

std::vector<unsigned> share_out(const Plan& plan, unsigned ranks, const std::vector<bool>& taken) {
    struct Unit {
        double cost = 0;
        std::vector<std::size_t> steps;
    };
    std::map<std::size_t, Unit> problems;
    std::vector<Unit> units;
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        if (i < taken.size() && taken[i]) continue;
        const double cost = cost_of(plan, plan.steps[i]);
        Unit& problem = problems[plan.steps[i].problem];
        problem.cost += cost;
        problem.steps.push_back(i);
        units.push_back({cost, {i}});
    }
    if (problems.size() >= ranks) {
        units.clear();
        for (auto& [number, unit] : problems) units.push_back(std::move(unit));
    }
    std::stable_sort(units.begin(), units.end(), [](const Unit& a, const Unit& b) { return a.cost > b.cost; });
    std::vector<unsigned> out(plan.steps.size(), 0);
    std::vector<double> load(ranks, 0);
    for (const Unit& unit : units) {
        const auto least = static_cast<unsigned>(std::min_element(load.begin(), load.end()) - load.begin());
        load[least] += unit.cost;
        for (const std::size_t i : unit.steps) out[i] = least;
    }
    return out;
}

/// On the first process: takes what all of them do to the observer of the whole.
class Spread::Near final : public Observer {
public:
    Near(const Context& context, const Plan& plan, unsigned ranks)
        : plan_(plan),
          outer_(context.observer ? *context.observer : silent_),
          records_(plan.steps.size()),
          over_(ranks, false),
          errors_(ranks) {
        over_[0] = true;  // it knows of itself
    }

    void progress(const Progress& p) override {
        if (pass_on) pass_on();
        const std::size_t done = static_cast<std::size_t>(
            std::count_if(records_.begin(), records_.end(), [](const auto& r) { return r.has_value(); }));
        outer_.progress(
            {p.ladder, p.label, std::min(plan_.steps.size(), done + (p.done > 0 ? 1 : 0)), plan_.steps.size()});
    }
    void failed(const Error& error) override { fail(error, 0); }
    void note(const std::string& text) override { outer_.note(text); }
    void leave() override { outer_.leave(); }
    void finished(const record::Record& record) override {
        if (pass_on) pass_on();
        outer_.finished(record);
        keep(record);
    }

    /// An error once, whoever has it.
    void fail(Error error, unsigned rank) {
        const std::string text = error.text();
        if (std::find(told_.begin(), told_.end(), text) != told_.end()) return;
        told_.push_back(text);
        error.what = fmt::format("rank {}, {}", rank, error.what);
        outer_.failed(error);
    }
    void keep(const record::Record& record) {
        for (std::size_t i = 0; i < records_.size(); ++i)
            if (!records_[i] && is_of(record, plan_.steps[i])) {
                records_[i] = record;
                return;
            }
    }
    void take_stored(std::size_t step, record::Record record) { records_[step] = std::move(record); }

    void hear(const std::string& message, unsigned rank) {
        const std::string text = message.substr(1);
        if (message[0] == kRecord) {
            auto record = record_of(text);
            if (!record) return fail(record.error(), rank);
            outer_.finished(*record);
            keep(*record);
        } else if (message[0] == kError) {
            fail(error_of(parse(text)), rank);
        } else if (message[0] == kNote) {
            outer_.note(fmt::format("rank {}: {}", rank, text));
        } else if (message[0] == kOver) {
            const Json j = parse(text);
            over_[rank] = true;
            if (j.contains("failure")) failure(static_cast<ErrorKind>(j["failure"].get<int>()));
            if (j.contains("error")) errors_[rank] = error_of(j["error"]);
            cancelled = cancelled || j.value("cancelled", false);
            worked = worked || j.value("worked", false);
        }
    }
    void failure(std::optional<ErrorKind> kind) {
        if (kind && !failure_) failure_ = kind;
    }
    void error(Error e) { errors_[0] = std::move(e); }
    bool all_over() const { return std::find(over_.begin(), over_.end(), false) == over_.end(); }
    Observer& outer() { return outer_; }

    Standing standing() const {
        Standing out;
        for (std::size_t i = 0; i < records_.size(); ++i)
            if (records_[i]) out.done.push_back(i), out.records.push_back(*records_[i]);
        out.failure = failure_;
        return out;
    }
    const std::vector<std::optional<Error>>& errors() const { return errors_; }

    std::function<void()> pass_on;  ///< listens to the others
    bool cancelled = false, worked = false;

private:
    const Plan& plan_;
    Observer silent_;
    Observer& outer_;
    std::vector<std::optional<record::Record>> records_;
    std::vector<bool> over_;
    std::vector<std::optional<Error>> errors_;  ///< of processes that could make no problem at all
    std::vector<std::string> told_;
    std::optional<ErrorKind> failure_;
};

/// On the others: sends everything to the first one.
class Spread::Far final : public Observer {
public:
    Far(Spread& spread, const Context& context) : spread_(spread), context_(context) {}
    void progress(const Progress&) override { listen(); }
    void failed(const Error& error) override { say(kError, dump(to_json(error))); }
    void note(const std::string& text) override { say(kNote, text); }
    void leave() override {
        if (context_.observer) context_.observer->leave();
    }
    void finished(const record::Record& record) override {
        say(kRecord, record::to_json(record));
        listen();
    }
    void listen() {
        (void)spread_.mpi_->sent().ok();
        if (context_.cancelled()) stop = true;
        if (auto word = spread_.hear(0); word && *word && (**word)[0] == kStop) stop = true;
    }
    void say(char kind, const std::string& text) { (void)spread_.tell(kind, text, 0).ok(); }

    std::atomic<bool> stop = false;

private:
    Spread& spread_;
    const Context& context_;
};

Result<std::unique_ptr<Spread>> Spread::join() {
    auto mpi = vendor::Mpi::open();
    if (!mpi) return std::move(mpi).error();
    return std::make_unique<Spread>(std::move(*mpi));
}

Spread::Spread(std::shared_ptr<vendor::Mpi> mpi)
    : mpi_(std::move(mpi)), rank_(mpi_->rank()), size_(mpi_->size()), devices_(size_) {}

unsigned Spread::local_rank() const { return mpi_->local_rank(); }
unsigned Spread::local_size() const { return mpi_->local_size(); }
std::string Spread::title() const { return mpi_->title(); }

Result<void> Spread::tell(char kind, const std::string& text, unsigned to) {
    const std::string message = kind + text;
    return mpi_->send(std::as_bytes(std::span(message.data(), message.size())), to);
}

Result<std::optional<std::string>> Spread::hear(unsigned from) {
    auto bytes = mpi_->receive(from);
    if (!bytes) return std::move(bytes).error();
    if (!*bytes || (*bytes)->empty()) return std::optional<std::string>();
    return std::optional(std::string(reinterpret_cast<const char*>((*bytes)->data()), (*bytes)->size()));
}

std::vector<Error> Spread::agree(const Result<void>& mine, const std::string& device, const Plan* plan) {
    std::vector<Error> out;
    std::byte go{1};
    const std::string words = plan ? words_of(*plan) : "";
    if (rank_ != 0) {
        Json j{{"device", device}, {"plan", words}};
        if (!mine) j["error"] = to_json(mine.error());
        if (auto ok = tell(kReady, dump(j), 0); !ok) return {ok.error()};
        if (auto ok = mpi_->broadcast({&go, 1}, 0); !ok) return {ok.error()};
        if (!mine) return {mine.error()};
        if (go == std::byte{0})
            out.push_back(Error{ErrorKind::no_device, "another process is not ready", Location{}, ""});
        return out;
    }
    devices_[0] = device;
    std::map<std::string, std::pair<Error, std::vector<unsigned>>> errors;  // by text
    std::vector<std::string> order;
    const auto add = [&](const Error& e, unsigned rank) {
        auto [it, added] = errors.try_emplace(e.text(), e, std::vector<unsigned>{});
        if (added) order.push_back(e.text());
        it->second.second.push_back(rank);
    };
    if (!mine) add(mine.error(), 0);
    for (unsigned r = 1; r < size_; ++r) {
        for (;;) {
            auto word = hear(r);
            if (!word) return {word.error()};
            if (!*word) {
                wait();
                continue;
            }
            const Json j = parse((*word)->substr(1));
            devices_[r] = j.value("device", "");
            if (j.contains("error"))
                add(error_of(j["error"]), r);
            else if (mine && kind_of(devices_[r]) != kind_of(device))
                add(Error{ErrorKind::no_device,
                          fmt::format("its device is {}, and that of rank 0 {}", devices_[r], device), Location{},
                          "--device names one for all"},
                    r);
            else if (mine && j.value("plan", "") != words)
                add(Error{ErrorKind::input, "its ladder's file is another one, or other values are tuned there",
                          Location{}, "the same files on all machines; --no-tuned"},
                    r);
            break;
        }
    }
    for (const std::string& text : order) {
        auto& [error, ranks] = errors.at(text);
        if (ranks.size() < size_)
            error.what = fmt::format("rank{} {}: {}", ranks.size() == 1 ? "" : "s", fmt::join(ranks, ", "), error.what);
        out.push_back(error);
    }
    if (!out.empty()) go = std::byte{0};
    if (auto ok = mpi_->broadcast({&go, 1}, 0); !ok) out.push_back(ok.error());
    return out;
}

Result<Spread::Outcome> Spread::run(const Context& context, Plan plan) {
    return first() ? run_first(context, plan) : run_other(context, plan);
}

/// Which steps an earlier, interrupted run has.
std::vector<bool> Spread::stored(const Context& context, const Plan& plan, Near& near) {
    std::vector<bool> taken(plan.steps.size(), false);
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        const Step& step = plan.steps[i];
        if (step.refused) continue;
        auto wanted = ladder::describe(*plan.ladder, *step.rung, step.variant, step.size);
        if (!wanted) continue;
        std::vector<std::string> devices{"cpu"};
        if (step.rung->cpu.empty()) {  // whichever of the processes' devices it was on
            devices = devices_;
            devices[0] = context.device.name();
            std::sort(devices.begin() + 1, devices.end());
            devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
        }
        for (const std::string& device : devices) {
            wanted->device = device;
            auto record = near.outer().stored(*wanted);
            if (!record) continue;
            near.take_stored(i, std::move(*record));
            taken[i] = true;
            break;
        }
    }
    return taken;
}

void Spread::pass_on(Near& near) {
    for (unsigned r = 1; r < size_; ++r)
        for (auto word = hear(r); word && *word; word = hear(r)) near.hear(**word, r);
    (void)mpi_->sent().ok();
}

Result<Spread::Outcome> Spread::run_first(const Context& given, const Plan& plan) {
    Near near(given, plan, size_);
    const std::vector<bool> taken = stored(given, plan, near);
    std::vector<std::byte> flags(taken.size());
    for (std::size_t i = 0; i < taken.size(); ++i) flags[i] = std::byte{taken[i]};
    if (auto ok = mpi_->broadcast(flags, 0); !ok) return std::move(ok).error();
    near.worked = std::find(taken.begin(), taken.end(), true) != taken.end();

    Context context = given;
    context.observer = &near;
    near.pass_on = [&] { pass_on(near); };
    Plan own = part_of(plan, share_out(plan, size_, taken), taken, 0);
    if (!own.steps.empty()) {
        auto sweep = std::make_unique<Sweep>(context, std::move(own));
        auto set = sweep->run();
        near.failure(sweep->failure());
        near.cancelled = near.cancelled || sweep->cancelled();
        if (set)
            near.worked = near.worked || !set->records.empty();
        else
            near.error(set.error());
        if (sweep->must_stay()) (void)sweep.release();
    }
    bool stopped = false;
    for (unsigned turn = 0; !near.all_over(); ++turn, wait()) {
        if (given.cancelled() && !stopped) {
            stopped = true;
            for (unsigned r = 1; r < size_; ++r) (void)tell(kStop, "", r).ok();
        }
        if (turn % 64 == 0)
            near.progress({plan.ladder->name, "other processes at work", 0, 0});
        else
            pass_on(near);
    }
    for (unsigned r = 1; r < size_; ++r) (void)tell(kBye, "", r).ok();
    near.pass_on = nullptr;

    // Where no process could make a problem that is all there is to say.
    for (unsigned r = 0; r < size_; ++r) {
        if (!near.errors()[r]) continue;
        if (!near.worked && !near.cancelled) return *near.errors()[r];
        near.fail(*near.errors()[r], r);
    }
    // A sweep over everything that finds it done: it puts the records in order and compares them.
    Standing standing = near.standing();
    const bool missing = standing.done.size() < plan.steps.size();
    const std::atomic<bool> stop = true;
    Context whole = given;
    whole.observer = nullptr;
    if (missing) whole.cancel = &stop;
    Sweep last(whole, plan);
    last.begin_at(std::move(standing));
    auto set = last.run();
    if (!set) return std::move(set).error();
    Outcome out{std::move(*set), last.failure(), missing};
    near.outer().ended(out.failure, out.cancelled);
    return out;
}

Result<Spread::Outcome> Spread::run_other(const Context& given, const Plan& plan) {
    std::vector<std::byte> flags(plan.steps.size());
    if (auto ok = mpi_->broadcast(flags, 0); !ok) return std::move(ok).error();
    std::vector<bool> taken(flags.size());
    for (std::size_t i = 0; i < flags.size(); ++i) taken[i] = flags[i] != std::byte{0};

    Far far(*this, given);
    Context context = given;
    context.observer = &far;
    context.cancel = &far.stop;
    Plan own = part_of(plan, share_out(plan, size_, taken), taken, rank_);
    Json over = Json::object();
    Outcome out;
    if (!own.steps.empty()) {
        auto sweep = std::make_unique<Sweep>(context, std::move(own));
        auto set = sweep->run();
        if (sweep->failure()) over["failure"] = static_cast<int>(*sweep->failure());
        over["cancelled"] = sweep->cancelled();
        if (set)
            over["worked"] = !set->records.empty();
        else
            over["error"] = to_json(set.error());
        if (sweep->must_stay()) (void)sweep.release();
    }
    if (auto ok = tell(kOver, dump(over), 0); !ok) return std::move(ok).error();
    // Asleep until the first one has everything: the end of MPI waits at full speed, which others of this machine would
    // feel.
    for (;; wait()) {
        auto gone = mpi_->sent();
        if (!gone) return std::move(gone).error();
        auto word = hear(0);
        if (!word) return std::move(word).error();
        if (*word && (**word)[0] == kBye) return out;
    }
}

}  // namespace warpwright::lab
