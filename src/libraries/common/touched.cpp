#include "libraries/common/touched.hpp"

#include <fmt/format.h>

#include "cudart/state/runtime.hpp"
#include "device/device.hpp"

namespace warpwright::libraries {

void tell_wrong_value(const std::string& who, const std::string& what) {
    auto& runtime = cudart::Runtime::get();
    runtime.say(who + ": " + what);
    runtime.stick(cudaErrorIllegalAddress);
}

bool may_touch(const std::string& who, std::span<const Touched> parts) {
    auto* sharing = cudart::Runtime::get().device()->host_sharing();
    for (const Touched& part : parts) {
        const auto at = reinterpret_cast<std::uint64_t>(part.at);
        if (part.bytes == 0 || sharing->reaches(at, part.bytes, part.written)) continue;
        tell_wrong_value(who,
                         part.at == nullptr
                             ? fmt::format("{} is null", part.name)
                             : fmt::format("{} has {} bytes from 0x{:x} on, which are not all memory of the device's{}",
                                           part.name, part.bytes, at, part.written ? " that may be written" : ""));
        return false;
    }
    return true;
}

}  // namespace warpwright::libraries
