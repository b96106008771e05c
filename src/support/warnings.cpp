// Keeps warnings until a program listens, and gives each text once: a kernel that is launched in a loop would repeat
// it.
#include "support/warnings.hpp"

#include <mutex>
#include <set>
#include <utility>
#include <vector>

namespace warpwright {
namespace {

struct State {
    std::mutex mutex;
    std::set<std::string> said;
    std::vector<std::string> waiting;
    std::function<void(const std::string&)> listener;
};

/// Never destroyed: threads may warn until the process has ended.
State& state() {
    static auto* kept = new State;
    return *kept;
}

}  // namespace

void warn(const std::string& text) {
    State& s = state();
    std::lock_guard lock(s.mutex);
    if (s.said.size() > 1000 || !s.said.insert(text).second) return;
    if (s.listener)
        s.listener(text);
    else
        s.waiting.push_back(text);
}

void on_warning(std::function<void(const std::string&)> listener) {
    State& s = state();
    std::lock_guard lock(s.mutex);
    s.listener = std::move(listener);
    if (!s.listener) return;
    for (const std::string& text : std::exchange(s.waiting, {})) s.listener(text);
}

}  // namespace warpwright
