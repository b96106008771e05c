// These tables give out handles that are never reused, so that a stale one is recognised. They are separate from the
// table of allocations, because an array is found by its handle and not by an address.
#include "cudart/memory/memory_table.hpp"
#include "support/handle_table.hpp"

namespace warpwright::cudart::arrays {
namespace {

std::mutex mutex;

struct Known {
    std::shared_ptr<Array> array;
    bool level = false;  ///< of a mipmapped one, and freed with it
};
auto& plain() {
    static auto* all = new std::map<cudaArray_const_t, Known>;
    return *all;
}
auto& mipmapped() {
    static auto* all = new std::map<cudaMipmappedArray_const_t, std::shared_ptr<MipmappedArray>>;
    return *all;
}

}  // namespace

std::shared_ptr<MipmappedArray> find(cudaMipmappedArray_const_t array) {
    std::lock_guard lock(mutex);
    const auto found = mipmapped().find(array);
    return found == mipmapped().end() ? nullptr : found->second;
}

std::shared_ptr<Array> find(cudaArray_const_t array) {
    std::lock_guard lock(mutex);
    const auto found = plain().find(array);
    return found == plain().end() ? nullptr : found->second.array;
}

cudaArray_t add(std::shared_ptr<Array> array) {
    const auto handle = fresh_handle<cudaArray_t>();
    std::lock_guard lock(mutex);
    plain()[handle] = {std::move(array), false};
    return handle;
}

cudaMipmappedArray_t add(std::shared_ptr<MipmappedArray> array) {
    const auto handle = fresh_handle<cudaMipmappedArray_t>();
    std::lock_guard lock(mutex);
    for (const auto& level : array->levels) {
        array->level_handles.push_back(fresh_handle<cudaArray_t>());
        plain()[array->level_handles.back()] = {level, true};
    }
    mipmapped()[handle] = std::move(array);
    return handle;
}

std::shared_ptr<Array> take(cudaArray_t array) {
    std::lock_guard lock(mutex);
    const auto found = plain().find(array);
    if (found == plain().end() || found->second.level) return nullptr;
    auto own = std::move(found->second.array);
    plain().erase(found);
    return own;
}

std::shared_ptr<MipmappedArray> take(cudaMipmappedArray_t array) {
    std::lock_guard lock(mutex);
    const auto found = mipmapped().find(array);
    if (found == mipmapped().end()) return nullptr;
    auto own = std::move(found->second);
    mipmapped().erase(found);
    for (const auto level : own->level_handles) plain().erase(level);
    return own;
}

void forget(unsigned device) {
    std::lock_guard lock(mutex);
    std::erase_if(plain(), [&](const auto& a) { return a.second.array->device == device; });
    std::erase_if(mipmapped(), [&](const auto& a) { return a.second->device == device; });
}

}  // namespace warpwright::cudart::arrays
