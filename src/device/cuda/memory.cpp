// Each operation queues its work in the context's stream and waits for it. The table of allocations makes a copy over
// an end an error that names both sizes, where the driver says no more than "invalid value".
#include "device/cuda/memory.hpp"

#include <algorithm>

namespace warpwright::device::cuda {

Result<void> check_covered(ContextHolder& context, Address at, std::uint64_t bytes, const char* what) {
    auto& list = context.allocations();
    auto next = list.upper_bound(at);
    if (next == list.begin()) return {};
    const auto& [address, size] = *std::prev(next);
    if (at - address >= size || bytes <= size - (at - address)) return {};
    return Error{ErrorKind::fault,
                 std::string(what) + " of " + std::to_string(bytes) + " bytes runs over the end of an allocation of " +
                     std::to_string(size) + " bytes",
                 {},
                 ""};
}

namespace {

/// Queues only `work`, and waits for it.
template <class Work>
Result<void> run(ContextHolder& context, Address at, std::uint64_t bytes, const char* what, Work work) {
    if (bytes == 0) return {};
    if (auto ok = context.use(); !ok) return ok;
    if (auto ok = check_covered(context, at, bytes, what); !ok) return ok;
    Status s = work(context.table(), context.stream());
    if (s == status::success) s = context.table().stream_wait(context.stream());
    if (s == status::success) return {};
    Error error = context.failed(s, std::string(what) + " of " + std::to_string(bytes) + " bytes of device memory");
    if (s == status::invalid_value) error.kind = ErrorKind::fault;
    return error;
}

}  // namespace

Result<Address> allocate(ContextHolder& context, std::uint64_t bytes) {
    if (auto ok = context.use(); !ok) return std::move(ok).error();
    const DriverTable& t = context.table();
    DevicePointer pointer = 0;
    Status s = t.memory_allocate(&pointer, std::max<std::uint64_t>(bytes, 1));
    if (s != status::success) {
        std::string what = "allocating " + std::to_string(bytes) + " bytes on " + context.info().device();
        std::size_t free = 0, total = 0;
        if (s == status::out_of_memory && t.memory_info(&free, &total) == status::success)
            what += ", where " + std::to_string(free) + " of " + std::to_string(total) + " bytes are free";
        return context.failed(s, what);
    }
    context.allocations()[pointer] = bytes;
    return pointer;
}

Result<void> release(ContextHolder& context, Address address) {
    if (auto ok = context.use(); !ok) return ok;
    // An allocation of a context that a fault destroyed no longer exists.
    if (context.generation() > 1 && !context.allocations().contains(address)) return {};
    if (context.allocations().erase(address) == 0)
        return Error{ErrorKind::usage, "release of an address that was not allocated", {}, ""};
    if (Status s = context.table().memory_free(address); s != status::success)
        return context.failed(s, "releasing device memory");
    return {};
}

Result<void> write(ContextHolder& context, Address to, std::span<const std::byte> from) {
    return run(context, to, from.size(), "write", [&](const DriverTable& t, Stream stream) {
        return t.copy_to_device(to, from.data(), from.size(), stream);
    });
}

Result<void> read(ContextHolder& context, std::span<std::byte> to, Address from) {
    return run(context, from, to.size(), "read",
               [&](const DriverTable& t, Stream stream) { return t.copy_to_host(to.data(), from, to.size(), stream); });
}

Result<void> copy(ContextHolder& context, Address to, Address from, std::uint64_t bytes) {
    if (auto ok = context.use(); !ok) return ok;
    if (auto ok = check_covered(context, from, bytes, "copy"); !ok) return ok;
    return run(context, to, bytes, "copy",
               [&](const DriverTable& t, Stream stream) { return t.copy_on_device(to, from, bytes, stream); });
}

Result<void> fill(ContextHolder& context, Address to, std::uint8_t value, std::uint64_t bytes) {
    return run(context, to, bytes, "fill",
               [&](const DriverTable& t, Stream stream) { return t.set_bytes(to, value, bytes, stream); });
}

}  // namespace warpwright::device::cuda
