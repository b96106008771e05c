// Old lines are dropped beyond a number of bytes, and their count goes on, so that a reader learns what it has missed.
// Listeners are called without the lock, because they may read the log.
#include "cudart/state/message_log.hpp"

#include <algorithm>

namespace warpwright::cudart {
namespace {

/// As much as the driver keeps, by its documentation.
constexpr std::size_t kBytes = 25600;
constexpr int kErrorLevel = 0;

}  // namespace

MessageLog& MessageLog::get() {
    static auto* log = new MessageLog;
    return *log;
}

void MessageLog::add(const std::string& line) {
    std::vector<Entry> listeners;
    {
        std::lock_guard lock(mutex_);
        lines_.push_back(line);
        bytes_ += line.size() + 1;
        while (bytes_ > kBytes && lines_.size() > 1) {
            bytes_ -= lines_.front().size() + 1;
            lines_.pop_front(), ++first_;
        }
        listeners.assign(listeners_.begin(), listeners_.end());
    }
    // Without the lock: a listener may ask for the log.
    for (const auto& l : listeners) {
        std::string own = line;
        l.listener(l.data, kErrorLevel, own.data(), own.size());
    }
}

const MessageLog::Entry* MessageLog::listen(Listener listener, void* data) {
    std::lock_guard lock(mutex_);
    return &listeners_.emplace_back(Entry{listener, data});
}

bool MessageLog::leave(const Entry* entry) {
    std::lock_guard lock(mutex_);
    return listeners_.remove_if([&](const Entry& e) { return &e == entry; }) > 0;
}

std::uint32_t MessageLog::next() const {
    std::lock_guard lock(mutex_);
    return first_ + static_cast<std::uint32_t>(lines_.size());
}

MessageLog::Part MessageLog::since(std::uint32_t number) const {
    std::lock_guard lock(mutex_);
    Part part;
    part.lost = number < first_;
    part.next = first_ + static_cast<std::uint32_t>(lines_.size());
    for (std::size_t k = part.lost ? 0 : number - first_; k < lines_.size(); ++k) part.lines.push_back(lines_[k]);
    return part;
}

}  // namespace warpwright::cudart
