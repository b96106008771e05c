// This machine's memory under the device's: a device has more of it than most machines, and a page costs nothing until
// it is touched. Where the touched ones outgrow what this process may take, it ends with a line, before the system
// would end some process without one.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

namespace warpwright::cudart {

/// What a process may take of the machine's memory, and who says so, as a sentence has it.
struct MemoryLimit {
    std::uint64_t bytes = 0;
    std::string by;  ///< "this machine has"
};

/// By the setting, else the least of what the machine has and what the control groups of the process are given.
MemoryLimit memory_limit();

class MemoryWatch {
public:
    static MemoryWatch& get();
    /// What is done before the process ends: once, when the device starts.
    void before_end(std::function<void()> what) { before_end_ = std::move(what); }
    /// The devices' allocations together have so many bytes: from a part of the limit on somebody watches.
    void allocated(std::uint64_t bytes);

private:
    void watch();
    [[noreturn]] void end(const std::string& what, const std::string& hint);
    std::once_flag begun_;
    std::function<void()> before_end_;
    MemoryLimit limit_;
    std::string folder_;  ///< where device memory's file lies; empty: there is none
};

}  // namespace warpwright::cudart
