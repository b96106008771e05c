// Work that may not end: another thread runs it, and the caller waits for a limited time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace warpwright::ladder {

/// The result of `work`; nothing if it has not ended within `limit` (0 = none: it runs on this thread). It then
/// continues on its own thread, which cannot be stopped: everything it uses must stay. `more` is asked once, at the
/// limit, how much longer to wait.
template <class T>
std::optional<T> within(std::chrono::milliseconds limit, std::function<T()> work,
                        const std::function<std::chrono::milliseconds()>& more = {}) {
    if (limit.count() == 0) return work();
    struct State {
        std::mutex mutex;
        std::condition_variable done;
        std::optional<T> result;
    };
    auto state = std::make_shared<State>();
    std::thread([state, work = std::move(work)] {
        T result = work();
        std::lock_guard lock(state->mutex);
        state->result.emplace(std::move(result));
        state->done.notify_all();
    }).detach();
    std::unique_lock lock(state->mutex);
    const auto done = [&] { return state->result.has_value(); };
    if (!state->done.wait_for(lock, limit, done))
        if (!more || !state->done.wait_for(lock, more(), done)) return std::nullopt;
    return std::move(state->result);
}

}  // namespace warpwright::ladder
