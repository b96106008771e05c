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
    /// imported: another process's device memory.
    enum class Kind { device, pinned, managed, registered, imported } kind = Kind::device;
    /// Whether the program's allocation is memory of this process's device.
    bool is_own() const { return kind != Kind::registered && kind != Kind::imported; }
    std::uint64_t address = 0, bytes = 0;
    unsigned flags = 0;
    std::shared_ptr<const CallStack> from{};  ///< who asked for it; null where that is not checked
    /// Memory of a graph's allocation node keeps its address as long as the graph lives, but is there for the program
    /// only from a launch of the graph until it is freed.
    enum class Graph { none, absent, present } graph = Graph::none;
};

/// Whether memory of graphs counts that is not there at the moment: a graph's own nodes may name it.
enum class Absent { hidden, found };

class MemoryTable {
public:
    static MemoryTable& get();
    cudaError_t allocate(void** pointer, std::uint64_t bytes, Block::Kind kind, unsigned flags = 0);
    /// Gives memory of one of two kinds back.
    cudaError_t release(void* pointer, bool host);
    cudaError_t adopt(void* pointer, std::uint64_t bytes, unsigned flags);
    /// The same for memory that another process shares.
    cudaError_t import(void* pointer, std::uint64_t bytes);
    /// Takes back what adopt or import gave.
    cudaError_t disown(void* pointer);
    std::optional<Block> find(const void* pointer, Absent absent = Absent::hidden);
    /// What the program has allocated and not given back; only where programs are checked.
    std::vector<Block> left();
    /// Memory for a graph's allocation node; absent at first.
    cudaError_t allocate_for_graph(void** pointer, std::uint64_t bytes);
    /// Whether memory of a graph is there, and whether it is so from now on. Nothing happens to other memory.
    bool is_present(void* pointer);
    void set_present(void* pointer, bool present);
    /// The last graph that this memory belonged to is gone: it is given back, or is the program's to free.
    void leave_graph(void* pointer);
    /// Gives everything back; what the program had allocated by then stays in left().
    void reset();

private:
    std::mutex mutex_;
    std::map<std::uint64_t, Block> blocks_;
    std::vector<Block> lost_;  ///< never freed before a reset
};

}  // namespace warpwright::cudart
