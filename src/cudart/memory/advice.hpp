// What a program advised about managed memory, and where it prefetched it: kept to be asked for
// (cudaMemRangeGetAttribute). The emulated device's memory is the host's, so nothing moves.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "driver_types.h"

namespace warpwright::cudart {

class MemoryAdvice {
public:
    static MemoryAdvice& get();
    void advise(std::uint64_t address, std::uint64_t bytes, cudaMemoryAdvise advice, cudaMemLocation location);
    void prefetched(std::uint64_t address, std::uint64_t bytes, cudaMemLocation location);
    /// The memory is freed.
    void forget(std::uint64_t address, std::uint64_t bytes);

    struct State {
        bool read_mostly = false;
        cudaMemLocation preferred{}, prefetched{};  ///< type 0: nowhere
        std::set<int> accessed_by;                  ///< numbers of devices, and cudaCpuDeviceId
        bool operator==(const State& other) const;
    };
    /// What all of these bytes have in common: where they differ, the value is the one of memory without advice.
    State common(std::uint64_t address, std::uint64_t bytes);

private:
    struct Part {
        std::uint64_t last = 0;
        State state;
    };
    /// Makes `at` the beginning of a part, if it lies within one.
    void cut(std::uint64_t at);
    template <class F>
    void change(std::uint64_t address, std::uint64_t bytes, F work);

    std::mutex mutex_;
    std::map<std::uint64_t, Part> parts_;  ///< by first address; what is in no part has no advice
};

}  // namespace warpwright::cudart
