// The emulated GPU as a Device.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unordered_map>

#include "device/device.hpp"
#include "device/emulated/device_runtime.hpp"
#include "device/emulated/placed_variables.hpp"
#include "device/emulated/sampled_launch.hpp"
#include "device/emulated/stream.hpp"
#include "device/launch_check.hpp"
#include "engine/run/engine.hpp"
#include "engine/runtime/tensor_map.hpp"
#include "engine/texture/texture.hpp"
#include "support/settings.hpp"

namespace warpwright::device {

namespace {

class EmulatedModule final : public Module {
public:
    const std::vector<KernelInfo>& kernels() const override { return kernels_; }
    Result<std::pair<Address, std::uint64_t>> variable(const std::string& name) const override {
        const auto& m = program->module;
        for (std::size_t i = 0; i < m.variables.size(); ++i)
            if (m.variables[i].name == name && program->variables[i])
                return std::pair{program->variables[i], m.variables[i].size};
        return Error{ErrorKind::input, "no variable '" + name + "'", {m.name, 0, 0}, ""};
    }

    Result<const KernelInfo*> kernel(const std::string& name) override {
        auto found = index.find(name);
        if (found == index.end()) return Module::kernel(name);
        learn(found->second);
        return &kernels_[found->second];
    }
    /// A kernel that this version cannot execute must not prevent the others from running: its properties stay empty.
    void learn(std::size_t i) {
        std::lock_guard lock(mutex);
        if (known[i]) return;
        known[i] = true;
        auto& k = kernels_[i];
        const auto most = program->module.functions[ids[i]].directives.maxnreg;
        if (auto facts = engine->facts(*program, ids[i])) {
            k.static_shared = facts->static_shared;
            k.local = facts->local_bytes;
            k.registers = most ? std::min(most, facts->registers) : facts->registers;
        }
    }

    engine::Engine* engine = nullptr;
    std::shared_ptr<engine::Program> program;
    std::vector<KernelInfo> kernels_;
    std::vector<ptx::SymbolId> ids;
    std::vector<bool> known;
    std::unordered_map<std::string, std::size_t> index;
    std::mutex mutex;
};

/// The device's part in launches by kernels: whether one is allowed; and the translation between the engine's types and
/// the device's.
class Nested final : public engine::NestedHost {
public:
    Nested(EmulatedModule& module, const Limits& limits, KernelSide* side)
        : module_(module), limits_(limits), side_(side) {}

    std::uint32_t check(engine::ChildGrid& g) override {
        namespace error = engine::device_error;
        const KernelInfo* info = find(g.kernel);
        if (!info) return error::invalid_device_function;
        const auto config = config_of(g);
        std::uint64_t bytes = 0;
        for (const auto& p : info->parameters) bytes = std::max<std::uint64_t>(bytes, std::uint64_t{p.offset} + p.size);
        const std::vector<std::byte> parameters(bytes);  // filled in later
        if (bytes > engine::ParameterBlock::kBytes / 2 || !check_launch(*info, config, limits_, parameters, {}))
            return error::invalid_configuration;
        // (check_launch() has ensured that the sum is small.)
        if (info->static_shared + g.dynamic_shared > limits_.shared_per_block &&
            (!side_ || g.dynamic_shared > side_->most_dynamic_shared(module_, *info)))
            return error::invalid_value;
        const auto cluster = check_cluster(*info, config, {});
        if (!cluster) return error::invalid_configuration;
        const std::uint32_t blocks[3] = {cluster->x, cluster->y, cluster->z};
        for (int k = 0; k < 3; ++k) g.cluster[k] = blocks[k];
        g.explicit_cluster = info->required_cluster.x != 0;
        return 0;
    }
    timeline::Work ended(const engine::ChildGrid& g, engine::LaunchReply& reply) override {
        if (!side_) return {};
        LaunchResult result;
        result.counts = std::move(reply.counts);
        result.touched = reply.touched;
        result.host_seconds = reply.run_seconds;
        result.compile_seconds = reply.compile_seconds;
        return side_->ended(module_, *find(g.kernel), config_of(g), result, {g.id, g.parent, g.depth});
    }
    timeline::Work moved(bool fill, std::uint64_t bytes) override {
        return side_ ? side_->moved(fill, bytes) : timeline::Work{};
    }
    std::uint32_t ask(Question question, ptx::SymbolId function, const std::uint64_t* arguments,
                      std::vector<std::byte>& answer) override {
        return side_ ? side_->ask(question, module_, find(function), arguments, answer)
                     : engine::device_error::not_supported;
    }

private:
    const KernelInfo* find(ptx::SymbolId id) {
        // Ids are in order of appearance.
        const auto found = std::lower_bound(module_.ids.begin(), module_.ids.end(), id);
        if (found == module_.ids.end() || *found != id) return nullptr;
        const auto index = static_cast<std::size_t>(found - module_.ids.begin());
        module_.learn(index);
        return &module_.kernels_[index];
    }
    static LaunchConfig config_of(const engine::ChildGrid& g) {
        LaunchConfig c;
        c.grid = {g.grid[0], g.grid[1], g.grid[2]};
        c.block = {g.block[0], g.block[1], g.block[2]};
        c.dynamic_shared = g.dynamic_shared;
        return c;
    }
    EmulatedModule& module_;
    const Limits& limits_;
    KernelSide* side_;
};

class Emulated final : public Device, public Sampler {
public:
    Emulated(std::unique_ptr<engine::Engine> engine, const Limits& limits, bool lazy)
        : engine_(std::move(engine)), limits_(limits), lazy_(lazy) {}

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
        if (bytes) std::memset(reinterpret_cast<void*>(to), value, bytes);
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
    void written(Address at, std::uint64_t bytes) override {
        if (bytes && covered(at, bytes, "write")) engine_->written(at, bytes);
    }
    void copied(Address to, Address from, std::uint64_t bytes) override {
        if (bytes && covered(to, bytes, "write") && covered(from, bytes, "read")) engine_->copied(to, from, bytes);
    }

    void cancel() override { engine_->cancel(); }
    std::optional<std::pair<Address, std::uint64_t>> allocation(Address at) override {
        auto a = engine_->memory().find(at);
        if (!a) return std::nullopt;
        return std::pair{a->address, a->bytes};
    }
    Result<void> adopt(void* memory, std::uint64_t bytes) override {
        return engine_->memory().adopt(reinterpret_cast<Address>(memory), bytes);
    }
    Result<void> disown(void* memory) override { return engine_->memory().disown(reinterpret_cast<Address>(memory)); }

    Result<std::shared_ptr<Module>> load(std::string name, std::string ptx) override {
        return load_at(std::move(name), ptx, {});
    }
    Result<std::shared_ptr<Module>> load_at(std::string name, const std::string& ptx,
                                            const std::map<std::string, Address>& places) {
        auto program = engine_->load(std::move(name), ptx, places);
        if (!program) return program.error();
        auto module = std::make_shared<EmulatedModule>();
        module->program = *program;
        const auto& m = (*program)->module;
        for (ptx::SymbolId f = 0; f < m.functions.size(); ++f) {
            const auto& function = m.functions[f];
            if (!function.entry || !function.defined) continue;
            KernelInfo k;
            k.name = function.name;
            std::uint32_t offset = 0;
            for (auto p : function.parameters) {
                const auto& v = m.variables[p];
                const std::uint32_t align = v.align ? v.align : std::max(1u, ptx::bytes(v.type) * v.vector);
                offset = (offset + align - 1) / align * align;
                const auto natural = ptx::bytes(v.type) * v.vector;
                k.parameters.push_back({v.name, offset, static_cast<std::uint32_t>(v.size), align,
                                        std::string(v.size == natural ? ptx::spelling(v.type) : "b8")});
                offset += static_cast<std::uint32_t>(v.size);
            }
            const auto& d = function.directives;
            if (d.reqntid[0]) k.required_block = {d.reqntid[0], std::max(1u, d.reqntid[1]), std::max(1u, d.reqntid[2])};
            if (d.maxntid[0]) k.max_threads = d.maxntid[0] * std::max(1u, d.maxntid[1]) * std::max(1u, d.maxntid[2]);
            if (const auto& r = d.reqnctapercluster; r[0])
                k.required_cluster = {r[0], std::max(1u, r[1]), std::max(1u, r[2])};
            k.explicit_cluster = d.explicitcluster;
            k.max_cluster = d.maxclusterrank;
            for (const auto& i : function.body) k.has_line_information |= i.source.line != 0;
            k.static_instructions = static_cast<std::uint32_t>(function.body.size());
            module->kernels_.push_back(std::move(k));
            module->ids.push_back(f);
            module->index.emplace(function.name, module->ids.size() - 1);
        }
        module->engine = engine_.get();
        module->known.assign(module->ids.size(), false);
        for (std::size_t i = 0; !lazy_ && i < module->ids.size(); ++i) module->learn(i);
        return std::shared_ptr<Module>(module);
    }

    Result<LaunchResult> launch(Module& base, const std::string& kernel, const LaunchConfig& config,
                                std::span<const std::byte> parameters, const LaunchOptions& options) override {
        auto r = launch_sample(base, kernel, config, parameters, options, 0, nullptr);
        if (!r) return std::move(r).error();
        return std::move(r->result);
    }

    Result<SampledResult> launch_sample(Module& base, const std::string& kernel, const LaunchConfig& config,
                                        std::span<const std::byte> parameters, const LaunchOptions& options,
                                        double error, KernelSide* side) override {
        auto& module = static_cast<EmulatedModule&>(base);
        const Location where{module.program->module.name, 0, 0};
        auto found = module.kernel(kernel);
        if (!found) return Error{ErrorKind::input, found.error().what, where, found.error().hint};
        const KernelInfo* info = *found;
        const ptx::SymbolId id = module.ids[static_cast<std::size_t>(info - module.kernels_.data())];
        if (auto r = check_launch(*info, config, limits_, parameters, where); !r) return r.error();
        engine::LaunchRequest request;
        const std::uint32_t grid[3] = {config.grid.x, config.grid.y, config.grid.z},
                            block[3] = {config.block.x, config.block.y, config.block.z};
        for (int k = 0; k < 3; ++k) request.grid[k] = grid[k], request.block[k] = block[k];
        auto cluster = check_cluster(*info, config, where);
        if (!cluster) return cluster.error();
        const std::uint32_t blocks[3] = {cluster->x, cluster->y, cluster->z};
        for (int k = 0; k < 3; ++k) request.cluster[k] = blocks[k];
        request.explicit_cluster = config.cluster.x != 0 || info->required_cluster.x != 0;
        request.cooperative = config.cooperative;
        request.dynamic_shared = config.dynamic_shared;
        request.parameters = parameters;
        request.counters = options.counters;
        request.per_line = options.per_line;
        request.timeout = options.timeout;
        request.output = options.output;
        request.sample_error = error;
        request.trace = {options.trace_multiprocessors, options.trace_blocks};
        Nested nested(module, limits_, side);
        request.nested = &nested;
        auto reply = engine_->launch(*module.program, id, request);
        if (!reply) return reply.error();
        SampledResult out;
        out.sample = std::move(reply->sample);
        out.nested = std::move(reply->nested), out.tails = std::move(reply->tails);
        auto& result = out.result;
        result.counts = std::move(reply->counts);
        result.touched = reply->touched;
        result.host_seconds = reply->run_seconds;
        result.compile_seconds = reply->compile_seconds;
        result.output = std::move(reply->output);
        result.trace = std::move(reply->trace);
        return out;
    }

    Result<std::array<std::byte, 128>> encode_tensor_map(const TensorMap& m) override {
        using S = TensorMap::Swizzle;
        const unsigned swizzle = m.swizzle == S::b32 ? 32 : m.swizzle == S::b64 ? 64 : m.swizzle == S::b128 ? 128 : 0;
        return engine::encode_tensor_map({m.address, m.type, m.size, m.stride, m.box, m.step, swizzle, m.fill_nan});
    }

    Result<std::unique_ptr<Stream>> make_stream() override { return make_stream_as(StreamKind::independent); }
    Result<std::unique_ptr<Stream>> make_stream_as(StreamKind kind) override {
        return clock_ ? clock_->make_stream(*this, kind) : Device::make_stream();
    }
    Result<std::unique_ptr<Event>> make_event() override {
        return clock_ ? clock_->make_event() : Device::make_event();
    }
    Result<std::unique_ptr<HostMemory>> allocate_host(std::uint64_t bytes) override {
        return clock_ ? clock_->allocate_host(bytes) : Device::allocate_host(bytes);
    }
    bool models_time() const override { return clock_ != nullptr; }
    void keep_time(const ModelledTime& time) { clock_ = std::make_shared<ModelledClock>(time); }
    Result<Address> make_texture(const Texture& t) override {
        engine::TextureState s;
        static_assert(engine::TextureState::kMostLevels == Texture::kMostLevels);
        if (t.levels.empty() || t.levels.size() > Texture::kMostLevels)
            return Error{ErrorKind::usage, "a texture has 1 to 18 levels", {}, ""};
        s.levels = static_cast<std::uint32_t>(t.levels.size());
        for (std::size_t k = 0; k < t.levels.size(); ++k) {
            const auto& l = t.levels[k];
            s.level[k] = {l.data, l.pitch, l.slice, l.width, l.height, l.depth};
        }
        s.kind = static_cast<engine::TextureState::Kind>(t.kind);
        s.channels = static_cast<std::uint8_t>(t.channels), s.bits = static_cast<std::uint8_t>(t.bits),
        s.packed = t.packed;
        s.layered = t.layered, s.cube = t.cube;
        for (unsigned d = 0; d < 3; ++d) s.address[d] = static_cast<engine::TextureState::Address>(t.mode[d]);
        s.linear = t.linear, s.normalized_floats = t.normalized_floats,
        s.normalized_coordinates = t.normalized_coordinates;
        s.mip_linear = t.mip_linear, s.srgb = t.srgb, s.seamless = t.seamless, s.surface = t.surface;
        s.anisotropy = static_cast<std::uint8_t>(std::clamp(t.anisotropy, 1u, 16u));
        s.bias = t.bias, s.least_level = t.least_level, s.most_level = t.most_level;
        for (unsigned k = 0; k < 4; ++k) s.border[k] = t.border[k];
        return engine_->textures().add(s);
    }

private:
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
    std::shared_ptr<ModelledClock> clock_;  ///< null: events tell no time
};

}  // namespace

Result<std::shared_ptr<Module>> load_placed(Device& device, std::string name, std::string ptx,
                                            const std::map<std::string, Address>& places) {
    if (auto* emulated = dynamic_cast<Emulated*>(&device)) return emulated->load_at(std::move(name), ptx, places);
    return Error{ErrorKind::usage, "only the emulated device can place variables in the host's memory", {}, ""};
}

/// Which kinds of host code kernels get (WARPWRIGHT_CODE).
static Result<void> choose_code(engine::EngineOptions& e) {
    const std::string code = settings::text(Setting::code);
    if (code.empty() || code == "both") return {};
    if (code != "quick" && code != "best")
        return Error{ErrorKind::usage, "WARPWRIGHT_CODE is '" + code + "'", {}, "both, quick or best"};
    e.quick_from = code == "quick" ? 0 : ~std::size_t{0};
    e.better_after = -1;
    return {};
}

Result<std::unique_ptr<Device>> make_emulated(const EmulatedOptions& options) {
    engine::EngineOptions e;
    e.cpu = options.cpu;
    if (e.cpu.empty()) e.cpu = settings::text(Setting::cpu);
    e.threads = options.threads;
    e.memory = options.memory;
    e.zeroed = options.zeroed;
    e.tolerant = options.tolerant;
    e.cache_directory = options.cache_directory;
    e.multiprocessors = options.limits.multiprocessors;
    e.lanes = options.limits.warp;
    e.checkers = options.checkers;
    if (const std::string text = settings::text(Setting::checkers); !text.empty() && !e.checkers) {
        auto set = record::parse_checkers(text);
        if (!set) return set.error();
        e.checkers = *set;
    }
    e.checkers &= record::kKernelCheckers;  // the others look at programs
    e.patience = options.patience;
    if (auto ok = choose_code(e); !ok) return ok.error();
    auto made = engine::Engine::create(e);
    if (!made) return made.error();
    auto device = std::make_unique<Emulated>(std::move(*made), options.limits, options.lazy);
    if (options.time) device->keep_time(*options.time);
    return std::unique_ptr<Device>(std::move(device));
}

}  // namespace warpwright::device
