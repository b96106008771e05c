// What running captures forbid. A call that breaks a rule is refused, and the captures that it concerns become invalid:
// all work for their streams is refused from then on, and their end gives no graph.
//
// The rules are those of CUDA's documentation (cudaThreadExchangeStreamCaptureMode, cudaStreamBeginCapture): a call
// that may be unsafe is forbidden to a thread by its own captures, unless they or the thread are relaxed, and by global
// captures of other threads, unless the thread's mode is local. What conflicts with a capture of necessity is forbidden
// in every mode: to wait for the device, and to use the legacy stream while a blocking stream is captured, because the
// legacy stream would have to wait for work that is not done.
#pragma once

#include <atomic>

#include "cudart/state/runtime.hpp"
#include "cudart/work/graph/graph.hpp"

namespace warpwright::cudart {

/// What a call is to captures.
enum class Concern {
    none,
    unsafe,  ///< it allocates, frees or asks about work, which a graph would not repeat
    legacy,  ///< it copies in the legacy stream and waits, which is unsafe as well
    device,  ///< it waits for all of the device
};

namespace capture_rules {

/// How many captures run: most programs have none, and no call of theirs is looked at.
extern std::atomic<unsigned> running;
cudaError_t refusal(Concern concern);
cudaError_t refusal(const std::shared_ptr<Stream>& stream);

/// Why the calling thread must not do this now, or cudaSuccess.
inline cudaError_t check(Concern concern) {
    if (concern == Concern::none) return cudaSuccess;
    if (thread_state().in_host_function) return cudaErrorNotPermitted;
    if (running.load(std::memory_order_relaxed) == 0) return cudaSuccess;
    return refusal(concern);
}
/// Why nothing may be queued in this stream now, or cudaSuccess.
inline cudaError_t check(const std::shared_ptr<Stream>& stream) {
    return running.load(std::memory_order_relaxed) == 0 ? cudaSuccess : refusal(stream);
}
/// The question whether the legacy stream is captured has no answer while a blocking stream is.
bool has_blocking_capture();

void begin(const std::shared_ptr<Capture>& capture);
/// Takes all of its streams out of it. By value: the caller may name it by one of the streams.
void end(std::shared_ptr<Capture> capture);
/// Those that began in a stream of the device.
void end_all(unsigned device);
/// Why the stream's capture broke a rule; it is invalid from now on.
cudaError_t break_with(const std::shared_ptr<Stream>& stream, cudaError_t why);

}  // namespace capture_rules
}  // namespace warpwright::cudart
