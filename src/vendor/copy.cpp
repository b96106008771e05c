// The driver's own copy within device memory: the time to move bytes when nothing else is done.
#include <algorithm>

#include "vendor/fastest.hpp"
#include "vendor/open.hpp"

namespace warpwright::vendor {
namespace {

using CopyAsync = int(device::Address to, device::Address from, std::size_t bytes, void* stream);

class DriverCopy : public Library {
public:
    DriverCopy(device::VendorQueue& queue, SharedLibrary library, CopyAsync* copy, std::uint64_t piece)
        : queue_(queue), library_(std::move(library)), copy_(copy), piece_(piece) {}
    std::string title() const override { return "the driver's memcpy"; }

    Result<Comparator> copy(const Copy& c, const Operands& at) override {
        auto queue = queue_.native_queue();
        if (!queue) return std::move(queue).error();
        const auto work_of = [copy = copy_, c, stream = queue->stream](std::uint64_t piece, const Operands& at) {
            auto enqueue = [copy, c, stream, piece, at]() -> Result<void> {
                for (std::uint64_t from = 0; from < c.bytes; from += piece)
                    if (int s = copy(at.out + from, at.a + from, std::min(piece, c.bytes - from), stream); s != 0)
                        return Error{ErrorKind::internal, "cuMemcpyDtoDAsync: CUDA error " + std::to_string(s), {}, ""};
                return {};
            };
            return device::ForeignWork{"cuMemcpyDtoDAsync", std::move(enqueue)};
        };
        // On an H200 (driver 580.159) one copy of 1 GiB runs at 2.7 TB/s, one of 256 MiB at 4.2: the faster way is
        // used.
        std::uint64_t piece = std::max<std::uint64_t>(c.bytes, 1);
        if (c.bytes > piece_) {
            const device::ForeignWork ways[] = {work_of(piece, at), work_of(piece_, at)};
            auto best = fastest(queue_, ways, {});
            if (!best) return std::move(best).error();
            if (*best == 1) piece = piece_;
        }
        auto work = [work_of, piece](const Operands& at) -> Result<device::ForeignWork> { return work_of(piece, at); };
        const std::string in_pieces = piece < c.bytes ? ", in pieces of " + std::to_string(piece >> 20) + " MiB" : "";
        return Comparator{std::move(work), "the driver's memcpy", "cuMemcpyDtoDAsync" + in_pieces};
    }

private:
    device::VendorQueue& queue_;
    SharedLibrary library_;
    CopyAsync* copy_;
    std::uint64_t piece_;
};

}  // namespace

Result<std::unique_ptr<Library>> open_copy(device::Device& device, const std::vector<std::string>& driver_files,
                                           std::uint64_t piece) {
    auto queue = device.need(&device::Device::vendor_queue);
    if (!queue) return std::move(queue).error();
    if (auto native = (*queue)->native_queue(); !native) return std::move(native).error();
    auto library = SharedLibrary::open_first(driver_files);
    if (!library) return std::move(library).error();
    CopyAsync* copy = nullptr;
    if (!library->get(copy, "cuMemcpyDtoDAsync_v2"))
        return Error{ErrorKind::no_device, "the driver " + library->path() + " lacks cuMemcpyDtoDAsync_v2", {}, ""};
    return std::unique_ptr<Library>(std::make_unique<DriverCopy>(**queue, std::move(*library), copy, piece));
}

}  // namespace warpwright::vendor
