// Objects give back what they hold of the runtime library when the last reference to them goes.
#include "opencl/state/objects.hpp"

#include <algorithm>

#include "cudart/memory/memory_table.hpp"
#include "cudart/state/runtime.hpp"

namespace warpwright::opencl {

bool Context::has(cl_device_id device) const {
    return std::find(devices.begin(), devices.end(), device) != devices.end();
}

Memory::~Memory() {
    if (at && !whole && !svm) (void)cudart::MemoryTable::get().release(at, false);
}

Queue::~Queue() {
    auto& scheduler = cudart::Scheduler::get();
    for (const Lane& lane : lanes) (void)scheduler.destroy(lane.handle);
    if (clock.handle) (void)scheduler.destroy(clock.handle);
}

Event::~Event() {
    if (lane.handle) (void)cudart::Scheduler::get().destroy(lane.handle);
}

bool Event::over() {
    if (!user) return cudart::Scheduler::get().over(ticket);
    const std::lock_guard lock(mutex);
    return status.has_value();
}

Platform& platform() {
    static Platform* const the = [] {
        auto made = std::make_shared<Platform>();
        Handles<Platform>::get().add(made);
        return made.get();
    }();
    return *the;
}

const std::vector<cl_device_id>& devices() {
    static const auto* const all = [] {
        auto* list = new std::vector<cl_device_id>;
        for (unsigned k = 0; k < cudart::Runtime::get().settings.devices; ++k) {
            auto device = std::make_shared<Device>();
            device->index = k;
            list->push_back(Handles<Device>::get().add(std::move(device)));
        }
        return list;
    }();
    return *all;
}

}  // namespace warpwright::opencl
