// Callbacks run on the thread of the call, without a lock of ours, so that they may call CUPTI themselves.
#include "libraries/cupti/subscriber.hpp"

#include <algorithm>
#include <string_view>

#include "cudart/registry/registry.hpp"
#include "cudart/state/names.hpp"
#include "cudart/state/runtime.hpp"
#include "libraries/cupti/activity.hpp"

namespace warpwright::libraries::cupti {
namespace {

char contexts[device::kMostDevices];

/// The kernel of a launch, of which the function is the first parameter, or the one behind the configuration.
const char* kernel_of(std::string_view function, const void* parameters) {
    constexpr std::string_view kFirst[] = {"cuLaunchKernel", "cuLaunchCooperativeKernel", "cudaLaunchKernel",
                                           "cudaLaunchCooperativeKernel"};
    constexpr std::string_view kSecond[] = {"cuLaunchKernelEx", "cudaLaunchKernelExC"};
    const bool second = std::ranges::find(kSecond, function) != std::end(kSecond);
    if (!parameters || (!second && std::ranges::find(kFirst, function) == std::end(kFirst))) return nullptr;
    const auto* const words = static_cast<const void* const*>(parameters);
    const auto* kernel = cudart::Registry::get().kernel(words[second]);
    return kernel ? kernel->name.c_str() : nullptr;
}

}  // namespace

void* context_of(unsigned device) { return &contexts[device]; }
unsigned device_of(const void* context) {
    const auto* at = static_cast<const char*>(context);
    if (at >= contexts && at < contexts + sizeof contexts) return static_cast<unsigned>(at - contexts);
    return cudart::current_device();
}

Subscriber& Subscriber::get() {
    static auto* subscriber = new Subscriber;
    return *subscriber;
}

bool Subscriber::is_there() {
    const std::lock_guard lock(mutex_);
    return callback_ != nullptr;
}

bool Subscriber::begin(Callback callback, void* user) {
    const std::lock_guard lock(mutex_);
    if (callback_) return false;
    callback_ = callback, user_ = user;
    return true;
}

void Subscriber::end() {
    {
        const std::lock_guard lock(mutex_);
        callback_ = nullptr;
        for (auto& functions : functions_) functions.reset();
    }
    tell_wanted();
}

void Subscriber::enable(std::uint32_t domain, std::uint32_t id, bool on) {
    {
        const std::lock_guard lock(mutex_);
        functions_[domain][id] = on;
    }
    tell_wanted();
}

void Subscriber::enable_domain(std::uint32_t domain, bool on) {
    {
        const std::lock_guard lock(mutex_);
        on ? functions_[domain].set() : functions_[domain].reset();
    }
    tell_wanted();
}

bool Subscriber::enabled(std::uint32_t domain, std::uint32_t id) {
    const std::lock_guard lock(mutex_);
    return functions_[domain][id];
}

void Subscriber::tell_wanted() {
    {
        const std::lock_guard lock(mutex_);
        wanted_ = callback_ && (functions_[kDriverApi].any() || functions_[kRuntimeApi].any());
    }
    listen();
}

void Subscriber::tell(cudart::activity::ApiCall& call, bool ends) {
    if (!wanted_) return;
    const auto id = callback_of(call.number);
    if (!id.by_name) return;  // who is told of a launch reads its parameters
    Callback callback = nullptr;
    void* user = nullptr;
    {
        const std::lock_guard lock(mutex_);
        if (id.number == 0 || !functions_[id.domain][id.number]) return;
        callback = callback_, user = user_;
    }
    if (!callback) return;
    const char* const name = cudart::api_name(call.number);
    CallbackData data{};
    data.site = ends;
    data.function = name;
    data.parameters = call.parameters;
    data.result = call.result;
    data.symbol = kernel_of(name, call.parameters);
    const unsigned device = cudart::current_device();
    data.context = context_of(device), data.context_id = device + 1;
    data.correlation_data = &call.data, data.correlation = call.correlation;
    callback(user, id.domain, id.number, &data);
}

}  // namespace warpwright::libraries::cupti
