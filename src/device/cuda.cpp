#include "device/cuda.hpp"

#include "device/cuda_driver.hpp"
#include "device/cuda_info.hpp"
#include "device/cuda_launch.hpp"
#include "device/cuda_memory.hpp"
#include "device/cuda_tensor_map.hpp"

namespace warpwright::device {
namespace {

/// The machine's driver, opened once. Only a success is kept: a test, or a driver that comes up later, may change things.
Result<std::shared_ptr<const cuda::Driver>> machine_driver() {
    static std::shared_ptr<const cuda::Driver> kept;
    if (!kept) {
        auto driver = cuda::load_driver(cuda::driver_candidates());
        if (!driver) return std::move(driver).error();
        kept = std::make_shared<const cuda::Driver>(std::move(*driver));
    }
    return kept;
}

class CudaDevice final : public Device {
public:
    CudaDevice(std::unique_ptr<cuda::ContextHolder> context, std::string cache)
        : context_(std::move(context)), cache_(std::move(cache), ".cubin-entry") {}

    std::string name() const override { return context_->info().device(); }
    const Limits& limits() const override { return context_->info().limits; }

    Result<Address> allocate(std::uint64_t bytes) override { return cuda::allocate(*context_, bytes); }
    Result<void> release(Address a) override { return cuda::release(*context_, a); }
    Result<void> write(Address to, std::span<const std::byte> from) override { return cuda::write(*context_, to, from); }
    Result<void> read(std::span<std::byte> to, Address from) override { return cuda::read(*context_, to, from); }
    Result<void> fill(Address to, std::uint8_t value, std::uint64_t bytes) override {
        return cuda::fill(*context_, to, value, bytes);
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

    bool has_clock() const override { return true; }
    Result<std::vector<double>> time(std::span<const Step> steps, const TimeRequest& request) override {
        return cuda::time_steps(*context_, steps, request);
    }
    Result<NativeQueue> native_queue() override {
        if (auto ok = context_->use(); !ok) return std::move(ok).error();
        return NativeQueue{context_->handle(), context_->stream()};
    }
    Result<std::vector<double>> time_work(const ForeignWork& work, const TimeRequest& request) override {
        return cuda::time_work(*context_, work, request);
    }

private:
    std::shared_ptr<cuda::ContextHolder> context_;  // modules keep it too
    DiskCache cache_;
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
    auto context = cuda::ContextHolder::make(driver, std::move(*info));
    if (!context) return std::move(context).error();
    return std::unique_ptr<Device>(std::make_unique<CudaDevice>(std::move(*context), options.cache_directory));
}

}  // namespace warpwright::device
