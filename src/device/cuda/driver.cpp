// A table gives the statuses that people meet their kind, a plain wording and a hint. Entry points are found by name in
// the library; one that CUDA 11 has must be there, while newer ones may be absent.
#include "device/cuda/driver.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "support/cause.hpp"
#include "support/settings.hpp"
#include "support/shared_library.hpp"

namespace warpwright::device::cuda {
namespace {

struct Meaning {
    Status status;
    ErrorKind kind;
    const char* what;  ///< replaces the driver's text; empty: the driver's text is used
    const char* hint;  ///< {}: the setting that names NVRTC
};

constexpr Meaning kMeanings[] = {
    {status::invalid_value, ErrorKind::usage, "", ""},
    {status::out_of_memory, ErrorKind::limit, "out of device memory",
     "take a smaller size, or free memory on the device"},
    {status::no_device, ErrorKind::no_device, "the driver finds no CUDA device",
     "see nvidia-smi and CUDA_VISIBLE_DEVICES, or use --device emulated"},
    {status::invalid_device, ErrorKind::no_device, "", "warpwright device lists the devices"},
    {status::invalid_image, ErrorKind::input, "the driver does not accept this as a kernel", ""},
    {status::no_binary, ErrorKind::input, "the module is not for this device's architecture",
     "compile for this device or an older one"},
    {status::ecc, ErrorKind::fault, "the device's memory has an uncorrectable error (ECC)",
     "see nvidia-smi -q -d ECC; the device may need a reset"},
    {status::invalid_ptx, ErrorKind::input, "the driver's compiler refuses the PTX", ""},
    {status::jit_missing, ErrorKind::no_device, "the driver's PTX compiler (libnvidia-ptxjitcompiler) is missing",
     "install the whole driver"},
    {status::unsupported_ptx, ErrorKind::no_device, "the PTX is newer than the driver",
     "install a newer driver, or name an older NVRTC in {}"},
    {status::not_found, ErrorKind::input, "", ""},
    {status::illegal_address, ErrorKind::fault, "a thread accessed memory out of bounds (illegal address)",
     "--device emulated names the source line and the nearest allocation"},
    {status::out_of_resources, ErrorKind::limit,
     "the launch needs more registers or shared memory than a block may have",
     "launch smaller blocks, or give the kernel __launch_bounds__"},
    {status::launch_timeout, ErrorKind::fault,
     "the system ended the kernel for running too long (its display watchdog)",
     "take a smaller size, or a device without a display"},
    {status::assertion, ErrorKind::fault, "an assert of the kernel failed", ""},
    {status::hardware_stack, ErrorKind::fault, "a thread's call stack overflowed or is corrupt", ""},
    {status::illegal_instruction, ErrorKind::fault, "a thread met an illegal instruction or trap",
     "--device emulated names the source line"},
    {status::misaligned_address, ErrorKind::fault, "a thread accessed a misaligned address",
     "--device emulated names the source line"},
    {status::invalid_address_space, ErrorKind::fault, "an access fell into the wrong address space",
     "--device emulated names the source line"},
    {status::invalid_pc, ErrorKind::fault, "the program counter left the kernel", ""},
    {status::launch_failed, ErrorKind::fault, "the kernel failed (a trap, or an access the device could not name)",
     "--device emulated names the source line"},
    {status::too_large_cooperative, ErrorKind::limit, "a cooperative grid is larger than what is resident at a time",
     "launch a smaller grid: at most the blocks that all multiprocessors hold together"},
    {status::not_supported, ErrorKind::limit, "the device does not support this", ""},
    {status::system_driver_mismatch, ErrorKind::no_device, "the driver's kernel module and libcuda do not match",
     "restart after a driver update"},
};

}  // namespace

std::vector<std::string> driver_candidates() {
    if (const std::string own = settings::text(Setting::libcuda); !own.empty()) return {own};
    return {"libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1", "/usr/local/nvidia/lib/libcuda.so.1",
            "/usr/lib/wsl/lib/libcuda.so.1"};
}

Result<Driver> load_driver(const std::vector<std::string>& candidates) {
    auto library = SharedLibrary::open_first(candidates);
    if (!library) {
        bool own = candidates.size() == 1;
        Error error = std::move(library).error();
        error.what = "no NVIDIA driver: " + (own ? error.what : std::string("libcuda.so.1 was not found"));
        error.hint = "use --device emulated";
        error.cause = Cause::no_driver;
        return error;
    }
    DriverTable table;
    std::string missing;
#define WARPWRIGHT_CUDA_LOAD(member, name, ...) \
    if (!library->get(table.member, name)) missing += (missing.empty() ? "" : ", ") + std::string(name);
    WARPWRIGHT_CUDA_ENTRY_POINTS(WARPWRIGHT_CUDA_LOAD)
#undef WARPWRIGHT_CUDA_LOAD
    if (!missing.empty())
        return Error{ErrorKind::no_device,
                     "the NVIDIA driver " + library->path() + " is too old: it lacks " + missing,
                     {},
                     "install a driver for CUDA 11 or newer, or use --device emulated"};
#define WARPWRIGHT_CUDA_LOAD(member, name, ...) library->get(table.member, name);
    WARPWRIGHT_CUDA_OPTIONAL_ENTRY_POINTS(WARPWRIGHT_CUDA_LOAD)
#undef WARPWRIGHT_CUDA_LOAD
    return start_driver(table, library->path());
}

Result<Driver> start_driver(const DriverTable& table, std::string file) {
    Driver driver{table, std::move(file), 0};
    if (Status s = table.init(0); s != status::success) return error_of(table, s, "the NVIDIA driver does not start");
    if (Status s = table.driver_version(&driver.version); s != status::success)
        return error_of(table, s, "asking for the driver's version");
    return driver;
}

std::string version_text(int version) {
    return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Error error_of(const DriverTable& table, Status status, const std::string& what, Location where) {
    const char *name = nullptr, *text = nullptr;
    if (table.error_name) (void)table.error_name(status, &name);
    if (table.error_text) (void)table.error_text(status, &text);
    const std::string code = name ? name : "CUDA error " + std::to_string(status);
    Error error{ErrorKind::internal, what + ": ", std::move(where), ""};
    for (const Meaning& m : kMeanings) {
        if (m.status != status) continue;
        error.kind = m.kind;
        if (m.kind == ErrorKind::fault) error.cause = cause_of_cuda(static_cast<std::int32_t>(status));
        error.hint = fmt::format(fmt::runtime(m.hint), settings::variable(Setting::nvrtc));
        if (*m.what) {
            error.what += std::string(m.what) + " [" + code + "]";
            return error;
        }
    }
    // Failures of the driver itself (its state, its installation) are problems of the machine, not defects of ours.
    if (status == status::not_initialized || status == status::unknown || status > 800)
        error.kind = ErrorKind::no_device;
    error.what += (text ? std::string(text) + " [" + code + "]" : code);
    return error;
}

bool is_sticky(Status s) {
    switch (s) {
        case status::ecc:
        case status::illegal_address:
        case status::launch_timeout:
        case status::assertion:
        case status::hardware_stack:
        case status::illegal_instruction:
        case status::misaligned_address:
        case status::invalid_address_space:
        case status::invalid_pc:
        case status::launch_failed:
            return true;
        default:
            return false;
    }
}

}  // namespace warpwright::device::cuda
