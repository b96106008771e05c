// The program's allocations by kind; and arrays, which textures and surfaces read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "cudart/state/call_stack.hpp"
#include "cudart/state/runtime.hpp"
#include "driver_types.h"

namespace warpwright::cudart {

/// An array of the program's, laid out row by row. A cudaArray_t is a number that stands for one.
struct Array {
    cudaChannelFormatDesc format;
    cudaExtent extent;  ///< elements; 0 for a missing dimension
    unsigned flags = 0;
    std::size_t element = 0;  ///< bytes
    std::byte* data = nullptr;
    unsigned device = current_device();
    std::size_t width() const { return extent.width; }
    std::size_t height() const { return extent.height ? extent.height : 1; }
    std::size_t depth() const { return extent.depth ? extent.depth : 1; }
    std::size_t pitch() const { return width() * element; }
    std::size_t slice() const { return pitch() * height(); }
};

struct MipmappedArray {
    cudaChannelFormatDesc format;
    cudaExtent extent;
    unsigned flags = 0;
    std::byte* data = nullptr;
    unsigned device = current_device();
    std::vector<std::shared_ptr<Array>> levels;
    std::vector<cudaArray_t> level_handles;  ///< by which the program knows them, after add()
};

/// The program's arrays by their handles. Who has found one keeps it while another thread frees it; its memory goes
/// then.
namespace arrays {

/// nullptr where there is none.
std::shared_ptr<Array> find(cudaArray_const_t array);
std::shared_ptr<MipmappedArray> find(cudaMipmappedArray_const_t array);
cudaArray_t add(std::shared_ptr<Array> array);
cudaMipmappedArray_t add(std::shared_ptr<MipmappedArray> array);
/// The handle stands for nothing any more. nullptr where there is none, or only a level of a mipmapped one.
std::shared_ptr<Array> take(cudaArray_t array);
std::shared_ptr<MipmappedArray> take(cudaMipmappedArray_t array);
/// Those of a device.
void forget(unsigned device);

}  // namespace arrays

struct Block {
    /// imported: another process's device memory.
    enum class Kind { device, pinned, managed, registered, imported } kind = Kind::device;
    /// Whether it is memory of one device, which others reach only over a link.
    bool of_device() const { return kind == Kind::device; }
    /// Whether the program's allocation is memory of this process's device.
    bool is_own() const { return kind != Kind::registered && kind != Kind::imported; }
    std::uint64_t address = 0, bytes = 0;
    unsigned flags = 0;
    std::shared_ptr<const CallStack> from{};  ///< the call that allocated it; null where that is not checked
    bool of_library = false;                  ///< a drop-in library's own
    bool read_only = false;                   ///< registered memory that the host may not write, or said it does not
    unsigned device = 0;                      ///< on which it was allocated; whose memory it is, of the kind `device`
    /// Memory of a graph's allocation node keeps its address as long as the graph lives, but belongs to the program
    /// only from a launch of the graph until it is freed.
    enum class Graph { none, absent, present } graph = Graph::none;
};

/// Whether a graph's memory counts that is absent at the moment: a graph's own nodes may name it.
enum class Absent { hidden, found };

class MemoryTable {
public:
    static MemoryTable& get();
    /// On the calling thread's device.
    cudaError_t allocate(void** pointer, std::uint64_t bytes, Block::Kind kind, unsigned flags = 0);
    /// Frees memory of one of two kinds.
    cudaError_t release(void* pointer, bool host);
    /// The same in two steps: the program has the memory no more, and then the device has it back.
    std::optional<Block> take(void* pointer, bool host);
    cudaError_t give_back(const Block& block);
    cudaError_t adopt(void* pointer, std::uint64_t bytes, unsigned flags);
    /// The same for memory that another process shares.
    cudaError_t import(void* pointer, std::uint64_t bytes);
    /// Undoes adopt or import.
    cudaError_t disown(void* pointer);
    std::optional<Block> find(const void* pointer, Absent absent = Absent::hidden);
    /// Memory of the host that the device was handed: registered, or another process's.
    std::vector<Block> host_blocks();
    /// The program's allocations of now, each with its number in the order in which they were made, from 1 on.
    std::vector<std::pair<Block, std::uint64_t>> all();
    /// The program's allocations that were not freed; only where programs are checked.
    std::vector<Block> left();
    /// The allocation is a drop-in library's own, which the program knows nothing of; and all of these.
    void set_own_of_library(const void* pointer);
    std::vector<Block> of_libraries();
    /// Memory for a graph's allocation node; absent at first.
    cudaError_t allocate_for_graph(void** pointer, std::uint64_t bytes);
    /// Whether memory of a graph is present; and makes it so or not. Other memory is not affected.
    bool is_present(void* pointer);
    void set_present(void* pointer, bool present);
    /// The last graph that owned this memory is gone: it is freed, or is the program's to free.
    void leave_graph(void* pointer);
    /// Frees all of a device; allocations of the program until then stay in left().
    void reset(unsigned device);

private:
    std::mutex mutex_;
    std::map<std::uint64_t, Block> blocks_;
    std::vector<Block> lost_;                         ///< never freed before a reset
    std::size_t of_libraries_ = 0;                    ///< that there ever were
    std::map<std::uint64_t, std::uint64_t> numbers_;  ///< of allocations, by address
    std::uint64_t allocations_ = 0;
};

}  // namespace warpwright::cudart
