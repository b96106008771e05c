// The objects that a program registers when it starts: its fat binaries, and by the addresses of its host functions and
// variables the kernels and device variables in them. Code is read when it is first used.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "cudart/state/runtime.hpp"
#include "device/device.hpp"
#include "device/emulated/several_devices.hpp"
#include "driver_types.h"
#include "support/result.hpp"

namespace warpwright::cudart {

struct Binary {
    const void* wrapper = nullptr;
    /// Its code on a device: each has variables of its own.
    struct OnOne {
        std::once_flag once;
        std::shared_ptr<device::Module> module;  ///< once loaded
        cudaError_t error = cudaSuccess;         ///< why it could not be loaded
    };
    std::array<OnOne, device::kMostDevices> on;
    /// On the calling thread's device.
    OnOne& here() { return on[current_device()]; }
    const std::shared_ptr<device::Module>& module() { return here().module; }
    std::mutex loading;  ///< of what is the same on all devices
    unsigned arch = 0;   ///< compute capability of the PTX; 0: it names none
    std::string name;
    std::string ptx;                  ///< once loaded, where pictures of launches are wanted (WARPWRIGHT_PICTURES)
    std::optional<std::string> text;  ///< the code itself, if it is not one of the program's fat binaries
    struct Managed {
        void** pointer;
        std::string name;
    };
    std::vector<Managed> managed;                 ///< host pointers that must get their variable's address
    std::map<std::string, std::uint64_t> placed;  ///< variables that live in the program's memory, and their addresses
};

/// A kernel that the program knows. Its address is used as cudaKernel_t and cudaFunction_t.
struct Kernel {
    Binary* binary = nullptr;
    std::string name;                       ///< linkage name
    std::uint64_t most_dynamic_shared = 0;  ///< as set by cudaFuncSetAttribute; 0 = not set
    int carveout = -1;
    bool wide_clusters = false;
    const device::KernelInfo* info = nullptr;  ///< once looked up
};

struct Variable {
    Binary* binary = nullptr;
    std::string name;
    std::uint64_t bytes = 0;
};

struct ReferenceKind {
    bool surface = false, normalized_floats = false;
};

/// The runtime's error code for unusable code: no image for the device, or a corrupt one.
cudaError_t code_of_bad_image(const Error& error);

class Registry {
public:
    static Registry& get();

    Binary* add_binary(const void* wrapper);
    void remove_binary(Binary* binary);
    /// The binary of a handle that add_binary returned; nullptr for anything else.
    Binary* binary(const void* handle);
    /// Code that the program loads itself. Its kernels are added when they are looked up.
    Binary* add_library(std::string name, std::string text);
    /// nullptr: the library has no kernel of this name.
    Kernel* library_kernel(Binary& library, const std::string& name);
    /// Its kernels' handles are of nothing from now on, and of nothing else ever. Those that run go on.
    void retire_kernels(const Binary& library);
    void add_kernel(Binary* binary, const void* host, const char* name);
    void add_variable(Binary* binary, const void* host, const char* name, std::uint64_t bytes);
    /// [begin, end) of the program's memory holds managed variables, at their own addresses (programs built by
    /// clang).
    void add_managed_range(const void* begin, const void* end);
    /// The linked device code of the files of one program or library (separate compilation); they register their own
    /// parts of it next.
    void add_linked(const void* code);
    /// The binary is completely registered. One with managed variables is loaded now, because main() may use their
    /// initial values.
    void complete(Binary* binary);
    void add_managed(Binary* binary, void** host, const char* name, std::uint64_t bytes);
    /// A texture or surface reference: a device variable that holds the object bound to it.
    void add_reference(Binary* binary, const void* host, const char* name, const ReferenceKind& kind);
    /// The properties of a reference; nothing if `host` is none.
    std::optional<ReferenceKind> reference(const void* host);

    /// The kernel of a host function's address, or of a handle; nullptr if it is neither.
    Kernel* kernel(const void* address);
    /// Loads the binary's code on the calling thread's device, unless it is loaded.
    cudaError_t load(Binary& binary);
    /// A kernel that another one has launched, which the host may not know.
    Kernel* nested(Binary& binary, const device::KernelInfo& info);
    /// Looks up the kernel's module on the calling thread's device, and its properties, which are the same on all.
    cudaError_t ready(Kernel& kernel);
    /// Address on the calling thread's device, and bytes, of the variable behind a host variable's address.
    cudaError_t variable(const void* host, device::Address& address, std::uint64_t& bytes);
    /// The device variables, by name, of the code that is loaded.
    struct PlacedVariable {
        std::string name;
        device::Address address = 0;
        std::uint64_t bytes = 0;
        bool in_program = false;  ///< in the program's own memory
    };
    std::vector<PlacedVariable> loaded_variables();
    /// Memory of the managed variables, of the code that is loaded: of those in the program's own memory all together.
    std::vector<PlacedVariable> managed_memory();
    /// The address of `bytes` bytes of that variable, `offset` bytes into it; cudaErrorInvalidValue if they are not all
    /// in it.
    cudaError_t part(const void* host, std::size_t bytes, std::size_t offset, std::byte*& at);

private:
    /// The code of a wrapper, or what it was linked to.
    Result<std::string> code_of(const void* wrapper);
    std::vector<Binary*> linked_with(Binary& binary, const std::string& text);
    static std::map<std::string, std::uint64_t> placed_variables(const std::vector<Binary*>& binaries);
    Result<std::shared_ptr<device::Module>> load_text(Binary& binary, std::string text,
                                                      const std::vector<Binary*>& linked);
    static void place_managed(Binary& binary, device::Module& module);

    std::mutex mutex_;
    std::map<Binary*, std::unique_ptr<Binary>> binaries_;
    std::unordered_map<const void*, std::unique_ptr<Kernel>> kernels_;  ///< by host function
    std::unordered_map<const void*, Kernel*> handles_;
    std::vector<std::unique_ptr<Kernel>> retired_;  ///< of unloaded libraries: queued work and graphs may use them
    std::unordered_map<const void*, Variable> variables_;
    std::unordered_map<const void*, ReferenceKind> references_;  ///< those of the variables that are one
    std::unordered_map<const device::KernelInfo*, std::unique_ptr<Kernel>>
        unknown_;  ///< those that the host has not registered
    std::unordered_map<const device::KernelInfo*, Kernel*> nested_;
    std::vector<std::pair<const void*, const void*>> managed_ranges_;
    std::set<const void*> linked_codes_;
    std::mutex linked_mutex_;
    std::map<std::pair<unsigned, std::string>, std::shared_ptr<device::Module>> linked_;  ///< by device and text
};

}  // namespace warpwright::cudart
