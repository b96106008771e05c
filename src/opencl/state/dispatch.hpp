// The table through which the loader calls us, made from the list of functions; and the handles that programs get.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "opencl/state/cl.hpp"

namespace warpwright::opencl {

struct Dispatch {
#define WW_CL(kind, type, name, parameters, arguments) type(*name) parameters;
#define WW_CL_NONE(name) cl_int (*name)();
#include "opencl/state/functions.inc"
};
/// The functions of all handles (api/entry.cpp).
extern const Dispatch dispatch;

/// Room for a handle's cell. Cells are never freed or used again, since the loader reads a handle before we can say
/// that it is stale.
void* fresh_cell();

/// Objects of a kind by their handles, with the references that programs hold. A handle is looked up, never followed:
/// one that is stale, or another kind's, is not found. Who has found an object keeps it while another thread releases
/// it.
template <class Object>
class Handles {
public:
    using Handle = Cell<Object>*;
    static Handles& get() {
        static auto* all = new Handles;
        return *all;
    }
    Handle add(std::shared_ptr<Object> object) {
        auto* cell = new (fresh_cell()) Cell<Object>{&dispatch};
        object->handle = cell;
        const std::lock_guard lock(mutex_);
        held_[cell] = {std::move(object), 1};
        return cell;
    }
    /// Null where there is none.
    std::shared_ptr<Object> find(Handle handle) const {
        const std::lock_guard lock(mutex_);
        const auto at = held_.find(handle);
        return at == held_.end() ? nullptr : at->second.object;
    }
    bool retain(Handle handle) {
        const std::lock_guard lock(mutex_);
        const auto at = held_.find(handle);
        return at != held_.end() && ++at->second.references;
    }
    /// The object whose last reference goes is `gone`.
    bool release(Handle handle, std::shared_ptr<Object>* gone = nullptr) {
        std::shared_ptr<Object> last;  // destroyed without the lock: it may hold others
        const std::lock_guard lock(mutex_);
        const auto at = held_.find(handle);
        if (at == held_.end()) return false;
        if (--at->second.references == 0) {
            last = std::move(at->second.object);
            held_.erase(at);
            if (gone) *gone = last;
        }
        return true;
    }
    cl_uint references(Handle handle) const {
        const std::lock_guard lock(mutex_);
        const auto at = held_.find(handle);
        return at == held_.end() ? 0 : at->second.references;
    }

private:
    struct Held {
        std::shared_ptr<Object> object;
        cl_uint references = 0;
    };
    mutable std::mutex mutex_;
    std::map<Handle, Held> held_;
};

template <class Object>
std::shared_ptr<Object> find(Cell<Object>* handle) {
    return Handles<Object>::get().find(handle);
}

}  // namespace warpwright::opencl
