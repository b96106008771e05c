#include "device/timeline/timeline.hpp"

#include <algorithm>

namespace warpwright::device {

std::size_t Timeline::add_stream(StreamKind kind) {
    streams_.push_back({kind, 0});
    return streams_.size() - 1;
}

// The legacy default stream waits for all blocking streams, and they for it. Two of it are one and the same.
double Timeline::ready(std::size_t stream) const {
    const Queue& mine = streams_[stream];
    double out = std::max(host_, mine.tail);
    for (const Queue& other : streams_) {
        const bool wait = mine.kind == StreamKind::legacy_default
                              ? other.kind != StreamKind::independent
                              : mine.kind == StreamKind::blocking && other.kind == StreamKind::legacy_default;
        if (wait) out = std::max(out, other.tail);
    }
    return out;
}

double Timeline::place(Engine& engine, double ready, double seconds, double share) const {
    // With one hardware queue what was issued later begins no earlier; of work that does not share, not before its end.
    double begin = ready;
    if (model_.hardware_queues <= 1) begin = std::max(begin, engine.last_begin);
    // The earliest gap: candidates are the moment it is ready and each end of other work.
    std::vector<double> candidates{begin};
    for (const auto& u : engine.uses)
        if (u.end > begin) candidates.push_back(u.end);
    std::sort(candidates.begin(), candidates.end());
    constexpr double kFull = 1 + 1e-9;
    const auto fits = [&](double at) {
        // The sum of shares changes only where some use begins.
        std::vector<double> moments{at};
        for (const auto& u : engine.uses)
            if (u.begin > at && u.begin < at + seconds) moments.push_back(u.begin);
        for (double m : moments) {
            double sum = share;
            for (const auto& u : engine.uses)
                if (u.begin <= m && m < u.end) sum += u.share;
            if (sum > kFull) return false;
        }
        return true;
    };
    for (double at : candidates)
        if (fits(at)) {
            begin = at;
            break;
        }
    engine.uses.push_back({begin, begin + seconds, share});
    engine.last_begin = begin;
    return begin + seconds;
}

void Timeline::done(std::size_t stream, double end) { streams_[stream].tail = std::max(streams_[stream].tail, end); }

void Timeline::copy(std::size_t stream, CopyKind kind, std::uint64_t bytes, bool pageable) {
    host_ += model_.call;
    const auto time = [&](double rate) { return rate > 0 ? static_cast<double>(bytes) / rate : 0.0; };
    if (kind == CopyKind::on_device || kind == CopyKind::fill) {
        done(stream, place(compute_, ready(stream), time(model_.memory) * (kind == CopyKind::on_device ? 2 : 1), 1));
        return;
    }
    const bool up = kind == CopyKind::to_device;
    double rate = up ? model_.to_device : model_.to_host;
    if (const double slower = up ? model_.pageable_to_device : model_.pageable_to_host; pageable && slower > 0)
        rate = slower;
    Engine& engine = up || model_.copy_engines < 2 ? up_ : down_;
    const double end = place(engine, ready(stream), model_.latency + time(rate), 1);
    done(stream, end);
    // The driver stages ordinary memory through a pinned buffer of its own, and the host stays with it till the end.
    if (pageable) host_ = std::max(host_, end);
}

void Timeline::kernel(std::size_t stream, const KernelTime& time) {
    host_ += model_.call;
    done(stream, place(compute_, ready(stream), time.seconds, std::clamp(time.share, 1e-6, 1.0)));
}

double Timeline::mark(std::size_t stream) { return ready(stream); }

void Timeline::hold(std::size_t stream, double until) { done(stream, until); }

}  // namespace warpwright::device
