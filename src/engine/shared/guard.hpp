// Guard mode (WARPWRIGHT_GUARD, for tests): around each allocation of the device, and around the memory of each block,
// lie pages that nothing may touch, and freed memory may not be touched either. An access that the checks of generated
// code or of the runtime should have refused, and did not, then ends the process with a line that says where it went.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace warpwright::engine {

class DeviceMemory;

namespace guard {

std::uint64_t page();
/// From now on an access to a guarded page of this memory is reported; until it is forgotten.
void watch(const DeviceMemory& memory);
void forget(const DeviceMemory& memory);

/// While it lives, the kernel that this thread runs is named in reports.
class Running {
public:
    explicit Running(const std::string& kernel);
    ~Running();
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

private:
    const std::string* before_;
};

/// Memory that ends at a page which nothing may touch, and begins (but for what alignment needs) after one.
class Piece {
public:
    Piece() = default;
    /// `bytes` are rounded up to `align`, a power of two up to a page. It throws std::bad_alloc.
    Piece(std::uint64_t bytes, std::uint64_t align);
    ~Piece();
    Piece(Piece&& other) noexcept;
    Piece& operator=(Piece&& other) noexcept;

    std::uint8_t* start() const { return start_; }

private:
    std::uint8_t* start_ = nullptr;
    void* mapped_ = nullptr;
    std::size_t length_ = 0;
};

}  // namespace guard
}  // namespace warpwright::engine
