// Running captures are kept in one list, because the rules concern captures of other threads too. A counter of them
// lets the usual call, with no capture anywhere, return without a lock.
#include "cudart/work/graph/capture_rules.hpp"

#include <algorithm>
#include <mutex>
#include <thread>

#include "cudart/state/runtime.hpp"

namespace warpwright::cudart::capture_rules {

std::atomic<unsigned> running{0};

namespace {

std::mutex mutex;
std::vector<std::shared_ptr<Capture>>& all() {
    static auto* captures = new std::vector<std::shared_ptr<Capture>>;
    return *captures;
}

bool has_blocking(const Capture& capture) {
    return std::any_of(capture.streams.begin(), capture.streams.end(), [](const auto& s) { return s->blocking(); });
}

/// Makes those captures invalid for which `which` holds; whether there are any.
template <class F>
bool invalidate(F which) {
    std::lock_guard lock(mutex);
    bool any = false;
    for (const auto& c : all())
        if (which(*c)) c->invalid = any = true;
    return any;
}

bool unsafe_now() {
    const auto mode = thread_state().capture_mode;
    if (mode == cudaStreamCaptureModeRelaxed) return false;
    return invalidate([&](const Capture& c) {
        if (c.thread == std::this_thread::get_id()) return c.mode != cudaStreamCaptureModeRelaxed;
        return mode == cudaStreamCaptureModeGlobal && c.mode == cudaStreamCaptureModeGlobal;
    });
}

}  // namespace

cudaError_t refusal(Concern concern) {
    if (concern == Concern::device)
        return invalidate([](const Capture&) { return true; }) ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
    // With the thread's own stream as stream 0, these copies do not use the legacy stream.
    if (concern == Concern::legacy && !thread_state().per_thread_stream && invalidate(has_blocking))
        return cudaErrorStreamCaptureImplicit;
    return unsafe_now() ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

cudaError_t refusal(const std::shared_ptr<Stream>& stream) {
    if (const auto capture = stream->capture.get())
        return capture->invalid ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
    return stream->legacy && invalidate(has_blocking) ? cudaErrorStreamCaptureImplicit : cudaSuccess;
}

bool has_blocking_capture() {
    std::lock_guard lock(mutex);
    return std::any_of(all().begin(), all().end(), [](const auto& c) { return has_blocking(*c); });
}

void begin(const std::shared_ptr<Capture>& capture) {
    std::lock_guard lock(mutex);
    capture->thread = std::this_thread::get_id();
    all().push_back(capture);
    ++running;
}

void end(std::shared_ptr<Capture> capture) {
    std::lock_guard lock(mutex);
    for (const auto& s : capture->streams) s->capture.set(nullptr);
    const auto found = std::find(all().begin(), all().end(), capture);
    if (found == all().end()) return;
    all().erase(found);
    --running;
}

void end_all(unsigned device) {
    std::lock_guard lock(mutex);
    std::erase_if(all(), [&](const auto& c) {
        if (c->origin->device != device) return false;
        for (const auto& s : c->streams) s->capture.set(nullptr);
        return true;
    });
    running = static_cast<unsigned>(all().size());
}

cudaError_t break_with(const std::shared_ptr<Stream>& stream, cudaError_t why) {
    if (const auto capture = stream->capture.get()) capture->invalid = true;
    return why;
}

}  // namespace warpwright::cudart::capture_rules
