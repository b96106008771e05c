// This file has the life of the engine and of a loaded module: device memory, checkers, variables with their initial
// values and relocations, and what is known of a kernel before it runs. Compiling and launching are in files of their
// own.
#include "engine/run/engine.hpp"

#include <sys/mman.h>

#include <cstring>

#include "engine/codegen/jit.hpp"
#include "engine/run/better_code.hpp"
#include "engine/run/device_functions.hpp"
#include "engine/run/known_traces.hpp"
#include "engine/run/slow_launches.hpp"
#include "engine/shared/executor.hpp"
#include "engine/shared/step_gate.hpp"
#include "host/machine.hpp"
#include "machine/registers.hpp"
#include "ptx/parser.hpp"
#include "simt/passes.hpp"
#include "support/cause.hpp"
#include "support/content_hash.hpp"
#include "support/host_time.hpp"

namespace warpwright::engine {

Result<std::unique_ptr<Engine>> Engine::create(const EngineOptions& options) {
    EngineOptions settled = options;
    if (settled.threads == 0) settled.threads = host::usable_cores();
    std::unique_ptr<Engine> e(new Engine(settled));
    auto memory =
        DeviceMemory::reserve(options.memory, options.zeroed, options.tolerant, options.guarded, options.memory_folder);
    if (!memory) return memory.error();
    e->memory_ = std::move(*memory);
    if (options.checkers)
        if (auto on = e->set_checkers(options.checkers); !on) return on.error();
    if (auto parameters = e->take_parameters(); !parameters) return parameters.error();  // and returns it at once
    auto jit = Jit::create(options.cpu);
    if (!jit) return jit.error();
    e->jit_ = std::move(*jit);
    e->better_ = std::make_unique<BetterCode>();
    e->known_traces_ = std::make_unique<KnownTraces>();
    e->slow_ = std::make_unique<SlowLaunches>(options.tell, options.slow_after);
    void* windows =
        ::mmap(nullptr, kSharedWindows + kWindowBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (windows == MAP_FAILED)
        return Error{ErrorKind::limit, "cannot reserve address space for generic addresses", {}, ""};
    e->windows_ = reinterpret_cast<std::uint64_t>(windows);
    return e;
}

Engine::Engine(EngineOptions options) : options_(std::move(options)) {}

Result<void> Engine::set_checkers(std::uint32_t checkers) {
    std::unique_lock alone(checkers_mutex_);
    if (checkers && !shadow_) {
        auto shadow = shadow::Shadow::reserve(memory_->base(), memory_->range());
        if (!shadow) return shadow.error();
        shadow_ = std::move(*shadow);
    }
    const bool begins = checkers && !checkers_;
    memory_->set_shadow(checkers ? shadow_.get() : nullptr);
    checkers_ = checkers;
    if (!begins) return {};
    // What launches did unwatched is not known: nobody is blamed for it.
    shadow_->forget_accesses();
    shadow_->forget_quiet();
    for (const Allocation& a : memory_->live())
        if (memory_->in_range(a.address)) {
            shadow_->expect(a.address, a.bytes);
            shadow_->set_written(a.address, a.bytes);
        }
    return {};
}

void Engine::watch_host(std::uint64_t address, std::uint64_t bytes) {
    const auto own = memory_->find(address);
    if (!(checkers_ & static_cast<std::uint32_t>(record::Checker::race)) || !own || own->address != address ||
        own->bytes != bytes || memory_->host_shadow(address))
        return;
    constexpr std::uint64_t kPage = std::uint64_t{1} << shadow::Shadow::kPageShift;
    const auto start = address / kPage * kPage;
    auto shadow = shadow::Shadow::reserve(start, address - start + bytes);
    if (!shadow) return;  // too much address space: nothing is looked for there
    (*shadow)->set_written(address, bytes);
    memory_->set_host_shadow(address, std::move(*shadow));
}

Engine::~Engine() {
    if (better_) better_->stop();
    if (windows_) ::munmap(reinterpret_cast<void*>(windows_), kSharedWindows + kWindowBytes);
}

namespace {

/// Refuses variables larger than any thread or launch can have, because the layout adds their sizes.
Result<void> check_sizes(const ptx::Module& m) {
    for (const auto& v : m.variables) {
        const bool local = v.space == simt::Space::local;
        if (!local && v.space != simt::Space::param) continue;
        const auto most = local ? kMostLocalBytes : kMostParameterBytes;
        if (v.size <= most) continue;
        return Error{ErrorKind::limit,
                     "the " + std::string(local ? "local variable '" : "parameter '") + v.name + "' takes " +
                         std::to_string(v.size) + " bytes, the most is " + std::to_string(most),
                     {m.name, v.line, 0},
                     local ? "let the host allocate the memory for it" : "pass a pointer to it",
                     Cause::launch_limit};
    }
    return {};
}

}  // namespace

Result<std::shared_ptr<Program>> Engine::load(std::string name, const std::string& text,
                                              const std::map<std::string, std::uint64_t>& places, const Owner& owner) {
    const host_time::In compiling(host_time::Work::compiling);
    auto parsed = ptx::parse(text, name);
    if (!parsed) return parsed.error();
    if (const auto missing = missing_device_functions(*parsed); !missing.empty()) {
        parsed = ptx::parse(text + "\n" + missing, name);
        if (!parsed) return parsed.error();
    }
    if (auto ok = check_sizes(*parsed); !ok) return ok.error();
    auto program = std::make_shared<Program>();
    program->module = std::move(*parsed);
    program->key = content_hash(text);
    program->memory = memory_.get();
    if (options_.hosts) program->text = text;
    auto& m = program->module;
    program->variables.assign(m.variables.size(), 0);
    auto& stays = program->stays;
    stays.assign(m.variables.size(), false);
    for (std::size_t i = 0; i < m.variables.size(); ++i) {
        const auto& v = m.variables[i];
        if (v.space != simt::Space::global && v.space != simt::Space::constant) continue;
        if (v.size == 0 && v.linkage == ptx::Linkage::external)
            return Error{ErrorKind::input,
                         "the variable '" + v.name + "' is declared here but defined nowhere",
                         {m.name, v.line, 0},
                         ""};
        std::uint64_t address = 0;
        if (const auto place = places.find(v.name); place != places.end()) {
            address = place->second;
            const bool of_several = owner.device != Owner::kEveryDevice;
            if (const auto there = of_several ? memory_->find(address) : std::nullopt;
                there && there->covers(address, v.size)) {
                program->variables[i] = address;
                stays[i] = true;
                continue;
            }
            if (auto taken = memory_->adopt(address, v.size); !taken) return taken.error();
            written(address, v.size);
        } else {
            auto a =
                memory_->allocate(v.size, v.space == simt::Space::constant ? MemoryUse::constant : MemoryUse::data);
            if (!a) return a.error();
            address = *a;
            memory_->set_owner(address, owner);
            written(address, v.size);
        }
        program->variables[i] = address;
        auto* p = reinterpret_cast<std::uint8_t*>(address);
        memory_->zero(address, v.size);
        if (!v.init.empty()) std::memcpy(p, v.init.data(), std::min<std::uint64_t>(v.size, v.init.size()));
    }
    for (std::size_t i = 0; i < m.variables.size(); ++i)
        for (const auto& r : m.variables[i].relocations) {
            if (!program->variables[i] || stays[i] || !covers(0, m.variables[i].size, r.offset, r.size)) continue;
            const std::uint64_t value = (r.is_function ? simt_function_token(r.symbol) : program->variables[r.symbol]) +
                                        static_cast<std::uint64_t>(r.addend);
            std::memcpy(reinterpret_cast<std::uint8_t*>(program->variables[i]) + r.offset, &value, r.size);
        }
    return program;
}

Result<KernelFacts> Engine::facts(Program& program, ptx::SymbolId kernel) {
    simt::LowerOptions lowering;
    lowering.build.decoded = program.decoded;
    auto lowered = simt::lower(program.module, kernel, lowering);
    if (!lowered) return lowered.error();
    KernelFacts facts;
    facts.static_shared = lowered->static_shared;
    facts.local_bytes = lowered->local_bytes;
    for (const ptx::Variable& v : program.module.variables) {
        if (v.space != simt::Space::constant) continue;
        const std::uint64_t align = std::max(1u, v.align);
        facts.constant_bytes = (facts.constant_bytes + align - 1) / align * align + v.size;
    }
    facts.parameter_offsets = lowered->param_offsets;
    facts.parameter_bytes = lowered->param_bytes;
    facts.registers = machine::registers(*lowered);
    for (const auto& b : lowered->blocks)
        for (const auto& i : b.insts) facts.instructions += i.counted;
    return facts;
}

/// Stamps of launches that run, or whose marks are there, must differ. When the numbers are used up all marks are
/// forgotten.
std::uint32_t Engine::begin_generation() {
    std::lock_guard lock(generation_mutex_);
    if (generations_.size() >= shadow::kGenerations - 2) return 0;
    do {
        if (++generation_ % 255 == 0) gate_.alone([&] { shadow_->forget_quiet(); });
        if (generation_ < shadow::kGenerations) continue;
        gate_.alone([&] {
            shadow_->forget_accesses();
            for (const auto& [address, shadow] : memory_->host_shadows()) shadow->forget_accesses();
        });
        generation_ = 1;
        ++rounds_;
    } while (generations_.contains(generation_));
    generations_.insert(generation_);
    return generation_;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> Engine::unwritten(std::uint64_t at, std::uint64_t bytes) const {
    constexpr std::size_t kMostStretches = 1 << 16;
    if ((checkers_ & static_cast<std::uint32_t>(record::Checker::init)) == 0 || !memory_->in_range(at)) return {};
    return shadow_->unwritten(at, bytes, kMostStretches);
}

std::optional<record::Writer> Engine::writer(std::uint64_t at) {
    if (!checkers_ || !memory_->in_range(at)) return std::nullopt;
    const auto [stamp, side] = shadow_->last_write(at);
    std::lock_guard lock(generation_mutex_);
    const auto found = writers_.find(shadow::generation_of(stamp));
    if (found == writers_.end()) return std::nullopt;
    auto writer = found->second.writer;
    if (const auto site = shadow::site_of(side); site < found->second.bytes.size())
        writer.bytes = found->second.bytes[site];
    return writer;
}

void Engine::end_generation(std::uint32_t generation) {
    std::lock_guard lock(generation_mutex_);
    generations_.erase(generation);
}

}  // namespace warpwright::engine
