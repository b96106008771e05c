// This is the adapter between the interface of devices and the engine: it checks the host's copies against the
// allocations, turns launches into the engine's requests, and reads the settings that choose host code and checkers.
#include "device/emulated/emulated.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "device/emulated/module.hpp"
#include "device/emulated/nested.hpp"
#include "device/emulated/placed_variables.hpp"
#include "device/emulated/sampled_launch.hpp"
#include "device/emulated/several_devices.hpp"
#include "device/emulated/stream.hpp"
#include "device/emulated/texture.hpp"
#include "device/hosts/other_hosts.hpp"
#include "engine/run/engine.hpp"
#include "engine/shared/tensor_map.hpp"
#include "launch/check.hpp"
#include "support/processor_time.hpp"
#include "support/settings.hpp"
#include "timing/parameters.hpp"

namespace warpwright::device {

namespace {

class Emulated final : public Device,
                       public Sampler,
                       public PlacedVariables,
                       public SeveralDevices,
                       public FindingLog,
                       public HostSharing,
                       public TensorMaps,
                       public Textures {
public:
    Emulated(std::unique_ptr<engine::Engine> engine, const Limits& limits, bool lazy,
             std::shared_ptr<compile::Ptxas> ptxas, bool limits_of_processor)
        : engine_(std::move(engine)),
          limits_(limits),
          lazy_(lazy),
          ptxas_(std::move(ptxas)),
          limits_of_processor_(limits_of_processor) {}

    std::string name() const override { return "emulated"; }
    const Limits& limits() const override { return limits_; }

    Result<Address> allocate(std::uint64_t bytes) override { return engine_->memory().allocate(bytes); }
    Result<void> release(Address a) override {
        if (engine::TextureTable::is_handle(a) && engine_->textures().remove(a)) return {};
        return engine_->memory().release(a);
    }

    Result<void> write(Address to, std::span<const std::byte> from) override {
        if (auto r = covered(to, from.size(), "write"); !r) return r;
        if (!from.empty()) std::memcpy(reinterpret_cast<void*>(to), from.data(), from.size());
        engine_->written(to, from.size());
        return {};
    }
    Result<void> read(std::span<std::byte> to, Address from) override {
        if (auto r = covered(from, to.size(), "read"); !r) return r;
        if (!to.empty()) std::memcpy(to.data(), reinterpret_cast<const void*>(from), to.size());
        return {};
    }
    Result<void> fill(Address to, std::uint8_t value, std::uint64_t bytes) override {
        if (auto r = covered(to, bytes, "fill"); !r) return r;
        if (bytes && value == 0)
            engine_->memory().zero(to, bytes);
        else if (bytes)
            std::memset(reinterpret_cast<void*>(to), value, bytes);
        engine_->written(to, bytes);
        return {};
    }
    Result<void> copy(Address to, Address from, std::uint64_t bytes) override {
        if (auto r = covered(from, bytes, "read"); !r) return r;
        if (auto r = covered(to, bytes, "write"); !r) return r;
        if (bytes) std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
        engine_->copied(to, from, bytes);
        return {};
    }
    std::vector<record::Finding> findings() const override { return engine_->findings().all(); }
    void clear_findings() override { engine_->findings().clear(); }
    void add_finding(record::Finding f) override { engine_->findings().add(std::move(f)); }
    Result<void> set_checkers(std::uint32_t checkers) override {
        return engine_->set_checkers(checkers & record::kKernelCheckers);
    }
    std::uint32_t checkers() const override { return engine_->checkers(); }
    void written(Address at, std::uint64_t bytes) override {
        if (bytes && covered(at, bytes, "write")) engine_->written(at, bytes);
    }
    void copied(Address to, Address from, std::uint64_t bytes) override {
        if (bytes && covered(to, bytes, "write") && covered(from, bytes, "read")) engine_->copied(to, from, bytes);
    }
    std::vector<std::pair<Address, std::uint64_t>> unwritten(Address at, std::uint64_t bytes) override {
        if (bytes == 0 || !covered(at, bytes, "read")) return {};
        return engine_->unwritten(at, bytes);
    }
    std::optional<record::Writer> writer(Address at) override { return engine_->writer(at); }
    std::vector<std::uint32_t> launch_marks() override { return engine::Engine::last_marks(); }
    void keep_accesses(bool keep) override { engine_->keep_traces(keep); }
    std::vector<LaunchAccess> last_accesses() override { return accesses_of(engine::Engine::last_traces()); }
    std::vector<LaunchAccess> accesses(const std::vector<std::uint32_t>& marks) override {
        return accesses_of(engine_->traces(marks));
    }
    record::FindingPlace place_of(const LaunchAccess& access) override {
        return engine_->site_place(access.launch, access.site);
    }

    void cancel() override { engine_->cancel(); }
    std::optional<std::pair<Address, std::uint64_t>> allocation(Address at) override {
        auto a = engine_->memory().find(at);
        if (!a) return std::nullopt;
        return std::pair{a->address, a->bytes};
    }
    bool reaches(Address at, std::uint64_t bytes, bool written) override {
        const auto a = engine_->memory().find(at);
        return (a && a->allows(at, bytes, written)) || engine_->memory().tolerates(at, bytes, written);
    }
    Result<void> adopt(void* memory, std::uint64_t bytes) override {
        return engine_->memory().adopt(reinterpret_cast<Address>(memory), bytes);
    }
    void shared(Address at) override { engine_->memory().set_use(at, engine::MemoryUse::shared); }
    Result<void> disown(void* memory) override { return engine_->memory().disown(reinterpret_cast<Address>(memory)); }

    Streams& streams() override { return clock_ ? *clock_ : Device::streams(); }
    Sampler* sampler() override { return this; }
    PlacedVariables* placed_variables() override { return this; }
    SeveralDevices* several_devices() override { return this; }
    FindingLog* finding_log() override { return this; }
    HostSharing* host_sharing() override { return this; }
    TensorMaps* tensor_maps() override { return this; }
    Textures* textures() override { return this; }

    Result<std::shared_ptr<Module>> load(std::string name, std::string ptx) override {
        return load_placed(std::move(name), std::move(ptx), {});
    }
    Result<std::shared_ptr<Module>> load_placed(std::string name, std::string ptx,
                                                const std::map<std::string, Address>& places) override {
        return load_owned(std::move(name), std::move(ptx), places, {});
    }
    Result<std::shared_ptr<Module>> load_for(unsigned device, std::string name, std::string ptx,
                                             const std::map<std::string, Address>& places) override {
        return load_owned(std::move(name), std::move(ptx), places, {static_cast<std::uint8_t>(device)});
    }
    void belongs_to(Address at, unsigned device, MemoryAccess access, std::uint16_t open_to) override {
        engine_->memory().set_owner(at,
                                    {static_cast<std::uint8_t>(device), access == MemoryAccess::by_memory, open_to});
    }
    void part_belongs_to(Address at, std::uint64_t bytes, unsigned device, MemoryAccess access,
                         std::uint16_t open_to) override {
        engine_->memory().set_owner_of_part(
            at, bytes, {static_cast<std::uint8_t>(device), access == MemoryAccess::by_memory, open_to});
    }
    void parts_belong_to_all(Address at, std::uint64_t bytes) override { engine_->memory().forget_parts(at, bytes); }
    void belongs_to_all(Address at) override { engine_->memory().set_owner(at, {}); }
    std::optional<unsigned> device_of(Address at) override {
        const auto a = engine_->memory().find(at);
        if (!a || a->owner.device == engine::Owner::kEveryDevice) return std::nullopt;
        return a->owner.device;
    }
    Result<std::shared_ptr<Module>> load_owned(std::string name, std::string ptx,
                                               const std::map<std::string, Address>& places,
                                               const engine::Owner& owner) {
        auto program = engine_->load(std::move(name), ptx, places, owner);
        if (!program) return program.error();
        Assembling assembling{ptxas_, ptxas_ ? std::move(ptx) : std::string(), limits_.compute_capability};
        auto module = std::make_shared<EmulatedModule>(*engine_, *program, lazy_, std::move(assembling));
        if (auto why = module->failure()) return std::move(*why);
        return std::shared_ptr<Module>(std::move(module));
    }

    Result<LaunchResult> launch(Module& base, const std::string& kernel, const LaunchConfig& config,
                                std::span<const std::byte> parameters, const LaunchOptions& options) override {
        auto r = launch_sample(base, kernel, config, parameters, options, 0, nullptr);
        if (!r) return std::move(r).error();
        return std::move(r->result);
    }

    Result<launch::EmulatedResult> launch_sample(Module& base, const std::string& kernel, const LaunchConfig& config,
                                                 std::span<const std::byte> parameters, const LaunchOptions& options,
                                                 double error, KernelSide* side) override {
        auto& module = static_cast<EmulatedModule&>(base);
        const Location where{module.program().module.name, 0, 0};
        auto found = module.kernel(kernel);
        if (!found && found.error().kind == ErrorKind::limit) return std::move(found).error();
        if (!found) return Error{ErrorKind::input, found.error().what, where, found.error().hint};
        const KernelInfo& info = **found;
        auto cluster = launch::check(info, config, limits_, parameters.size(), where);
        if (!cluster) return cluster.error();
        engine::LaunchRequest request;
        request.config = config;
        request.config.cluster = *cluster;
        request.explicit_cluster = config.cluster.x != 0 || info.required_cluster.x != 0;
        request.parameters = parameters;
        request.options = options;
        request.compiling =
            limits_of_processor_ ? limit_of_processor(options.compile_timeout) : WorkLimit(options.compile_timeout);
        request.sample_error = error;
        NestedLaunches nested(module, limits_, side);
        request.nested = &nested;
        return engine_->launch(module.program(), module.function(info), request);
    }

    Result<std::array<std::byte, 128>> encode_tensor_map(const TensorMap& m) override {
        using S = TensorMap::Swizzle;
        const unsigned swizzle = m.swizzle == S::b32 ? 32 : m.swizzle == S::b64 ? 64 : m.swizzle == S::b128 ? 128 : 0;
        return engine::encode_tensor_map(
            {m.address, m.type, m.size, m.stride, m.box, m.step, swizzle, m.fill_nan, m.lower, m.upper, m.pixels});
    }

    Result<void> replace_address(std::span<std::byte, 128> map, Address address) override {
        return engine::replace_address(map, address);
    }

    void keep_time(const ModelledTime& time) { clock_ = std::make_shared<ModelledClock>(*this, time); }
    Result<Address> make_texture(const Texture& texture) override {
        auto state = texture_state(texture);
        if (!state) return std::move(state).error();
        return engine_->textures().add(*state);
    }

private:
    static std::vector<LaunchAccess> accesses_of(const std::vector<shadow::Shadow::Trace>& traces) {
        std::vector<LaunchAccess> out;
        for (const auto& t : traces)
            out.push_back({t.at, t.bytes, t.generation, shadow::site_of(t.side), t.write,
                           shadow::strength_of(t.side) >= shadow::kStrong});
        return out;
    }
    Result<void> covered(Address at, std::uint64_t bytes, const char* what) const {
        if (bytes == 0) return {};
        auto a = engine_->memory().find(at);
        if (a && a->covers(at, bytes)) return {};
        return Error{ErrorKind::fault,
                     std::string(what) + " of " + std::to_string(bytes) + " bytes outside any device allocation",
                     {},
                     ""};
    }

    std::unique_ptr<engine::Engine> engine_;
    Limits limits_;
    bool lazy_;
    std::shared_ptr<compile::Ptxas> ptxas_;  ///< null: registers are estimated
    const bool limits_of_processor_;
    std::shared_ptr<ModelledClock> clock_;  ///< null: events tell no time
};

/// Which kinds of host code kernels get (WARPWRIGHT_CODE).
Result<void> choose_code(engine::EngineOptions& e) {
    const std::string code = settings::text(Setting::code);
    if (code.empty() || code == "both") return {};
    if (code != "quick" && code != "best")
        return Error{ErrorKind::usage,
                     fmt::format("{} is '{}'", settings::variable(Setting::code), code),
                     {},
                     "both, quick or best"};
    e.quick_from = code == "quick" ? 0 : ~std::size_t{0};
    e.better_after = -1;
    return {};
}

/// What instructions of kernels that time themselves take: as the simulation of a multiprocessor has it.
engine::Latencies latencies_of(const arch::DeviceModel& m) {
    const auto p = timing::parameters(m);
    engine::Latencies out;
    for (std::size_t k = 0; k < machine::kPipes; ++k)
        out.result[k] = p.pipes[k].latency, out.interval[k] = p.pipes[k].interval;
    out.shared = p.shared_latency, out.l1 = p.l1_latency, out.l2 = p.l2_latency, out.memory = p.memory_latency;
    out.constant = p.constant_latency, out.atomic_global = p.atomic_latency, out.request = p.request_interval;
    if (m.latency.atomic_shared > 0) out.atomic_shared = m.latency.atomic_shared;
    out.guard = p.late_guard, out.branch = p.branch;
    if (!p.loads_in_l1)
        out.l1_bytes = 0;
    else if (m.cache.l1 > 0)
        out.l1_bytes = m.cache.l1;
    out.l1_unified = m.cache.l1_unified != 0;
    if (m.cache.l2 > 0) out.l2_bytes = m.cache.l2;
    return out;
}

/// How many blocks are in flight at a time, and how their clocks run.
engine::Pace pace_of(const Limits& limits) {
    engine::Pace pace;
    if (!limits.model) return pace;
    const auto& m = *limits.model;
    const auto take = [](std::uint64_t& to, double figure) {
        if (figure > 0) to = static_cast<std::uint64_t>(figure);
    };
    take(pace.threads, m.limits.threads_per_sm);
    take(pace.blocks, m.limits.blocks_per_sm);
    take(pace.shared, m.limits.shared_per_sm);
    pace.reserved_shared = m.allocation.reserved_shared;
    take(pace.schedulers, m.sm.schedulers);
    take(pace.trip, m.latency.l2);
    pace.latencies = latencies_of(m);
    if (m.clocks.bound > 0) pace.hertz = m.clocks.bound;
    return pace;
}

Result<engine::Schedule> schedule_of_settings() {
    return engine::parse_schedule(settings::text(Setting::schedule), settings::variable(Setting::schedule));
}

}  // namespace

Result<void> check_schedule() {
    auto schedule = schedule_of_settings();
    if (!schedule) return schedule.error();
    return {};
}

Result<std::unique_ptr<Device>> make_emulated(const EmulatedOptions& options) {
    engine::EngineOptions e;
    e.cpu = options.cpu;
    if (e.cpu.empty()) e.cpu = settings::text(Setting::cpu);
    e.threads = options.threads;
    e.memory = options.memory;
    e.memory_folder = options.memory_folder;
    e.zeroed = options.zeroed;
    e.tolerant = options.tolerant;
    e.guarded = options.guarded || settings::flag(Setting::guard, false);
    e.cache_directory = options.cache_directory;
    e.multiprocessors = options.limits.multiprocessors;
    e.lanes = options.limits.warp;
    if (options.limits.model)
        e.transaction_bytes = std::max(e.transaction_bytes, arch::transaction_bytes(options.limits.model->coalescing));
    e.compute_capability = options.limits.compute_capability;
    e.checkers = options.checkers;
    if (const std::string text = settings::text(Setting::checkers); !text.empty() && !e.checkers) {
        auto set = record::parse_checkers(text);
        if (!set) return set.error();
        e.checkers = *set;
    }
    e.checkers &= record::kKernelCheckers;  // the others look at programs
    auto schedule = schedule_of_settings();
    if (!schedule) return schedule.error();
    e.schedule = *schedule;
    e.pace = pace_of(options.limits);
    e.patience = options.patience;
    e.is_host_memory = options.is_host_memory;
    e.limits_of_processor = options.limits_of_processor || settings::flag(Setting::timeout_of_processor, false);
    e.most_instructions =
        options.most_instructions ? options.most_instructions : settings::whole(Setting::most_instructions, 0);
    e.tell = options.tell;
    e.sources = options.sources;
    if (auto ok = choose_code(e); !ok) return ok.error();
    if (!options.hosts.empty() && !e.checkers) {
        auto hosts = reach_other_hosts(options.hosts, e, options.tell);
        if (!hosts) return hosts.error();
        e.hosts = std::move(*hosts);
    }
    std::shared_ptr<compile::Ptxas> ptxas;
    if (!options.estimated_registers && options.limits.compute_capability > 0) {
        auto found = compile::Ptxas::of_process(options.cache_directory);
        if (!found) return found.error();
        ptxas = std::move(*found);
    }
    auto made = engine::Engine::create(e);
    if (!made) return made.error();
    auto device = std::make_unique<Emulated>(std::move(*made), options.limits, options.lazy, std::move(ptxas),
                                             e.limits_of_processor);
    if (options.time) device->keep_time(*options.time);
    return std::unique_ptr<Device>(std::move(device));
}

}  // namespace warpwright::device
