// A table words the statuses that people meet, because OpenCL has no function that explains one. The loader stays open
// until the process ends, because platforms start threads of their own.
#include "device/opencl/driver.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "support/settings.hpp"
#include "support/shared_library.hpp"

namespace warpwright::device::opencl {
namespace {

struct Meaning {
    Status status;
    ErrorKind kind;
    const char* name;
    const char* what;
    const char* hint;
};

constexpr Meaning kMeanings[] = {
    {status::device_not_found, ErrorKind::no_device, "CL_DEVICE_NOT_FOUND", "the platform has no such device", ""},
    {status::device_not_available, ErrorKind::no_device, "CL_DEVICE_NOT_AVAILABLE", "the device is not available", ""},
    {status::compiler_not_available, ErrorKind::no_device, "CL_COMPILER_NOT_AVAILABLE", "the platform has no compiler",
     ""},
    {status::allocation_failure, ErrorKind::limit, "CL_MEM_OBJECT_ALLOCATION_FAILURE", "out of device memory",
     "a smaller size"},
    {status::out_of_resources, ErrorKind::limit, "CL_OUT_OF_RESOURCES",
     "the device lacks the memory, registers or local memory for it, or the kernel failed",
     "take a smaller group or size"},
    {status::out_of_host_memory, ErrorKind::limit, "CL_OUT_OF_HOST_MEMORY", "out of host memory", "a smaller size"},
    {status::no_kernel_argument_info, ErrorKind::limit, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE",
     "the platform does not report the types of a kernel's arguments", ""},
    {status::build_failure, ErrorKind::input, "CL_BUILD_PROGRAM_FAILURE", "the platform's compiler refuses the source",
     ""},
    {status::invalid_value, ErrorKind::usage, "CL_INVALID_VALUE", "a value is out of range", ""},
    {status::invalid_work_group_size, ErrorKind::limit, "CL_INVALID_WORK_GROUP_SIZE",
     "the device does not support groups of this size", "a smaller block"},
    {status::invalid_buffer_size, ErrorKind::limit, "CL_INVALID_BUFFER_SIZE", "the device has no buffers of this size",
     "a smaller size"},
    {status::no_platform, ErrorKind::no_device, "CL_PLATFORM_NOT_FOUND_KHR", "no OpenCL platform is installed",
     "install a vendor's driver, or the package pocl-opencl-icd for the CPU"},
};

}  // namespace

std::vector<std::string> loader_candidates() {
    if (const std::string own = settings::text(Setting::opencl); !own.empty()) return {own};
    return {"libOpenCL.so.1", "libOpenCL.so"};
}

Result<std::shared_ptr<const Driver>> load_driver(const std::vector<std::string>& candidates) {
    auto library = SharedLibrary::open_first(candidates);
    if (!library)
        return Error{
            ErrorKind::no_device,
            "no OpenCL loader: " + library.error().what,
            {},
            fmt::format("install ocl-icd-libopencl1, or name its file in {}", settings::variable(Setting::opencl))};
    auto driver = std::make_shared<Driver>();
    driver->file = library->path();
    std::string missing;
#define WARPWRIGHT_OPENCL_LOAD(member, symbol, ...) \
    if (missing.empty() && !library->get(driver->table.member, symbol)) missing = symbol;
    WARPWRIGHT_OPENCL_ENTRY_POINTS(WARPWRIGHT_OPENCL_LOAD)
#undef WARPWRIGHT_OPENCL_LOAD
    if (!missing.empty())
        return Error{ErrorKind::no_device,
                     "'" + library->file() + "' is not an OpenCL loader of version 1.2 or later: it lacks " + missing,
                     {},
                     ""};
    // Platforms start their own threads, so the library stays loaded until the process ends.
    static std::vector<SharedLibrary> kept;
    kept.push_back(std::move(*library));
    return std::shared_ptr<const Driver>(std::move(driver));
}

Result<std::vector<PlatformDevice>> find_devices(const Driver& driver) {
    const OpenclFunctions& t = driver.table;
    Count count = 0;
    Status s = t.platforms(0, nullptr, &count);
    if (s == status::success && count == 0) s = status::no_platform;
    if (s != status::success) return error_of(s, "looking for OpenCL platforms");
    std::vector<Platform> platforms(count);
    if (s = t.platforms(count, platforms.data(), nullptr); s != status::success)
        return error_of(s, "listing OpenCL platforms");
    std::vector<PlatformDevice> out;
    for (Platform p : platforms) {
        Count n = 0;
        if (t.devices(p, kTypeAll, 0, nullptr, &n) != status::success || n == 0)
            continue;  // a platform without a device
        std::vector<DeviceId> ids(n);
        if (s = t.devices(p, kTypeAll, n, ids.data(), nullptr); s != status::success)
            return error_of(s, "listing OpenCL devices");
        for (DeviceId id : ids)
            out.push_back({p, id, text_of(t.platform_info, info::platform_name, p),
                           text_of(t.platform_info, info::platform_version, p)});
    }
    if (out.empty())
        return Error{ErrorKind::no_device,
                     "no OpenCL platform of this machine has a device",
                     {},
                     "install a vendor's driver, or the package pocl-opencl-icd for the CPU"};
    return out;
}

Error error_of(Status s, const std::string& what, Location where) {
    for (const Meaning& m : kMeanings)
        if (m.status == s) return Error{m.kind, what + ": " + m.what + " [" + m.name + "]", std::move(where), m.hint};
    return Error{ErrorKind::internal, what + ": OpenCL error " + std::to_string(s), std::move(where), ""};
}

}  // namespace warpwright::device::opencl
