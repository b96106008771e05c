// A routine of the host's is called after its arguments were looked at as a kernel's accesses are.
#include "libraries/common/touched.hpp"

#include <sstream>

#include "cudart/state/runtime.hpp"
#include "device/device.hpp"

namespace warpwright::libraries {

void tell_wrong_value(const std::string& who, const std::string& what) {
    auto& runtime = cudart::Runtime::get();
    runtime.say(who + ": " + what);
    runtime.stick(cudaErrorIllegalAddress);
}

namespace {

std::string what_is_wrong(const Touched& part) {
    if (part.at == nullptr) return std::string(part.name) + " is null";
    std::ostringstream out;
    out << part.name << " has " << part.bytes << " bytes from 0x" << std::hex
        << reinterpret_cast<std::uint64_t>(part.at) << " on, which are not all memory of the device's"
        << (part.written ? " that may be written" : "");
    return out.str();
}

}  // namespace

bool may_touch(const std::string& who, std::span<const Touched> parts) {
    auto* sharing = cudart::Runtime::get().device()->host_sharing();
    for (const Touched& part : parts) {
        const auto at = reinterpret_cast<std::uint64_t>(part.at);
        if (part.bytes == 0 || sharing->reaches(at, part.bytes, part.written)) continue;
        tell_wrong_value(who, what_is_wrong(part));
        return false;
    }
    return true;
}

}  // namespace warpwright::libraries
