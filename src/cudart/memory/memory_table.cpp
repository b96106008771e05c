// Allocations are kept in a map ordered by address, so that a pointer into the middle of one finds it. The device
// provides the memory, and this table adds what CUDA says of it: kind, flags, graph, stream.
#include "cudart/memory/memory_table.hpp"

#include "cudart/memory/advice.hpp"
#include "cudart/memory/pageable.hpp"
#include "cudart/memory/shared_memory.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/state/shared_range.hpp"
#include "host/memory.hpp"

namespace warpwright::cudart {

MemoryTable& MemoryTable::get() {
    static auto* table = new MemoryTable;
    return *table;
}

cudaError_t MemoryTable::allocate(void** pointer, std::uint64_t bytes, Block::Kind kind, unsigned flags) {
    auto& runtime = Runtime::get();
    auto* device = runtime.device();
    if (!device) return cudaErrorInitializationError;
    if (!runtime.can_take(bytes)) return cudaErrorMemoryAllocation;
    auto address = device->allocate(bytes);
    if (!address) return cudaErrorMemoryAllocation;
    *pointer = reinterpret_cast<void*>(*address);
    const unsigned owner = current_device();
    runtime.memory_taken(owner, bytes);
    if (kind != Block::Kind::device) {
        device->host_sharing()->shared(*address);
        device->host_sharing()->written(*address, bytes);  // it may have been, unseen
        share_with_host(*address, bytes);
    }
    if (kind == Block::Kind::device && runtime.devices() > 1)
        device->several_devices()->belongs_to(*address, owner, device::MemoryAccess::by_device, 0);
    auto from = calling_place();
    std::lock_guard lock(mutex_);
    blocks_[*address] = {kind, *address, bytes, flags, std::move(from)};
    blocks_[*address].device = owner;
    numbers_[*address] = ++allocations_;
    return cudaSuccess;
}

cudaError_t MemoryTable::release(void* pointer, bool host) {
    const auto gone = take(pointer, host);
    if (!gone) return cudaErrorInvalidValue;
    return gone->graph == Block::Graph::none ? give_back(*gone) : cudaSuccess;
}

std::optional<Block> MemoryTable::take(void* pointer, bool host) {
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    std::lock_guard lock(mutex_);
    auto found = blocks_.find(address);
    if (found == blocks_.end() || !found->second.is_own() || (found->second.kind == Block::Kind::pinned) != host ||
        found->second.graph == Block::Graph::absent)
        return std::nullopt;
    const Block gone = found->second;
    if (gone.graph == Block::Graph::present) {
        found->second.graph = Block::Graph::absent;
        return gone;
    }
    blocks_.erase(found);
    numbers_.erase(address);
    return gone;
}

cudaError_t MemoryTable::give_back(const Block& gone) {
    unshare_memory(gone);
    MemoryAdvice::get().forget(gone.address, gone.bytes);
    auto& runtime = Runtime::get();
    runtime.memory_given(gone.device, gone.bytes);
    return runtime.device()->release(gone.address) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t MemoryTable::adopt(void* pointer, std::uint64_t bytes, unsigned flags) {
    auto* device = Runtime::get().device();
    if (!device) return cudaErrorInitializationError;
    // Kernels will access it, so it must be memory.
    if (!pointer || bytes == 0 || host::readable_bytes(pointer) < bytes) return cudaErrorInvalidValue;
    if (!device->host_sharing()->adopt(pointer, bytes)) {
        // A part of pageable memory that the device has becomes page-locked.
        if (!leave_pageable(pointer, bytes) || !device->host_sharing()->adopt(pointer, bytes))
            return cudaErrorHostMemoryAlreadyRegistered;
    }
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    share_with_host(address, bytes);
    // The host may write it at any time, unseen.
    device->host_sharing()->written(address, bytes);
    // What may only be read is left alone by those who close memory to the host for a while.
    const auto range = host::writable_range(pointer);
    const bool writable = !(flags & cudaHostRegisterReadOnly) && range.holds(address) && range.last - address >= bytes;
    std::lock_guard lock(mutex_);
    blocks_[address] = {Block::Kind::registered, address, bytes, flags, nullptr};
    blocks_[address].read_only = !writable;
    blocks_[address].device = current_device();
    return cudaSuccess;
}

cudaError_t MemoryTable::import(void* pointer, std::uint64_t bytes) {
    auto* device = Runtime::get().device();
    if (!device) return cudaErrorInitializationError;
    if (!device->host_sharing()->adopt(pointer, bytes)) return cudaErrorInvalidValue;
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    std::lock_guard lock(mutex_);
    blocks_[address] = {Block::Kind::imported, address, bytes, 0, nullptr};
    blocks_[address].device = current_device();
    return cudaSuccess;
}

cudaError_t MemoryTable::disown(void* pointer) {
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    {
        std::lock_guard lock(mutex_);
        auto found = blocks_.find(address);
        if (found == blocks_.end() || found->second.is_own()) return cudaErrorHostMemoryNotRegistered;
        blocks_.erase(found);
    }
    return Runtime::get().device()->host_sharing()->disown(pointer) ? cudaSuccess : cudaErrorHostMemoryNotRegistered;
}

std::vector<Block> MemoryTable::host_blocks() {
    std::lock_guard lock(mutex_);
    std::vector<Block> out;
    for (const auto& [address, block] : blocks_)
        if (!block.is_own()) out.push_back(block);
    return out;
}

std::vector<std::pair<Block, std::uint64_t>> MemoryTable::all() {
    std::lock_guard lock(mutex_);
    std::vector<std::pair<Block, std::uint64_t>> out;
    for (const auto& [address, block] : blocks_) {
        const auto number = numbers_.find(address);
        out.emplace_back(block, number == numbers_.end() ? 0 : number->second);
    }
    return out;
}

std::vector<Block> MemoryTable::left() {
    std::lock_guard lock(mutex_);
    std::vector<Block> out = lost_;
    for (const auto& [address, block] : blocks_)
        if (block.from && block.is_own()) out.push_back(block);
    return out;
}

void MemoryTable::set_own_of_library(const void* pointer) {
    std::lock_guard lock(mutex_);
    const auto found = blocks_.find(reinterpret_cast<std::uint64_t>(pointer));
    if (found == blocks_.end()) return;
    found->second.of_library = true;
    ++of_libraries_;
}

std::vector<Block> MemoryTable::of_libraries() {
    std::lock_guard lock(mutex_);
    std::vector<Block> out;
    if (of_libraries_ == 0) return out;
    for (const auto& [address, block] : blocks_)
        if (block.of_library) out.push_back(block);
    return out;
}

cudaError_t MemoryTable::allocate_for_graph(void** pointer, std::uint64_t bytes) {
    if (auto e = allocate(pointer, bytes, Block::Kind::device); e != cudaSuccess) return e;
    std::lock_guard lock(mutex_);
    auto& block = blocks_[reinterpret_cast<std::uint64_t>(*pointer)];
    block.graph = Block::Graph::absent;
    block.from = nullptr;
    return cudaSuccess;
}

bool MemoryTable::is_present(void* pointer) {
    std::lock_guard lock(mutex_);
    const auto found = blocks_.find(reinterpret_cast<std::uint64_t>(pointer));
    return found != blocks_.end() && found->second.graph == Block::Graph::present;
}

void MemoryTable::set_present(void* pointer, bool present) {
    std::lock_guard lock(mutex_);
    const auto found = blocks_.find(reinterpret_cast<std::uint64_t>(pointer));
    if (found != blocks_.end() && found->second.graph != Block::Graph::none)
        found->second.graph = present ? Block::Graph::present : Block::Graph::absent;
}

void MemoryTable::leave_graph(void* pointer) {
    bool release_it = false;
    {
        std::lock_guard lock(mutex_);
        const auto found = blocks_.find(reinterpret_cast<std::uint64_t>(pointer));
        if (found == blocks_.end() || found->second.graph == Block::Graph::none) return;
        release_it = found->second.graph == Block::Graph::absent;
        found->second.graph = Block::Graph::none;
    }
    if (release_it) (void)release(pointer, false);
}

void MemoryTable::reset(unsigned of) {
    arrays::forget(of);
    std::map<std::uint64_t, Block> gone;
    {
        std::lock_guard lock(mutex_);
        for (auto at = blocks_.begin(); at != blocks_.end();) {
            if (at->second.device != of) {
                ++at;
                continue;
            }
            numbers_.erase(at->first);
            gone.insert(blocks_.extract(at++));
        }
        for (const auto& [address, block] : gone)
            if (block.from && block.is_own()) lost_.push_back(block);
    }
    auto& runtime = Runtime::get();
    for (const auto& [address, block] : gone) {
        if (!block.is_own()) {
            (void)runtime.device()->host_sharing()->disown(reinterpret_cast<void*>(address));
            continue;
        }
        unshare_memory(block);
        MemoryAdvice::get().forget(block.address, block.bytes);
        runtime.memory_given(block.device, block.bytes);
        (void)runtime.device()->release(address);
    }
}

std::optional<Block> MemoryTable::find(const void* pointer, Absent absent) {
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    {
        std::lock_guard lock(mutex_);
        auto after = blocks_.upper_bound(address);
        if (after != blocks_.begin()) {
            const auto& b = std::prev(after)->second;
            if (address - b.address < b.bytes || (b.bytes == 0 && address == b.address)) {
                if (b.graph == Block::Graph::absent && absent == Absent::hidden) return std::nullopt;
                return b;
            }
        }
    }
    // The program's ordinary memory is no allocation of the device's, whether kernels may access it or not.
    if (is_pageable(pointer, 1)) return std::nullopt;
    // Variables of modules, and memory that kernels allocated.
    auto& runtime = Runtime::get();
    if (!runtime.started()) return std::nullopt;
    if (auto a = runtime.device()->host_sharing()->allocation(address)) {
        Block block{Block::Kind::device, a->first, a->second, 0, nullptr};
        block.device = runtime.device()->several_devices()->device_of(address).value_or(0);
        return block;
    }
    return std::nullopt;
}

}  // namespace warpwright::cudart
