// A copy of the first host's device memory, at its addresses. What it has there stands in a file without a name, of
// which the memory is a private mapping: what kernels write stays apart, and can be found and forgotten.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/shared/device_memory.hpp"
#include "engine/shared/other_hosts.hpp"

namespace warpwright::device {

class Mirror {
public:
    /// Takes the place of the memory's pages.
    static Result<std::unique_ptr<Mirror>> over(const engine::DeviceMemory& memory);
    ~Mirror();
    Mirror(const Mirror&) = delete;
    /// The first host's contents, where no grid runs.
    void put(std::uint64_t address, const std::vector<char>& bytes);
    /// What kernels have written in these allocations since the last forget(), and the lines that it lies in.
    void changes(const std::vector<engine::Allocation>& allocations,
                 const std::function<void(engine::Change)>& each) const;
    void forget();

private:
    Mirror(const engine::DeviceMemory& memory, std::uint8_t* kept) : memory_(memory), kept_(kept) {}
    void find(std::uint64_t first, std::uint64_t last, const std::function<void(engine::Change)>& each) const;
    const engine::DeviceMemory& memory_;
    std::uint8_t* kept_;  ///< the file, from the memory's base on
};

}  // namespace warpwright::device
