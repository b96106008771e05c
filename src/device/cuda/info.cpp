// Each attribute is asked for by itself, because drivers differ in which they know. A device that does not report the
// limits by which launches are checked is refused.
#include "device/cuda/info.hpp"

#include <algorithm>
#include <cstring>

namespace warpwright::device::cuda {

Result<int> count_devices(const Driver& driver) {
    int count = 0;
    if (Status s = driver.table.device_count(&count); s != status::success)
        return error_of(driver.table, s, "asking for the CUDA devices");
    if (count == 0) return error_of(driver.table, status::no_device, "asking for the CUDA devices");
    return count;
}

Result<CudaDeviceInfo> describe_device(const Driver& driver, int ordinal) {
    const DriverTable& t = driver.table;
    auto count = count_devices(driver);
    if (!count) return std::move(count).error();
    if (ordinal < 0 || ordinal >= *count)
        return Error{ErrorKind::no_device,
                     "there is no device 'cuda:" + std::to_string(ordinal) + "'",
                     {},
                     *count == 1 ? "there is one: cuda:0" : "there are cuda:0 to cuda:" + std::to_string(*count - 1)};
    DeviceId id = 0;
    if (Status s = t.device_get(&id, ordinal); s != status::success)
        return error_of(t, s, "opening cuda:" + std::to_string(ordinal));
    CudaDeviceInfo out;
    out.ordinal = ordinal;
    char name[256] = "";
    if (t.device_name(name, sizeof name, id) == status::success) out.name.assign(name, ::strnlen(name, sizeof name));
    char bus[32] = "";
    if (t.device_bus && t.device_bus(bus, sizeof bus, id) == status::success)
        out.bus.assign(bus, ::strnlen(bus, sizeof bus));
    std::size_t memory = 0;
    if (t.device_memory(&memory, id) == status::success) out.memory = memory;
    const auto get = [&](DeviceAttribute which) {
        int value = 0;
        return t.device_attribute(&value, which, id) == status::success && value > 0 ? static_cast<std::uint32_t>(value)
                                                                                     : 0u;
    };
    using A = DeviceAttribute;
    Limits& l = out.limits;
    l.threads_per_block = get(A::threads_per_block);
    l.block = {get(A::block_x), get(A::block_y), get(A::block_z)};
    l.grid = {get(A::grid_x), get(A::grid_y), get(A::grid_z)};
    l.shared_per_block = get(A::shared_per_block);
    l.shared_per_block_optin = std::max<std::uint64_t>(l.shared_per_block, get(A::shared_per_block_optin));
    l.registers_per_thread = 255;  // of every capability from 3.5 on; the driver has no attribute for it
    l.warp = get(A::warp);
    l.multiprocessors = get(A::multiprocessors);
    l.compute_capability = static_cast<int>(get(A::capability_major) * 10 + get(A::capability_minor));
    out.clock = 1e3 * get(A::clock_khz);
    out.memory_clock = 1e3 * get(A::memory_clock_khz);
    out.bus_bits = get(A::bus_bits);
    out.l2 = get(A::l2_bytes);
    out.threads_per_multiprocessor = get(A::threads_per_multiprocessor);
    out.blocks_per_multiprocessor = get(A::blocks_per_multiprocessor);
    out.registers_per_multiprocessor = get(A::registers_per_multiprocessor);
    out.registers_per_block = get(A::registers_per_block);
    out.shared_per_multiprocessor = get(A::shared_per_multiprocessor);
    out.reserved_shared_per_block = get(A::reserved_shared_per_block);
    out.constant = get(A::constant);
    out.cooperative = get(A::cooperative) != 0;
    out.clusters = get(A::clusters) != 0;
    out.ecc = get(A::ecc) != 0;
    out.driver_version = driver.version;
    out.driver_file = driver.file;
    if (l.threads_per_block == 0 || l.multiprocessors == 0 || l.warp == 0)
        return Error{ErrorKind::no_device,
                     "cuda:" + std::to_string(ordinal) + " does not report its limits",
                     {},
                     "see nvidia-smi, or use --device emulated"};
    return out;
}

}  // namespace warpwright::device::cuda
