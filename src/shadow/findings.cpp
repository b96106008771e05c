#include "shadow/findings.hpp"

#include <algorithm>
#include <tuple>

namespace warpwright::shadow {

using record::Finding;

std::size_t Collector::put(Finding f) {
    const auto place = [](const record::FindingPlace& p) { return p.file + ":" + std::to_string(p.line); };
    auto a = place(f.at), b = f.other ? place(*f.other) : std::string();
    // A race is the same whichever access came first.
    if (f.other && b < a) std::swap(a, b);
    auto key = std::to_string(static_cast<int>(f.kind)) + "|" + f.kernel + "|" + a + "|" + b + "|" + f.space;
    // A line may miss several arrays.
    if (f.array) key += "|" + f.array->name;
    if (f.at.line == 0) key += "|" + f.message;
    const auto found = by_text_.find(key);
    if (found != by_text_.end()) {
        findings_[found->second].count += f.count;
        return found->second;
    }
    findings_.push_back(std::move(f));
    by_text_.emplace(std::move(key), findings_.size() - 1);
    return findings_.size() - 1;
}

void Collector::add(Finding f) {
    std::lock_guard lock(mutex_);
    put(std::move(f));
}

void Collector::add(Finding f, const void* at, const void* other) {
    std::lock_guard lock(mutex_);
    const auto kind = f.kind;
    const auto index = put(std::move(f));
    by_place_[{kind, at, other}] = index;
}

bool Collector::again(record::FindingKind kind, const void* at, const void* other, std::uint64_t times) {
    std::lock_guard lock(mutex_);
    const auto found = by_place_.find({kind, at, other});
    if (found == by_place_.end()) return false;
    findings_[found->second].count += times;
    return true;
}

bool Collector::empty() const {
    std::lock_guard lock(mutex_);
    return findings_.empty();
}

std::size_t Collector::size() const {
    std::lock_guard lock(mutex_);
    return findings_.size();
}

std::vector<Finding> Collector::all() const {
    std::lock_guard lock(mutex_);
    auto out = findings_;
    // Kernel defects come first, then the host's errors, and leaks last, because leaks seldom cause a wrong result.
    const auto late = [](const Finding& f) {
        return f.kind == record::FindingKind::leak ? 2 : f.kind == record::FindingKind::api_error ? 1 : 0;
    };
    std::stable_sort(out.begin(), out.end(), [&](const Finding& a, const Finding& b) {
        const int a_late = late(a), b_late = late(b);
        return std::tie(a_late, a.severity, a.kind, a.at.file, a.at.line, a.kernel) <
               std::tie(b_late, b.severity, b.kind, b.at.file, b.at.line, b.kernel);
    });
    return out;
}

void Collector::clear() {
    std::lock_guard lock(mutex_);
    findings_.clear();
    by_text_.clear();
    by_place_.clear();
}

}  // namespace warpwright::shadow
