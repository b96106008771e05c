// The functions are looked up in the driver at run time, so that this library links to none. What an older driver lacks
// is left out of the profile, and without the question for captures none is assumed.
#include "cupti/driver.hpp"

#include "support/settings.hpp"
#include "support/shared_library.hpp"

namespace warpwright::cupti {

DriverCalls::DriverCalls() {
    const std::string own = settings::text(Setting::libcuda);
    auto library = SharedLibrary::open(own.empty() ? "libcuda.so.1" : own);
    if (!library) return;
    library->get(is_capturing_, "cuStreamIsCapturing");
    library->get(is_capturing_per_thread_, "cuStreamIsCapturing_ptsz");
    library->get(device_get_, "cuDeviceGet");
    library->get(device_name_, "cuDeviceGetName");
    library->get(function_attribute_, "cuFuncGetAttribute");
    new SharedLibrary(*library);  // kept until the process has ended
}

bool DriverCalls::capturing(void* stream, bool per_thread) const {
    auto* ask = per_thread && is_capturing_per_thread_ ? is_capturing_per_thread_ : is_capturing_;
    int state = 0;  // 0: no capture; 1: one is active; 2: one has failed
    // The legacy stream returns an error while another stream is captured: then nothing may wait either.
    return ask && (ask(stream, &state) != 0 || state != 0);
}

std::string DriverCalls::device_name(int number) const {
    int device = 0;
    char name[256] = "";
    if (!device_get_ || !device_name_ || device_get_(&device, number) != 0 ||
        device_name_(name, sizeof name, device) != 0)
        return "GPU";
    name[sizeof name - 1] = 0;
    return name;
}

void DriverCalls::function_facts(void* function, unsigned& registers, unsigned long long& static_shared) const {
    constexpr int kStaticShared = 1, kRegisters = 4;
    int value = 0;
    if (!function_attribute_ || !function) return;
    if (function_attribute_(&value, kRegisters, function) == 0 && value > 0) registers = static_cast<unsigned>(value);
    if (function_attribute_(&value, kStaticShared, function) == 0 && value > 0)
        static_shared = static_cast<unsigned long long>(value);
}

}  // namespace warpwright::cupti
