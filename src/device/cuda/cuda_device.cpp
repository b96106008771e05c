// This file joins memory, modules, launches, streams and timing to one Device, and opens the machine's driver once per
// process. The monitor of clocks is optional: without it the device works, and says why they are not known.
#include "device/cuda/cuda_device.hpp"

#include "device/cuda/driver.hpp"
#include "device/cuda/flush.hpp"
#include "device/cuda/info.hpp"
#include "device/cuda/launch.hpp"
#include "device/cuda/memory.hpp"
#include "device/cuda/nvml.hpp"
#include "device/cuda/stream.hpp"
#include "device/cuda/tensor_map.hpp"

namespace warpwright::device {
namespace {

/// The machine's driver, opened once. Only a success is kept, because a test, or a driver that becomes available later,
/// may change the result.
Result<std::shared_ptr<const cuda::Driver>> machine_driver() {
    static std::shared_ptr<const cuda::Driver> kept;
    if (!kept) {
        auto driver = cuda::load_driver(cuda::driver_candidates());
        if (!driver) return std::move(driver).error();
        kept = std::make_shared<const cuda::Driver>(std::move(*driver));
    }
    return kept;
}

/// The monitor of one device, or the reason why there is none.
struct Watch {
    std::shared_ptr<const cuda::Nvml> nvml;
    cuda::NvmlDevice device = nullptr;
    std::string missing;

    static Watch of(std::shared_ptr<const cuda::Nvml> given, bool search, const CudaDeviceInfo& info) {
        Watch out;
        out.nvml = std::move(given);
        if (!out.nvml && search) {
            auto found = cuda::Nvml::open(cuda::nvml_candidates());
            if (!found) out.missing = found.error().what;
            if (found) out.nvml = std::move(*found);
        } else if (!out.nvml) {
            out.missing = "there is no NVML";
        }
        if (out.nvml && !(out.device = out.nvml->device(info.bus)))
            out.missing = "NVML does not know " + info.device() + (info.bus.empty() ? "" : " at " + info.bus);
        return out;
    }
};

class CudaDevice final : public Device, public Streams, public Timer, public VendorQueue, public TensorMaps {
public:
    CudaDevice(std::unique_ptr<cuda::ContextHolder> context, std::string cache, Watch watch)
        : context_(std::move(context)), cache_(std::move(cache), ".cubin-entry"), watch_(std::move(watch)) {}

    std::string name() const override { return context_->info().device(); }
    const Limits& limits() const override { return context_->info().limits; }
    DeviceFacts facts() const override {
        const CudaDeviceInfo& info = context_->info();
        DeviceFacts out{
            info.name,     cuda::version_text(info.driver_version), info.l2, info.clock / 1e6, info.memory_clock / 1e6,
            watch_.missing};
        if (watch_.nvml)
            if (const std::string version = watch_.nvml->driver_version(); !version.empty())
                out.driver += ", driver " + version;
        return out;
    }
    std::optional<DeviceState> state() const override {
        if (!watch_.device) return std::nullopt;
        return watch_.nvml->state(watch_.device);
    }

    Result<Address> allocate(std::uint64_t bytes) override { return cuda::allocate(*context_, bytes); }
    Result<void> release(Address a) override { return cuda::release(*context_, a); }
    Result<void> write(Address to, std::span<const std::byte> from) override {
        return cuda::write(*context_, to, from);
    }
    Result<void> read(std::span<std::byte> to, Address from) override { return cuda::read(*context_, to, from); }
    Result<void> fill(Address to, std::uint8_t value, std::uint64_t bytes) override {
        return cuda::fill(*context_, to, value, bytes);
    }
    Result<void> copy(Address to, Address from, std::uint64_t bytes) override {
        return cuda::copy(*context_, to, from, bytes);
    }
    Streams& streams() override { return *this; }
    Timer* timer() override { return this; }
    VendorQueue* vendor_queue() override { return this; }
    TensorMaps* tensor_maps() override { return this; }

    Result<std::unique_ptr<Stream>> make_stream_as(StreamKind kind) override {
        return cuda::make_stream(context_, kind);
    }
    Result<std::unique_ptr<Event>> make_event() override { return cuda::make_event(context_); }
    Result<std::unique_ptr<HostMemory>> allocate_host(std::uint64_t bytes) override {
        return cuda::allocate_host(context_, bytes);
    }

    Result<std::shared_ptr<Module>> load(std::string name, std::string ptx) override {
        auto module = cuda::CudaModule::load(context_, cache_, std::move(name), std::move(ptx));
        if (!module) return std::move(module).error();
        return std::shared_ptr<Module>(std::move(*module));
    }

    Result<LaunchResult> launch(Module& module, const std::string& kernel, const LaunchConfig& config,
                                std::span<const std::byte> parameters, const LaunchOptions& options) override {
        return cuda::launch(static_cast<cuda::CudaModule&>(module), kernel, config, parameters, options);
    }

    Result<std::array<std::byte, 128>> encode_tensor_map(const TensorMap& map) override {
        return cuda::encode_tensor_map(*context_, map);
    }

    Result<std::vector<double>> time(std::span<const Step> steps, const TimeRequest& request) override {
        return once(cuda::timed_steps(*context_, flush_, steps, request), request);
    }
    Result<NativeQueue> native_queue() override {
        if (auto ok = context_->use(); !ok) return std::move(ok).error();
        return NativeQueue{context_->handle(), context_->stream()};
    }
    Result<std::vector<double>> time_work(const ForeignWork& work, const TimeRequest& request) override {
        return once(cuda::timed_work(*context_, flush_, work, request), request);
    }
    Result<std::unique_ptr<TimedWork>> make_timed(std::vector<Step> steps, const TimeRequest& request) override {
        return cuda::timed_steps(*context_, flush_, steps, request);
    }
    Result<std::unique_ptr<TimedWork>> make_timed_work(ForeignWork work, const TimeRequest& request) override {
        return cuda::timed_work(*context_, flush_, std::move(work), request);
    }

private:
    static Result<std::vector<double>> once(Result<std::unique_ptr<TimedWork>> work, const TimeRequest& request) {
        if (!work) return std::move(work).error();
        return (*work)->time(request.samples, request.ahead);
    }

    std::shared_ptr<cuda::ContextHolder> context_;  // modules keep it too
    DiskCache cache_;
    Watch watch_;
    cuda::CacheFlush flush_{context_, cache_};
};

}  // namespace

Result<std::vector<CudaDeviceInfo>> list_cuda(std::shared_ptr<const cuda::Driver> driver) {
    if (!driver) {
        auto found = machine_driver();
        if (!found) return std::move(found).error();
        driver = *found;
    }
    auto count = cuda::count_devices(*driver);
    if (!count) return std::move(count).error();
    std::vector<CudaDeviceInfo> out;
    for (int i = 0; i < *count; ++i) {
        auto info = cuda::describe_device(*driver, i);
        if (!info) return std::move(info).error();
        out.push_back(std::move(*info));
    }
    return out;
}

Result<std::unique_ptr<Device>> make_cuda(const CudaOptions& options) {
    std::shared_ptr<const cuda::Driver> driver = options.driver;
    if (!driver) {
        auto found = machine_driver();
        if (!found) return std::move(found).error();
        driver = *found;
    }
    auto info = cuda::describe_device(*driver, options.ordinal);
    if (!info) return std::move(info).error();
    auto watch = Watch::of(options.nvml, options.driver == nullptr, *info);
    auto context = cuda::ContextHolder::make(driver, std::move(*info));
    if (!context) return std::move(context).error();
    return std::unique_ptr<Device>(
        std::make_unique<CudaDevice>(std::move(*context), options.cache_directory, std::move(watch)));
}

}  // namespace warpwright::device
