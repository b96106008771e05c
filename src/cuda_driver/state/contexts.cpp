// The tables are never destroyed, because a program may call the driver from its exit handlers. Whenever the current
// context changes, the runtime library's device of the thread changes with it.
#include "cuda_driver/state/contexts.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "cudart/state/chosen_device.hpp"
#include "cudart/state/driver_start.hpp"
#include "cudart/state/runtime.hpp"

namespace warpwright::cuda_driver {
namespace {

struct Table {
    std::mutex mutex;
    std::vector<std::unique_ptr<Context>> primary, created;
    /// Those that were destroyed last: a call of another thread may have found one before.
    std::deque<std::unique_ptr<Context>> gone;
    unsigned long long next_id = 1;
};

Table& table() {
    static auto* all = new Table;
    return *all;
}

/// Handles, because another thread may destroy a context that is on this stack. A thread's objects are destroyed before
/// the handlers of exit() run, which may call the driver: this one lasts.
std::vector<CUcontext>& stack() {
    thread_local std::vector<CUcontext>* all = nullptr;
    if (!all) all = new std::vector<CUcontext>;
    return *all;
}

/// The runtime's functions of this thread use the device of its context.
void follow(const Context* context) {
    if (context) cudart::thread_state().device = context->device;
}

}  // namespace

bool no_device(CUdevice device) { return cudart::Runtime::get().no_device(device); }

Context* find_context(CUcontext handle) {
    auto& t = table();
    std::lock_guard lock(t.mutex);
    for (auto* list : {&t.primary, &t.created})
        for (const auto& c : *list)
            if (c && handle_of(c.get()) == handle) return c.get();
    return nullptr;
}

Context* primary(CUdevice device) {
    auto& t = table();
    std::lock_guard lock(t.mutex);
    const auto k = static_cast<std::size_t>(device);
    if (t.primary.size() <= k) t.primary.resize(k + 1);
    if (!t.primary[k]) t.primary[k].reset(new Context{device, 0, true, 0, t.next_id++});
    return t.primary[k].get();
}

Context* create_context(CUdevice device, unsigned flags) {
    auto& t = table();
    std::lock_guard lock(t.mutex);
    t.created.emplace_back(new Context{device, flags, false, 1, t.next_id++});
    return t.created.back().get();
}

bool destroy_context(CUcontext handle) {
    auto& t = table();
    std::lock_guard lock(t.mutex);
    constexpr std::size_t kMostGone = 256;
    const auto found =
        std::find_if(t.created.begin(), t.created.end(), [&](const auto& c) { return handle_of(c.get()) == handle; });
    if (found == t.created.end()) return false;
    t.gone.push_back(std::move(*found));
    t.created.erase(found);
    if (t.gone.size() > kMostGone) t.gone.pop_front();
    return true;
}

namespace {

/// Puts the primary context of the device that cudaSetDevice has chosen in the place of another device's on the stack.
void follow_runtime() {
    const int device = std::exchange(cudart::chosen_device(), -1);
    if (device < 0 || stack().empty()) return;
    const auto* top = find_context(stack().back());
    if (!top || top->device != device) stack().back() = handle_of(primary(device));
}

}  // namespace

Context* current() {
    follow_runtime();
    if (!stack().empty()) return find_context(stack().back());
    const auto& thread = cudart::thread_state();
    return thread.uses_device ? primary(thread.device) : nullptr;
}

void push(Context* context) {
    follow_runtime();
    stack().push_back(handle_of(context));
    follow(context);
}

void set_current(Context* context) {
    follow_runtime();
    if (!stack().empty()) stack().pop_back();
    if (context)
        push(context);
    else
        cudart::thread_state().uses_device = false;
}

Context* pop() {
    follow_runtime();
    if (stack().empty()) {
        // The runtime's own context is current without having been pushed.
        auto* top = current();
        cudart::thread_state().uses_device = false;
        return top;
    }
    auto* top = find_context(stack().back());
    stack().pop_back();
    follow(current());
    return top;
}

bool initialized() { return cudart::driver_started() || cudart::Runtime::get().started(); }

}  // namespace warpwright::cuda_driver
