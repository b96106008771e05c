// The driver's own copy within device memory: what moving bytes takes when nothing else is done.
#include "vendor/open.hpp"

namespace warpwright::vendor {
namespace {

using CopyAsync = int(device::Address to, device::Address from, std::size_t bytes, void* stream);

class DriverCopy : public Library {
public:
    DriverCopy(device::Device& device, SharedLibrary library, CopyAsync* copy)
        : device_(device), library_(std::move(library)), copy_(copy) {}
    std::string title() const override { return "the driver's memcpy"; }

    Result<Comparator> copy(const Copy& c) override {
        auto queue = device_.native_queue();
        if (!queue) return std::move(queue).error();
        auto enqueue = [copy = copy_, c, stream = queue->stream]() -> Result<void> {
            if (c.bytes == 0) return {};
            if (int s = copy(c.to, c.from, c.bytes, stream); s != 0)
                return Error{ErrorKind::internal, "cuMemcpyDtoDAsync: CUDA error " + std::to_string(s), {}, ""};
            return {};
        };
        return Comparator{{"cuMemcpyDtoDAsync", std::move(enqueue)}, "the driver's memcpy", "cuMemcpyDtoDAsync"};
    }

private:
    device::Device& device_;
    SharedLibrary library_;
    CopyAsync* copy_;
};

}  // namespace

Result<std::unique_ptr<Library>> open_copy(device::Device& device, const std::vector<std::string>& driver_files) {
    auto queue = device.native_queue();
    if (!queue) return std::move(queue).error();
    auto library = SharedLibrary::open_first(driver_files);
    if (!library) return std::move(library).error();
    CopyAsync* copy = nullptr;
    if (!library->get(copy, "cuMemcpyDtoDAsync_v2"))
        return Error{ErrorKind::no_device, "the driver " + library->path() + " lacks cuMemcpyDtoDAsync_v2", {}, ""};
    return std::unique_ptr<Library>(std::make_unique<DriverCopy>(device, std::move(*library), copy));
}

}  // namespace warpwright::vendor
