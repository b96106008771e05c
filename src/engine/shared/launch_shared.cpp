// What the host threads of a launch tell each other: the first error, the end, and what the kernel printed.
#include "engine/shared/check_state.hpp"
#include "engine/shared/executor.hpp"

#include <utility>

namespace warpwright::engine {

void LaunchShared::fail(Error e) { fail(std::move(e), record::FindingKind::fault); }

Executor*& executor_here() {
    static thread_local Executor* here = nullptr;
    return here;
}

void LaunchShared::fail(Error e, record::FindingKind kind) {
    std::lock_guard lock(mutex);
    auto* here = executor_here();
    if (side_by_side && !stop && here && &here->launch == this && here->current) {
        here->failed = true;
        if (here->current->number >= failed) return;
        failed = here->current->number;
        error = std::move(e);
        return;
    }
    if (check && !error) {
        record::Finding found = record::finding_of(kind);
        found.kernel = check->kernel;
        found.cause = e.cause;
        found.message = e.what;
        found.at.file = e.where.file, found.at.line = e.where.line, found.at.column = e.where.column;
        if (!e.hint.empty()) found.advice = e.hint;
        check->collector->add(std::move(found));
    }
    if (!error) error = std::move(e);
    stop = 1;
}

void LaunchShared::tell_where(std::string text) {
    std::lock_guard lock(mutex);
    asked_where = false;
    if (where_now.empty()) where_now = std::move(text);
}

std::string LaunchShared::take_where() {
    std::lock_guard lock(mutex);
    return std::exchange(where_now, {});
}

void LaunchShared::print(const std::string& text) {
    static const std::string kCut = "\n(the launch has printed 64 MiB; what follows is left out)\n";
    std::lock_guard lock(mutex);
    if (output.size() >= kMostOutput) return;
    output.append(text, 0, kMostOutput - output.size());
    if (output.size() == kMostOutput) output += kCut;
}

bool wait_for_order(BlockContext* c) {
    auto& executor = *c->executor;
    if (executor.in_order) return true;
    executor.in_order = executor.launch.order->wait(executor.current->number, executor.launch.stop.value);
    return executor.in_order;
}

void LaunchShared::fail_with(Error e) {
    std::lock_guard lock(mutex);
    if (!error) error = std::move(e);
    stop = 1;
}

}  // namespace warpwright::engine
