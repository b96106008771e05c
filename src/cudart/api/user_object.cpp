// User objects: data of the program that is destroyed when neither the program nor a graph holds it.
#include <algorithm>
#include <map>
#include <mutex>

#include "cudart/api/api.hpp"
#include "cudart/work/graph/graph.hpp"
#include "cudart/work/graph/graph_detail.hpp"
#include "support/handle_table.hpp"

namespace warpwright::cudart {
namespace {

using namespace graph_detail;

struct UserObject {
    void* data = nullptr;
    cudaHostFn_t destroy = nullptr;
    unsigned own = 0;     ///< references of the program
    unsigned graphs = 0;  ///< references of graphs
};

std::mutex mutex;
std::map<cudaUserObject_t, UserObject>& objects() {
    static auto* all = new std::map<cudaUserObject_t, UserObject>;
    return *all;
}

/// Changes the counts of an object, and destroys it with the last reference. `change` refuses by an error.
template <class F>
cudaError_t change(cudaUserObject_t handle, F how) {
    UserObject gone;
    {
        const std::lock_guard lock(mutex);
        const auto at = objects().find(handle);
        if (at == objects().end()) return cudaErrorInvalidValue;
        if (auto e = how(at->second); e != cudaSuccess) return e;
        if (at->second.own != 0 || at->second.graphs != 0) return cudaSuccess;
        gone = at->second;
        objects().erase(at);
    }
    gone.destroy(gone.data);
    return cudaSuccess;
}

/// The sum, unless it has no room.
cudaError_t add(unsigned& to, unsigned count) {
    unsigned sum = 0;
    if (__builtin_add_overflow(to, count, &sum)) return cudaErrorInvalidValue;
    to = sum;
    return cudaSuccess;
}

}  // namespace

namespace impl {

cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* data, cudaHostFn_t destroy, unsigned references,
                                 unsigned flags) {
    if (!object || !destroy || references == 0 || flags != cudaUserObjectNoDestructorSync) return cudaErrorInvalidValue;
    *object = fresh_handle<cudaUserObject_t>();
    const std::lock_guard lock(mutex);
    objects()[*object] = {data, destroy, references, 0};
    return cudaSuccess;
}
cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
    if (count == 0) return cudaErrorInvalidValue;
    return change(object, [&](UserObject& o) { return add(o.own, count); });
}
cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
    if (count == 0) return cudaErrorInvalidValue;
    return change(object, [&](UserObject& o) {
        if (count > o.own) return cudaErrorInvalidValue;
        o.own -= count;
        return cudaSuccess;
    });
}
cudaError_t cudaGraphRetainUserObject(cudaGraph_t handle, cudaUserObject_t object, unsigned count, unsigned flags) {
    auto g = graph(handle);
    // Each is an entry of the graph's list.
    constexpr unsigned kMost = 1 << 20;
    if (!g || count == 0 || count > kMost || (flags & ~cudaGraphUserObjectMove)) return cudaErrorInvalidValue;
    const auto e = change(object, [&](UserObject& o) {
        if (flags & cudaGraphUserObjectMove) {
            if (count > o.own) return cudaErrorInvalidValue;
            o.own -= count;
        }
        return add(o.graphs, count);
    });
    if (e != cudaSuccess) return e;
    // Copies of the graph hold the same objects.
    for (unsigned k = 0; k < count; ++k)
        g->memory.push_back(std::shared_ptr<void>(object, [](void* o) {
            (void)change(static_cast<cudaUserObject_t>(o), [](UserObject& held) {
                --held.graphs;
                return cudaSuccess;
            });
        }));
    return cudaSuccess;
}
cudaError_t cudaGraphReleaseUserObject(cudaGraph_t handle, cudaUserObject_t object, unsigned count) {
    auto g = graph(handle);
    if (!g || !object || count == 0) return cudaErrorInvalidValue;
    const auto held =
        std::count_if(g->memory.begin(), g->memory.end(), [&](const auto& m) { return m.get() == object; });
    if (held < static_cast<long>(count)) return cudaErrorInvalidValue;
    for (unsigned k = 0; k < count; ++k)
        g->memory.erase(
            std::find_if(g->memory.begin(), g->memory.end(), [&](const auto& m) { return m.get() == object; }));
    return cudaSuccess;
}

}  // namespace impl
}  // namespace warpwright::cudart
