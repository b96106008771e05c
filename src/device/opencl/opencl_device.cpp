// Profiling events give the times, from the start of a sample's first kernel to the end of its last. Caches are emptied
// by filling a buffer of at least twice their size, and OpenCL's limits become those of a launch.
#include "device/opencl/opencl_device.hpp"

#include <algorithm>

#include "device/opencl/module.hpp"

namespace warpwright::device {
namespace {

using namespace opencl;
using DeviceEvent = opencl::Event;

/// The machine's loader, opened once; only a success is kept.
Result<std::shared_ptr<const Driver>> machine_loader() {
    static std::shared_ptr<const Driver> kept;
    if (!kept) {
        auto driver = load_driver(loader_candidates());
        if (!driver) return std::move(driver).error();
        kept = std::move(*driver);
    }
    return kept;
}

OpenclDeviceInfo describe(const Driver& driver, const PlatformDevice& place, int ordinal) {
    const OpenclFunctions& t = driver.table;
    const DeviceId d = place.device;
    OpenclDeviceInfo out;
    out.ordinal = ordinal;
    out.name = text_of(t.device_info, info::device_name, d);
    out.vendor = text_of(t.device_info, info::device_vendor, d);
    out.platform = place.platform_name;
    out.version = text_of(t.device_info, info::device_version, d);
    out.driver = text_of(t.device_info, info::driver_version, d);
    out.loader = driver.file;
    const Bits type = value_of<Bits>(t.device_info, info::device_type, d);
    out.kind = type & kTypeGpu ? "GPU" : type & kTypeCpu ? "CPU" : "accelerator";
    out.memory = value_of<std::uint64_t>(t.device_info, info::memory_bytes, d);
    out.largest_allocation = value_of<std::uint64_t>(t.device_info, info::largest_allocation, d);
    out.cache = value_of<std::uint64_t>(t.device_info, info::cache_bytes, d);
    out.local = value_of<std::uint64_t>(t.device_info, info::local_bytes, d);
    out.clock = 1e6 * value_of<Count>(t.device_info, info::clock_mhz, d);
    out.doubles = text_of(t.device_info, info::extensions, d).find("cl_khr_fp64") != std::string::npos;
    Limits& l = out.limits;
    std::size_t sizes[3] = {1, 1, 1};
    (void)t.device_info(d, info::item_sizes, sizeof(sizes), sizes, nullptr);
    const auto narrow = [](std::size_t v) { return static_cast<std::uint32_t>(std::min<std::size_t>(v, 0xFFFFFFFFu)); };
    l.threads_per_block = narrow(value_of<std::size_t>(t.device_info, info::group_size, d));
    l.block = {narrow(sizes[0]), narrow(sizes[1]), narrow(sizes[2])};
    l.grid = {2147483647u, 2147483647u, 2147483647u};
    l.shared_per_block = l.shared_per_block_optin = out.local;
    l.registers_per_thread = 0;
    l.warp = 1;  // OpenCL does not report it
    l.multiprocessors = value_of<Count>(t.device_info, info::compute_units, d);
    l.compute_capability = 0;
    l.language = Language::opencl;
    return out;
}

class OpenclDevice final : public Device, public Timer {
public:
    explicit OpenclDevice(std::shared_ptr<Holder> holder) : holder_(std::move(holder)) {}

    std::string name() const override { return holder_->info().device(); }
    const Limits& limits() const override { return holder_->info().limits; }
    DeviceFacts facts() const override {
        const OpenclDeviceInfo& i = holder_->info();
        return {i.name,  i.platform + ", " + i.version + ", driver " + i.driver,
                i.cache, i.clock / 1e6,
                0,       "OpenCL does not report it"};
    }

    Result<Address> allocate(std::uint64_t bytes) override { return holder_->allocate(bytes); }
    Result<void> release(Address a) override { return holder_->release(a); }
    Result<void> write(Address to, std::span<const std::byte> from) override {
        if (from.empty()) return {};
        auto at = holder_->covered(to, from.size(), "write");
        if (!at) return at.error();
        return done(
            table().write(holder_->queue(), at->first, 1, at->second, from.size(), from.data(), 0, nullptr, nullptr),
            "a write");
    }
    Result<void> read(std::span<std::byte> to, Address from) override {
        if (to.empty()) return {};
        auto at = holder_->covered(from, to.size(), "read");
        if (!at) return at.error();
        return done(table().read(holder_->queue(), at->first, 1, at->second, to.size(), to.data(), 0, nullptr, nullptr),
                    "a read");
    }
    Result<void> fill(Address to, std::uint8_t value, std::uint64_t bytes) override {
        if (bytes == 0) return {};
        auto at = holder_->covered(to, bytes, "fill");
        if (!at) return at.error();
        if (auto ok = done(table().fill(holder_->queue(), at->first, &value, 1, at->second, bytes, 0, nullptr, nullptr),
                           "a fill");
            !ok)
            return ok;
        return done(table().finish(holder_->queue()), "a fill");
    }

    Result<std::shared_ptr<Module>> load(std::string name, std::string source) override {
        auto module = OpenclModule::build(holder_, std::move(name), source);
        if (!module) return std::move(module).error();
        return std::shared_ptr<Module>(std::move(*module));
    }

    Result<LaunchResult> launch(Module& base, const std::string& kernel, const LaunchConfig& config,
                                std::span<const std::byte> parameters, const LaunchOptions& options) override {
        auto& module = static_cast<OpenclModule&>(base);
        Kept event(table());
        if (auto ok = module.enqueue(kernel, config, parameters, event.slot()); !ok) return ok.error();
        if (auto ok = holder_->wait(event.get(), options.timeout, "kernel '" + kernel + "'", module.where()); !ok)
            return ok.error();
        LaunchResult out;
        out.device_seconds =
            1e-9 * static_cast<double>(time_of(event, info::profiling_end) - time_of(event, info::profiling_start));
        return out;
    }

    Timer* timer() override { return this; }
    Result<std::vector<double>> time(std::span<const Step> steps, const TimeRequest& request) override {
        if (steps.empty() || request.repeat == 0)
            return Error{ErrorKind::usage, "there is nothing to time", {}, "at least one step and repeat"};
        if (request.flush)
            if (auto ok = prepare_flush(); !ok) return ok.error();
        std::vector<double> out;
        for (std::uint32_t i = request.ahead ? 0 : 1; i <= request.samples; ++i) {
            if (request.flush && i > 0)
                if (auto ok = fill(flush_, static_cast<std::uint8_t>(i), flush_bytes()); !ok) return ok.error();
            // The queue is in order: a sample is from the start of its first kernel to the end of its last.
            Kept first(table()), last(table());
            const std::uint64_t launches = std::uint64_t{request.repeat} * steps.size();
            for (std::uint64_t k = 0; k < launches; ++k) {
                const Step& step = steps[k % steps.size()];
                DeviceEvent* slot = k + 1 == launches ? last.slot() : k == 0 ? first.slot() : nullptr;
                if (auto ok = static_cast<OpenclModule&>(*step.module)
                                  .enqueue(step.kernel, step.config, step.parameters, slot);
                    !ok)
                    return ok.error();
            }
            const Step& end = steps.back();
            auto ok = holder_->wait(last.get(), request.timeout, "kernel '" + end.kernel + "'",
                                    static_cast<OpenclModule&>(*end.module).where());
            if (!ok) return ok.error();
            if (i == 0) continue;  // it runs ahead of the clock
            const Kept& begin = launches == 1 ? last : first;
            out.push_back(
                1e-9 * static_cast<double>(time_of(last, info::profiling_end) - time_of(begin, info::profiling_start)));
        }
        return out;
    }

private:
    /// An event, released by the destructor.
    class Kept {
    public:
        explicit Kept(const OpenclFunctions& table) : table_(table) {}
        Kept(const Kept&) = delete;
        Kept& operator=(const Kept&) = delete;
        ~Kept() {
            if (event_) (void)table_.event_release(event_);
        }
        DeviceEvent* slot() { return &event_; }
        DeviceEvent get() const { return event_; }

    private:
        const OpenclFunctions& table_;
        DeviceEvent event_ = nullptr;
    };

    const OpenclFunctions& table() const { return holder_->table(); }
    std::uint64_t time_of(const Kept& event, Count what) const {
        return value_of<std::uint64_t>(table().event_times, what, event.get());
    }
    static Result<void> done(Status s, const char* what) {
        if (s != status::success) return error_of(s, what);
        return {};
    }
    std::uint64_t flush_bytes() const { return std::max<std::uint64_t>(2 * holder_->info().cache, 1 << 20); }
    Result<void> prepare_flush() {
        if (flush_ != 0) return {};
        auto at = allocate(flush_bytes());
        if (!at) return at.error();
        flush_ = *at;
        return {};
    }

    std::shared_ptr<Holder> holder_;  // modules keep it too
    Address flush_ = 0;               ///< memory whose filling puts other data into the caches
};

}  // namespace

Result<std::vector<OpenclDeviceInfo>> list_opencl() {
    auto driver = machine_loader();
    if (!driver) return std::move(driver).error();
    auto places = find_devices(**driver);
    if (!places) return std::move(places).error();
    std::vector<OpenclDeviceInfo> out;
    for (const PlatformDevice& p : *places) out.push_back(describe(**driver, p, static_cast<int>(out.size())));
    return out;
}

Result<std::unique_ptr<Device>> make_opencl(int ordinal) {
    auto driver = machine_loader();
    if (!driver) return std::move(driver).error();
    auto places = find_devices(**driver);
    if (!places) return std::move(places).error();
    if (ordinal < 0 || static_cast<std::size_t>(ordinal) >= places->size())
        return Error{ErrorKind::no_device,
                     "there is no device 'opencl:" + std::to_string(ordinal) + "'",
                     {},
                     "this machine has " + std::to_string(places->size()) + ", counted from 0"};
    const PlatformDevice& place = (*places)[static_cast<std::size_t>(ordinal)];
    auto holder = Holder::make(*driver, place, describe(**driver, place, ordinal));
    if (!holder) return std::move(holder).error();
    return std::unique_ptr<Device>(std::make_unique<OpenclDevice>(std::move(*holder)));
}

}  // namespace warpwright::device
