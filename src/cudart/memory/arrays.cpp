#include <utility>

#include "cudart/memory/memory_table.hpp"

namespace warpwright::cudart::arrays {
namespace {

std::mutex mutex;
template <class Array>
auto& all() {
    static auto* arrays = new std::map<const Array*, std::unique_ptr<Array>>;
    return *arrays;
}

template <class Array>
Array* keep(std::unique_ptr<Array> array) {
    auto* handle = array.get();
    std::lock_guard lock(mutex);
    return all<Array>()[handle] = std::move(array), handle;
}

template <class Array>
std::unique_ptr<Array> give(const Array* array) {
    std::lock_guard lock(mutex);
    const auto found = all<Array>().find(array);
    if (found == all<Array>().end()) return nullptr;
    auto own = std::move(found->second);
    all<Array>().erase(found);
    return own;
}

}  // namespace

cudaMipmappedArray_t find(cudaMipmappedArray_const_t array) {
    std::lock_guard lock(mutex);
    const auto found = all<cudaMipmappedArray>().find(array);
    return found == all<cudaMipmappedArray>().end() ? nullptr : found->second.get();
}

cudaArray_t find(cudaArray_const_t array) {
    if (!array) return nullptr;
    std::lock_guard lock(mutex);
    const auto found = all<cudaArray>().find(array);
    if (found != all<cudaArray>().end()) return found->second.get();
    for (const auto& [handle, whole] : all<cudaMipmappedArray>())
        for (const auto& level : whole->levels)
            if (level.get() == array) return level.get();
    return nullptr;
}

cudaArray_t add(std::unique_ptr<cudaArray> array) { return keep(std::move(array)); }
cudaMipmappedArray_t add(std::unique_ptr<cudaMipmappedArray> array) { return keep(std::move(array)); }
std::unique_ptr<cudaArray> take(cudaArray_t array) { return give<cudaArray>(array); }
std::unique_ptr<cudaMipmappedArray> take(cudaMipmappedArray_t array) { return give<cudaMipmappedArray>(array); }

void forget_all() {
    std::lock_guard lock(mutex);
    all<cudaArray>().clear();
    all<cudaMipmappedArray>().clear();
}

}  // namespace warpwright::cudart::arrays
