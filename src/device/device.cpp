// What a device has not unless it says so.
#include "device/device.hpp"

namespace warpwright::device {

Result<std::array<std::byte, 128>> Device::encode_tensor_map(const TensorMap&) {
    return Error{ErrorKind::limit, "the device '" + name() + "' has no tensor maps", {}, ""};
}

Result<std::vector<double>> Device::time(std::span<const Step>, const TimeRequest&) {
    return Error{ErrorKind::usage, name() + " has no clock: what it takes is no GPU's time", {}, "use --device cuda"};
}

Result<std::unique_ptr<Transfers>> Device::make_transfers(std::uint64_t, bool) {
    return Error{ErrorKind::usage, name() + " has no clock: copies to it take no GPU's time", {}, "use --device cuda"};
}

Result<NativeQueue> Device::native_queue() {
    return Error{ErrorKind::usage, "no library of a GPU's vendor runs on the device '" + name() + "'", {}, "use --device cuda"};
}

Result<std::vector<double>> Device::time_work(const ForeignWork& work, const TimeRequest&) {
    return Error{ErrorKind::usage, "'" + work.name + "' does not run on the device '" + name() + "'", {}, "use --device cuda"};
}

}  // namespace warpwright::device
