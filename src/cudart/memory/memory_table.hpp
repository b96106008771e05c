// What the program has allocated, by kind; and arrays, which textures and surfaces read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "cudart/observe/host_checks.hpp"
#include "driver_types.h"

/// The runtime's arrays are laid out row by row; nothing but this library looks into one.
struct cudaArray {
    cudaChannelFormatDesc format;
    cudaExtent extent;  ///< elements; 0 where a dimension is not there
    unsigned flags = 0;
    std::size_t element = 0;  ///< bytes
    std::byte* data = nullptr;
    bool part = false;  ///< a level of a mipmapped array, which owns its memory
    std::size_t width() const { return extent.width; }
    std::size_t height() const { return extent.height ? extent.height : 1; }
    std::size_t depth() const { return extent.depth ? extent.depth : 1; }
    std::size_t pitch() const { return width() * element; }
    std::size_t slice() const { return pitch() * height(); }
};

struct cudaMipmappedArray {
    cudaChannelFormatDesc format;
    cudaExtent extent;
    unsigned flags = 0;
    std::byte* data = nullptr;
    std::vector<std::unique_ptr<cudaArray>> levels;
};

namespace warpwright::cudart {

struct Block {
    enum class Kind { device, pinned, managed, registered } kind = Kind::device;
    std::uint64_t address = 0, bytes = 0;
    unsigned flags = 0;
    std::shared_ptr<const CallStack> from{};  ///< who asked for it; null where that is not checked
};

class MemoryTable {
public:
    static MemoryTable& get();
    cudaError_t allocate(void** pointer, std::uint64_t bytes, Block::Kind kind, unsigned flags = 0);
    /// Gives memory of one of two kinds back.
    cudaError_t release(void* pointer, bool host);
    cudaError_t adopt(void* pointer, std::uint64_t bytes, unsigned flags);
    cudaError_t disown(void* pointer);
    std::optional<Block> find(const void* pointer);
    /// What the program has allocated and not given back; only where programs are checked.
    std::vector<Block> left();
    /// It is given back by itself, with what it belongs to.
    void owned(void* pointer);

private:
    std::mutex mutex_;
    std::map<std::uint64_t, Block> blocks_;
};

}  // namespace warpwright::cudart
