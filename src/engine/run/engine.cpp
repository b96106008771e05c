#include "engine/run/engine.hpp"

#include <sys/mman.h>

#include <cxxabi.h>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "engine/checked/regular_access.hpp"
#include "engine/codegen/jit.hpp"
#include "engine/run/executor.hpp"
#include "engine/run/grid_work.hpp"
#include "engine/run/sample_run.hpp"
#include "ptx/parser.hpp"
#include "simt/passes.hpp"
#include "support/cause.hpp"
#include "support/content_hash.hpp"

namespace warpwright::engine {

namespace {

constexpr std::uint64_t kParameterBlock = ParameterBlock::kBytes;

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Program::~Program() {
    if (!memory) return;
    for (auto a : variables)
        if (a) (void)(memory->in_range(a) ? memory->release(a) : memory->disown(a)).ok();
}

Result<std::unique_ptr<Engine>> Engine::create(const EngineOptions& options) {
    std::unique_ptr<Engine> e(new Engine(options));
    if (e->options_.threads == 0) e->options_.threads = std::max(1u, std::thread::hardware_concurrency());
    auto memory = DeviceMemory::reserve(options.memory, options.zeroed);
    if (!memory) return memory.error();
    e->memory_ = std::move(*memory);
    if (options.checkers) {
        auto shadow = shadow::Shadow::reserve(e->memory_->base(), e->memory_->range());
        if (!shadow) return shadow.error();
        e->shadow_ = std::move(*shadow);
        e->memory_->set_shadow(e->shadow_.get());
    }
    if (auto parameters = e->take_parameters(); !parameters) return parameters.error();  // and back with it
    auto jit = Jit::create(options.cpu);
    if (!jit) return jit.error();
    e->jit_ = std::move(*jit);
    void* windows =
        ::mmap(nullptr, kSharedWindows + kWindowBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (windows == MAP_FAILED)
        return Error{ErrorKind::limit, "cannot reserve address space for generic addresses", {}, ""};
    e->windows_ = reinterpret_cast<std::uint64_t>(windows);
    return e;
}

Engine::Engine(EngineOptions options) : options_(std::move(options)) {}

Engine::~Engine() {
    if (windows_) ::munmap(reinterpret_cast<void*>(windows_), kSharedWindows + kWindowBytes);
}

namespace {

/// Refuses variables that no thread and no launch can have: what is laid out later adds their sizes.
Result<void> check_sizes(const ptx::Module& m) {
    for (const auto& v : m.variables) {
        const bool local = v.space == ptx::Space::local;
        if (!local && v.space != ptx::Space::param) continue;
        const auto most = local ? kMostLocalBytes : kMostParameterBytes;
        if (v.size <= most) continue;
        return Error{ErrorKind::limit,
                     "the " + std::string(local ? "local variable '" : "parameter '") + v.name + "' takes " +
                         std::to_string(v.size) + " bytes, the most is " + std::to_string(most),
                     {m.name, v.line, 0},
                     local ? "memory for it that the host allocates" : "a pointer to it",
                     Cause::launch_limit};
    }
    return {};
}

}  // namespace

Result<std::shared_ptr<Program>> Engine::load(std::string name, const std::string& text,
                                              const std::map<std::string, std::uint64_t>& places) {
    auto parsed = ptx::parse(text, std::move(name));
    if (!parsed) return parsed.error();
    if (auto ok = check_sizes(*parsed); !ok) return ok.error();
    auto program = std::make_shared<Program>();
    program->module = std::move(*parsed);
    program->key = content_hash(text);
    program->memory = memory_.get();
    auto& m = program->module;
    program->variables.assign(m.variables.size(), 0);
    for (std::size_t i = 0; i < m.variables.size(); ++i) {
        const auto& v = m.variables[i];
        if (v.space != ptx::Space::global && v.space != ptx::Space::constant) continue;
        if (v.size == 0 && v.linkage == ptx::Linkage::external)
            return Error{ErrorKind::input,
                         "the variable '" + v.name + "' is declared here but defined nowhere",
                         {m.name, v.line, 0},
                         ""};
        std::uint64_t address = 0;
        if (const auto place = places.find(v.name); place != places.end()) {
            if (auto taken = memory_->adopt(place->second, v.size); !taken) return taken.error();
            address = place->second;
        } else {
            auto a = memory_->allocate(v.size, v.space == ptx::Space::constant ? MemoryUse::constant : MemoryUse::data);
            if (!a) return a.error();
            address = *a;
            written(address, v.size);
        }
        program->variables[i] = address;
        auto* p = reinterpret_cast<std::uint8_t*>(address);
        std::memset(p, 0, v.size);
        if (!v.init.empty()) std::memcpy(p, v.init.data(), std::min<std::uint64_t>(v.size, v.init.size()));
    }
    for (std::size_t i = 0; i < m.variables.size(); ++i)
        for (const auto& r : m.variables[i].relocations) {
            if (!program->variables[i] || !covers(0, m.variables[i].size, r.offset, r.size)) continue;
            const std::uint64_t value = (r.is_function ? simt_function_token(r.symbol) : program->variables[r.symbol]) +
                                        static_cast<std::uint64_t>(r.addend);
            std::memcpy(reinterpret_cast<std::uint8_t*>(program->variables[i]) + r.offset, &value, r.size);
        }
    return program;
}

Result<KernelFacts> Engine::facts(Program& program, ptx::SymbolId kernel) {
    auto lowered = simt::lower(program.module, kernel);
    if (!lowered) return lowered.error();
    KernelFacts facts;
    facts.static_shared = lowered->static_shared;
    facts.local_bytes = lowered->local_bytes;
    facts.parameter_offsets = lowered->param_offsets;
    facts.parameter_bytes = lowered->param_bytes;
    facts.registers = lowered->registers_estimate;
    for (const auto& b : lowered->blocks)
        for (const auto& i : b.insts) facts.instructions += i.counted;
    return facts;
}

void Engine::cancel() {
    std::lock_guard lock(running_mutex_);
    cancelled_ = true;
    for (auto* launch : running_)
        launch->fail({ErrorKind::fault, "the kernel was stopped: its process ends", {}, "", Cause::cancelled});
}

/// Stamps of launches that run, or whose marks are there, must differ. When the numbers are used up all marks are
/// forgotten.
std::uint32_t Engine::begin_generation() {
    std::lock_guard lock(generation_mutex_);
    if (generations_.size() >= shadow::kGenerations - 2) return 0;
    do {
        if (++generation_ % 255 == 0) gate_.alone([&] { shadow_->forget_quiet(); });
        if (generation_ < shadow::kGenerations) continue;
        gate_.alone([&] { shadow_->forget_accesses(); });
        generation_ = 1;
    } while (generations_.contains(generation_));
    generations_.insert(generation_);
    return generation_;
}

void Engine::end_generation(std::uint32_t generation) {
    std::lock_guard lock(generation_mutex_);
    generations_.erase(generation);
}

namespace {

/// "scale" of "_Z5scalePfi".
std::string readable(const std::string& name) {
    int status = 0;
    std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                std::free);
    if (status != 0 || !text) return name;
    std::string s = text.get();
    if (const auto open = s.rfind('('); open != std::string::npos) s.resize(open);
    return s.starts_with("void ") ? s.substr(5) : s;
}

}  // namespace

Result<LaunchReply> Engine::launch(Program& program, ptx::SymbolId kernel, const LaunchRequest& request) {
    if (request.parameters.size() > kParameterBlock / 2)
        return Error{ErrorKind::limit,
                     "the parameters take more than " + std::to_string(kParameterBlock / 2) + " bytes",
                     {},
                     ""};
    auto block = take_parameters();
    if (!block) return block.error();
    if (!request.parameters.empty())
        std::memcpy(reinterpret_cast<void*>(block->at()), request.parameters.data(), request.parameters.size());
    std::vector<NestedLaunch> tails;
    const auto began = std::chrono::steady_clock::now();
    auto reply = launch_one(program, kernel, request, std::move(*block), tails);
    if (!reply || tails.empty()) return reply;
    std::string output;
    std::optional<Deadline> deadline;
    if (request.timeout.count() > 0)
        deadline =
            began + request.timeout +
            std::chrono::duration_cast<Deadline::duration>(std::chrono::duration<double>(reply->compile_seconds));
    auto ok = launch_tails(program, std::move(tails), request, deadline, output, reply->tails);
    if (request.output) *request.output += output;
    reply->output += output;
    if (!ok) return ok.error();
    return reply;
}

Result<LaunchReply> Engine::launch_one(Program& program, ptx::SymbolId kernel, const LaunchRequest& request,
                                       ParameterBlock parameters, std::vector<NestedLaunch>& tails) {
    const auto before = std::chrono::steady_clock::now();
    std::shared_ptr<KernelCode> code;
    {
        std::lock_guard lock(program.mutex);
        auto compiled = compile(program, kernel, request);
        if (!compiled) return compiled.error();
        code = *compiled;
    }
    LaunchReply reply;
    reply.compile_seconds = seconds_since(before);
    auto* params = reinterpret_cast<std::uint8_t*>(parameters.at());

    LaunchShared shared;
    shared.code = code.get();
    shared.memory = memory_.get();
    for (int k = 0; k < 3; ++k) {
        shared.grid[k] = request.grid[k];
        shared.cluster[k] = request.cluster[k];
        shared.clusters |= request.cluster[k] > 1;
    }
    shared.clusters |= request.explicit_cluster;
    const std::uint64_t cluster = std::uint64_t{request.cluster[0]} * request.cluster[1] * request.cluster[2];
    shared.dynamic_shared = request.dynamic_shared;
    shared.shared_bytes = code->static_shared + request.dynamic_shared;
    shared.local_bytes = code->local_bytes;
    shared.params = params;
    if (request.cooperative) shared.grid_barrier = parameters.barrier();
    shared.variables = program.variables.data();
    shared.shared_window = windows_;
    shared.local_window = windows_ + kSharedWindows;
    shared.multiprocessors = options_.multiprocessors;
    shared.counters = request.counters;
    GridWork nested(*this, program, request, shared);
    shared.work = &nested;
    std::unique_ptr<CheckLaunch> check;
    if (options_.checkers) {
        const auto has = [&](record::Checker c) { return (options_.checkers & static_cast<std::uint32_t>(c)) != 0; };
        check = std::make_unique<CheckLaunch>();
        check->generation = begin_generation();
        check->memory = has(record::Checker::memory), check->init = has(record::Checker::init),
        check->sync = has(record::Checker::sync);
        // Warps of 64 lanes have no place in the stamps.
        check->race = has(record::Checker::race) && check->generation != 0 && options_.lanes <= 32;
        check->kernel = readable(program.module.functions[kernel].name);
        check->collector = &collector_;
        check->shadow = shadow_.get();
        check->device = memory_.get();
        check->patience = options_.patience;
        check->gate = &gate_;
        find_endless(*check, *code);
        shared.check = check.get();
    }

    {
        std::lock_guard lock(running_mutex_);
        running_.insert(&shared);
        if (cancelled_)
            shared.fail({ErrorKind::fault, "the kernel was stopped: its process ends", {}, "", Cause::cancelled});
    }

    const std::uint64_t count = std::uint64_t{request.grid[0]} * request.grid[1] * request.grid[2] / cluster;
    const unsigned workers = static_cast<unsigned>(std::min<std::uint64_t>(options_.threads, count));
    std::vector<std::unique_ptr<Executor>> executors;
    if (check) {
        check->quiet = std::vector<std::atomic<std::uint64_t>>(workers);
        for (auto& q : check->quiet) q = CheckLaunch::kGone;  // until it starts
    }
    for (unsigned w = 0; w < workers; ++w) {
        executors.push_back(std::make_unique<Executor>(shared));
        executors.back()->worker = w;
    }

    std::mutex m;
    std::condition_variable ended;
    bool over = false;
    std::thread watch;
    if (request.timeout.count() > 0)
        watch = std::thread([&] {
            std::unique_lock lock(m);
            if (ended.wait_for(lock, request.timeout, [&] { return over; })) return;
            shared.timed_out = true;
            shared.stop = 1;
        });
    const auto start = std::chrono::steady_clock::now();
    std::atomic<std::uint64_t> next{0};
    // Several blocks at a time where there are very many; one at a time where blocks may wait for those before them.
    if (!check && std::find(code->yields.begin(), code->yields.end(), 1) == code->yields.end())
        shared.at_once = std::clamp<std::uint64_t>(count / (std::uint64_t{workers} * 64), 1, 32);
    const std::function<void(unsigned)> work = [&](unsigned w) {
        cluster == 1 ? executors[w]->run(next, count) : executors[w]->run_clusters(next, count);
    };
    const auto on_all = [&](const std::function<void(unsigned)>& each) {
        if (workers == 1) return each(0);
        // oneTBB runs no more threads than cores unless it is told to: as many as were asked for is what is promised.
        std::optional<tbb::global_control> more;
        if (workers > std::max(1u, std::thread::hardware_concurrency()))
            more.emplace(tbb::global_control::max_allowed_parallelism, workers);
        tbb::task_arena arena(static_cast<int>(workers));
        arena.execute([&] { tbb::parallel_for(0u, workers, each, tbb::simple_partitioner()); });
    };
    if (request.sample_error > 0 && request.counters) sample_blocks(shared, executors, on_all, cluster, request, reply);
    if (!reply.counts && !shared.error && !shared.stop) on_all(work);
    reply.run_seconds = seconds_since(start);
    {
        std::lock_guard lock(running_mutex_);
        running_.erase(&shared);
    }
    if (check && check->generation) end_generation(check->generation);
    if (watch.joinable()) {
        {
            std::lock_guard lock(m);
            over = true;
        }
        ended.notify_all();
        watch.join();
    }
    if (request.output) *request.output += shared.output;
    reply.output = std::move(shared.output);
    if (shared.timed_out && !shared.error)
        shared.error = Error{ErrorKind::fault, "the kernel did not end in time", location(program.module, nullptr),
                             "a longer --timeout", Cause::time_limit};
    if (shared.error) return *shared.error;
    tails = nested.take_tails();
    reply.nested = nested.take_done();
    TouchedMemory touched;
    for (const auto& e : executors) touched.add(e->touched);
    reply.touched = touched.sum();
    if (request.counters && !reply.counts) {
        std::vector<std::uint64_t> counters(executors[0]->counters.size(), 0);
        std::vector<Site> sites(executors[0]->sites.size());
        std::vector<SiteSpaces> spaces(executors[0]->spaces.size());
        for (const auto& e : executors) {
            for (std::size_t k = 0; k < counters.size(); ++k) counters[k] += e->counters[k];
            for (std::size_t k = 0; k < sites.size(); ++k) {
                sites[k].passes += e->sites[k].passes;
                sites[k].excess += e->sites[k].excess;
                auto& to = spaces[k];
                const auto& from = e->spaces[k];
                to.shared_requests += from.shared_requests;
                to.shared_passes += from.shared_passes;
                to.shared_excess += from.shared_excess;
                to.local_requests += from.local_requests;
                to.local_sectors += from.local_sectors;
                to.lanes_shared += from.lanes_shared;
                to.lanes_local += from.lanes_local;
                to.not_global += from.not_global;
            }
        }
        reply.counts = assemble_counts(*code, counters, sites, spaces, request.per_line);
    }
    return reply;
}

}  // namespace warpwright::engine
