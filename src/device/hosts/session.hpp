// What the first host tells the others of its device and of a grid, in words for a link.
#pragma once

#include <string>
#include <vector>

#include "device/hosts/link.hpp"
#include "engine/run/engine.hpp"

namespace warpwright::device {

/// A device whose kernels' results and counts are those of the first host's.
struct Session {
    std::uint64_t base = 0, memory = 0;  ///< where its memory begins, and its size
    bool zeroed = false, tolerant = false;
    std::uint32_t multiprocessors = 0, lanes = 32, transaction_bytes = 32;
    int compute_capability = 90;
    engine::Pace pace;

    std::string words() const;
    static Session from(const std::string& words);
    static Session of(const engine::EngineOptions& options, const engine::DeviceMemory& memory);
    engine::EngineOptions options(unsigned threads) const;
};

/// A grid as others get it.
struct GridWords {
    std::uint64_t number = 0;
    std::string program, kernel;  ///< the program's key
    std::map<std::string, std::uint64_t> variables;
    std::vector<engine::Allocation> memory;
    std::uint64_t parameters = 0;
    std::vector<std::byte> arguments;
    launch::LaunchConfig config;
    bool explicit_cluster = false;
    bool counters = true, per_line = false;
    std::int64_t timeout = 0;  ///< milliseconds
    launch::TraceRequest trace;
    std::uint64_t graph = 0;
    unsigned device = 0;

    std::string words() const;
    static GridWords from(const std::string& words);
    static GridWords of(const engine::SharedGrid& grid, const engine::DeviceMemory& memory);
};

/// The counts of a host's blocks, and back.
std::string words_of(const engine::BlocksDone& done);
engine::BlocksDone done_of(const std::string& words);

}  // namespace warpwright::device
