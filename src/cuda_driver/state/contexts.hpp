// Contexts: each device's primary one, which is the runtime library's, and those that a program creates. All of them
// share the device's memory, streams and modules; a created one is a name for the device, with flags of its own. Each
// thread has a stack of them.
#pragma once

#include <atomic>

#include "support/handle_table.hpp"
#include "warpwright/driver_interface.h"

namespace warpwright::cuda_driver {

struct Context {
    int device = 0;
    std::atomic<unsigned> flags = 0;
    bool primary = false;
    std::atomic<unsigned> references = 0;  ///< primary: retained so often; created: attached
    unsigned long long id = 0;
    CUcontext handle = fresh_handle<CUcontext>();
};

inline CUcontext handle_of(const Context* context) { return context ? context->handle : nullptr; }

bool no_device(CUdevice device);
/// The context of a handle; nullptr for one that does not exist or was destroyed.
Context* find_context(CUcontext handle);
Context* primary(CUdevice device);
Context* create_context(CUdevice device, unsigned flags);
/// False: there is no such created context.
bool destroy_context(CUcontext handle);

/// The calling thread's current context: the top of its stack or, if that is empty and the thread has used the runtime
/// library, the primary one of the runtime's device. nullptr: there is none.
Context* current();
void push(Context* context);
/// Replaces the top of the stack, or takes it off if `context` is nullptr.
void set_current(Context* context);
/// nullptr: the stack is empty.
Context* pop();

/// cuInit was called, or the runtime library used (cudart/state/driver_start.hpp).
bool initialized();

}  // namespace warpwright::cuda_driver
