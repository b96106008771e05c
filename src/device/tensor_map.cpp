// Devices without tensor maps.
#include "device/device.hpp"

namespace warpwright::device {

Result<std::array<std::byte, 128>> Device::encode_tensor_map(const TensorMap&) {
    return Error{ErrorKind::limit, "the device '" + name() + "' has no tensor maps", {}, ""};
}

}  // namespace warpwright::device
