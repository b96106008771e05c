// Collects a device's findings: each once, with how often it was seen. Safe to use from many host threads.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "record/finding.hpp"

namespace warpwright::shadow {

class Collector {
public:
    /// Adds a finding, or counts an existing one: findings are equal when kind, kernel, lines and array are.
    void add(record::Finding finding);
    /// The same for a finding that was seen before, without building its text: false if it was not.
    bool again(record::FindingKind kind, const void* at, const void* other, std::uint64_t times = 1);
    /// Records the keys under which again() finds it.
    void add(record::Finding finding, const void* at, const void* other);
    bool empty() const;
    std::size_t size() const;
    /// Sorted by kind and place. Clears nothing.
    std::vector<record::Finding> all() const;
    void clear();

private:
    using Key = std::string;
    mutable std::mutex mutex_;
    std::vector<record::Finding> findings_;
    std::map<Key, std::size_t> by_text_;
    std::map<std::tuple<record::FindingKind, const void*, const void*>, std::size_t> by_place_;
    std::size_t put(record::Finding finding);
};

}  // namespace warpwright::shadow
