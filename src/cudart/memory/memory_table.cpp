#include "cudart/memory/memory_table.hpp"

#include "cudart/state/runtime.hpp"

namespace warpwright::cudart {

MemoryTable& MemoryTable::get() {
    static auto* table = new MemoryTable;
    return *table;
}

cudaError_t MemoryTable::allocate(void** pointer, std::uint64_t bytes, Block::Kind kind, unsigned flags) {
    auto& runtime = Runtime::get();
    auto* device = runtime.device();
    if (!device) return cudaErrorInitializationError;
    if (bytes > runtime.memory_size() ||
        runtime.memory_used() + bytes > std::max(runtime.memory_size(), runtime.model().memory.size))
        return cudaErrorMemoryAllocation;
    auto address = device->allocate(bytes);
    if (!address) return cudaErrorMemoryAllocation;
    *pointer = reinterpret_cast<void*>(*address);
    runtime.memory_taken(bytes);
    // The host may write it at any time, unseen.
    if (kind != Block::Kind::device) device->written(*address, bytes);
    auto from = Checks::here();
    std::lock_guard lock(mutex_);
    blocks_[*address] = {kind, *address, bytes, flags, std::move(from)};
    return cudaSuccess;
}

cudaError_t MemoryTable::release(void* pointer, bool host) {
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    std::uint64_t bytes = 0;
    {
        std::lock_guard lock(mutex_);
        auto found = blocks_.find(address);
        if (found == blocks_.end() || found->second.kind == Block::Kind::registered ||
            (found->second.kind == Block::Kind::pinned) != host)
            return cudaErrorInvalidValue;
        bytes = found->second.bytes;
        blocks_.erase(found);
    }
    auto& runtime = Runtime::get();
    runtime.memory_given(bytes);
    return runtime.device()->release(address) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t MemoryTable::adopt(void* pointer, std::uint64_t bytes, unsigned flags) {
    auto* device = Runtime::get().device();
    if (!device) return cudaErrorInitializationError;
    if (!pointer || bytes == 0) return cudaErrorInvalidValue;
    if (!device->adopt(pointer, bytes)) return cudaErrorHostMemoryAlreadyRegistered;
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    std::lock_guard lock(mutex_);
    blocks_[address] = {Block::Kind::registered, address, bytes, flags, nullptr};
    return cudaSuccess;
}

cudaError_t MemoryTable::disown(void* pointer) {
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    {
        std::lock_guard lock(mutex_);
        auto found = blocks_.find(address);
        if (found == blocks_.end() || found->second.kind != Block::Kind::registered)
            return cudaErrorHostMemoryNotRegistered;
        blocks_.erase(found);
    }
    return Runtime::get().device()->disown(pointer) ? cudaSuccess : cudaErrorHostMemoryNotRegistered;
}

std::vector<Block> MemoryTable::left() {
    std::vector<Block> out;
    std::lock_guard lock(mutex_);
    for (const auto& [address, block] : blocks_)
        if (block.from && block.kind != Block::Kind::registered) out.push_back(block);
    return out;
}

void MemoryTable::owned(void* pointer) {
    std::lock_guard lock(mutex_);
    if (auto found = blocks_.find(reinterpret_cast<std::uint64_t>(pointer)); found != blocks_.end())
        found->second.from = nullptr;
}

std::optional<Block> MemoryTable::find(const void* pointer) {
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    {
        std::lock_guard lock(mutex_);
        auto after = blocks_.upper_bound(address);
        if (after != blocks_.begin()) {
            const auto& b = std::prev(after)->second;
            if (address - b.address < b.bytes || (b.bytes == 0 && address == b.address)) return b;
        }
    }
    // Variables of modules, and what kernels allocated.
    auto& runtime = Runtime::get();
    if (!runtime.started()) return std::nullopt;
    if (auto a = runtime.device()->allocation(address))
        return Block{Block::Kind::device, a->first, a->second, 0, nullptr};
    return std::nullopt;
}

}  // namespace warpwright::cudart
