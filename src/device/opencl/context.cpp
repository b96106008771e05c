// Numbers between two allocations belong to neither, so that an address beyond an end is found out. A wait with a limit
// polls its event with growing pauses, because OpenCL has no call that waits for so long.
#include "device/opencl/context.hpp"

#include <algorithm>
#include <thread>

namespace warpwright::device::opencl {

Result<std::shared_ptr<Holder>> Holder::make(std::shared_ptr<const Driver> driver, const PlatformDevice& place,
                                             OpenclDeviceInfo info) {
    auto out = std::make_shared<Holder>(std::move(driver), place, std::move(info));
    const OpenclFunctions& t = out->table();
    const std::string title = out->info_.device();
    Status s = status::success;
    out->context_ = t.context_create(nullptr, 1, &place.device, nullptr, nullptr, &s);
    if (s != status::success) return error_of(s, "opening " + title);
    out->queue_ = t.queue_create(out->context_, place.device, kProfiling, &s);
    if (s != status::success) return error_of(s, "a queue of " + title);
    return out;
}

Holder::~Holder() {
    if (given_up()) return;  // releasing them would wait for the kernel
    if (queue_) (void)table().finish(queue_);
    for (auto& [address, block] : blocks_) free(block);
    if (queue_) (void)table().queue_release(queue_);
    if (context_) (void)table().context_release(context_);
}

Result<void> Holder::use() const {
    if (gone_.empty()) return {};
    return Error{ErrorKind::no_device, info_.device() + " answers no more: " + gone_, {}, "start the program again"};
}

void Holder::free(Block& block) const {
    for (auto& [offset, part] : block.parts) (void)table().memory_release(part);
    (void)table().memory_release(block.memory);
}

Result<Address> Holder::allocate(std::uint64_t bytes) {
    if (auto ok = use(); !ok) return ok.error();
    const std::string what = "allocating " + std::to_string(bytes) + " bytes on " + info_.device();
    if (info_.largest_allocation > 0 && bytes > info_.largest_allocation)
        return Error{ErrorKind::limit,
                     what + ": its largest buffer has " + std::to_string(info_.largest_allocation) + " bytes",
                     {},
                     "a smaller size"};
    Status s = status::success;
    Block block{table().buffer_create(context_, kReadWrite, std::max<std::uint64_t>(bytes, 1), nullptr, &s), bytes, {}};
    if (s != status::success) return error_of(s, what);
    const Address at = next_;
    constexpr std::uint64_t kStep = 1 << 12;  // addresses between two allocations belong to neither
    next_ += (bytes / kStep + 2) * kStep;
    blocks_.emplace(at, std::move(block));
    return at;
}

Result<void> Holder::release(Address address) {
    if (auto ok = use(); !ok) return ok;
    auto it = blocks_.find(address);
    if (it == blocks_.end()) return Error{ErrorKind::fault, "release of an address that was not allocated", {}, ""};
    free(it->second);
    blocks_.erase(it);
    return {};
}

std::map<Address, Holder::Block>::iterator Holder::find(Address at) {
    auto it = blocks_.upper_bound(at);
    if (it == blocks_.begin()) return blocks_.end();
    --it;
    return at - it->first <= it->second.bytes ? it : blocks_.end();
}

Result<std::pair<Memory, std::uint64_t>> Holder::covered(Address at, std::uint64_t bytes, const char* what) {
    if (auto ok = use(); !ok) return ok.error();
    auto it = find(at);
    if (it != blocks_.end() && bytes <= it->second.bytes - (at - it->first))
        return std::pair{it->second.memory, at - it->first};
    return Error{ErrorKind::fault,
                 std::string(what) + " of " + std::to_string(bytes) + " bytes outside any device allocation",
                 {},
                 ""};
}

Result<Memory> Holder::argument(Address at, const std::string& name, const Location& where) {
    if (at == 0) return Memory(nullptr);
    auto it = find(at);
    if (it == blocks_.end())
        return Error{ErrorKind::fault, "the pointer for '" + name + "' is in no device allocation", where,
                     "OpenCL takes buffers only"};
    const std::uint64_t offset = at - it->first;
    if (offset == 0) return it->second.memory;
    if (auto part = it->second.parts.find(offset); part != it->second.parts.end()) return part->second;
    const std::uint64_t unit =
        std::max<std::uint64_t>(1, value_of<Count>(table().device_info, info::address_alignment, place_.device) / 8);
    if (offset % unit != 0 || offset >= it->second.bytes)
        return Error{ErrorKind::limit,
                     "the pointer for '" + name + "' is " + std::to_string(offset) + " bytes into its buffer; " +
                         info_.device() + " takes multiples of " + std::to_string(unit),
                     where, "pass the buffer and an index"};
    const Region region{offset, it->second.bytes - offset};
    Status s = status::success;
    Memory part = table().sub_buffer(it->second.memory, kReadWrite, kRegion, &region, &s);
    if (s != status::success) return error_of(s, "a part of a buffer for '" + name + "'", where);
    it->second.parts.emplace(offset, part);
    return part;
}

Result<void> Holder::wait(Event event, std::chrono::milliseconds limit, const std::string& what,
                          const Location& where) {
    (void)table().flush(queue_);
    if (limit.count() == 0) {
        const Status s = table().event_wait(1, &event);
        // The error of a failed event only says that one failed; the event knows why.
        const auto state = value_of<Status>(table().event_info, info::execution_status, event);
        if (s == status::success && state >= 0) return {};
        Error error = error_of(state < 0 ? state : s, what, where);
        error.kind = ErrorKind::fault;
        return error;
    }
    const auto end = std::chrono::steady_clock::now() + limit;
    for (auto pause = std::chrono::microseconds(20);; pause = std::min(pause * 2, std::chrono::microseconds(2000))) {
        const auto state = value_of<Status>(table().event_info, info::execution_status, event);
        if (state == kComplete) return {};
        if (state < 0) {
            Error error = error_of(state, what, where);
            error.kind = ErrorKind::fault;
            return error;
        }
        if (std::chrono::steady_clock::now() > end) {
            gone_ = what + " is still running after " + std::to_string(limit.count()) + " ms";
            return Error{ErrorKind::fault, gone_, where, "a larger --timeout"};
        }
        std::this_thread::sleep_for(pause);
    }
}

}  // namespace warpwright::device::opencl
