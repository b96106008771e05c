// Each structure is copied only after the size of the mapped memory around it is known. If no entry fits the device,
// the error names the device models that could run the code.
#include "cudart/registry/program_code.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "arch/model.hpp"
#include "compile/program/device_link.hpp"
#include "compile/program/fatbin.hpp"
#include "compile/program/link_ptx.hpp"
#include "cudart/state/runtime.hpp"
#include "host/memory.hpp"
#include "support/cause.hpp"

namespace warpwright::cudart {
namespace {

constexpr std::uint32_t kWrapperMagic = 0x466243b1, kRegionMagic = 0xba55ed50, kElfMagic = 0x464c457f;

/// The structure that compilers put around a fat binary.
struct Wrapper {
    std::uint32_t magic, version;
    const std::byte* data;
    const void* more;
};

Error corrupt(const char* what) {
    return Error{
        ErrorKind::input, std::string("the program's fat binary is corrupt: ") + what, {}, "build the program again"};
}

/// A sentence that names the device models of at least this compute capability.
std::string who_runs(unsigned arch) {
    const auto capability = std::to_string(arch / 10) + "." + std::to_string(arch % 10);
    std::string names;
    for (const auto& name : arch::list_models())
        if (auto model = arch::load_model(name); model && static_cast<std::uint64_t>(model->compute_capability) >= arch)
            names += (names.empty() ? "" : ", ") + name;
    return names.empty() ? "there is no device model of compute capability " + capability + " here"
                         : "or run it with --model " + names;
}

Result<std::string> ptx_in(const std::byte* data, std::uint64_t most) {
    auto entries = compile::read_fat_binary(data, most);
    if (!entries) return entries.error();
    auto text = compile::ptx_of(*entries, static_cast<unsigned>(Runtime::get().model().compute_capability));
    if (text || text.error().cause != Cause::no_ptx) return text;
    unsigned least = 0;
    for (const auto& e : *entries)
        if (e.kind == compile::FatEntry::Kind::ptx && (least == 0 || e.arch < least)) least = e.arch;
    auto error = text.error();
    if (least) error.hint += "; " + who_runs(least);
    return error;
}

}  // namespace

Result<std::string> registered_ptx(const void* address) {
    Wrapper wrapper{};
    if (host::readable_bytes(address) < sizeof wrapper) return corrupt("its wrapper is not in the program's memory");
    std::memcpy(&wrapper, address, sizeof wrapper);
    if (wrapper.magic != kWrapperMagic || !wrapper.data) return corrupt("its wrapper is not one");
    // Separate compilation: one fat binary for each file, to be linked here.
    if (wrapper.version != 2 || !wrapper.more) return ptx_in(wrapper.data, host::readable_bytes(wrapper.data));
    std::vector<std::string> modules;
    // A fat binary without PTX may be NVIDIA's own, which few programs need: if it is needed, loading reports what is
    // missing.
    Result<std::string> last = corrupt("there is no file in it");
    const auto count = host::readable_bytes(wrapper.more) / sizeof(void*);
    for (std::uint64_t k = 0; k < count; ++k) {
        const std::byte* each = nullptr;
        std::memcpy(&each, static_cast<const std::byte*>(wrapper.more) + k * sizeof each, sizeof each);
        if (!each) break;
        last = ptx_in(each, host::readable_bytes(each));
        if (last) modules.push_back(*last);
    }
    return modules.empty() ? last : compile::link_ptx(modules);
}

bool is_relocatable(const void* address) {
    Wrapper wrapper{};
    if (host::readable_bytes(address) < sizeof wrapper) return false;
    std::memcpy(&wrapper, address, sizeof wrapper);
    if (wrapper.magic != kWrapperMagic || !wrapper.data) return false;
    const auto entries = compile::read_fat_binary(wrapper.data, host::readable_bytes(wrapper.data));
    return entries && std::any_of(entries->begin(), entries->end(), [](const auto& e) { return e.relocatable; });
}

Result<std::string> loaded_ptx(const void* code, std::uint64_t most) {
    most = std::min(most, host::readable_bytes(code));
    std::uint32_t magic = 0;
    if (most >= sizeof magic) std::memcpy(&magic, code, sizeof magic);
    if (magic == kWrapperMagic) return registered_ptx(code);
    if (magic == kRegionMagic) return ptx_in(static_cast<const std::byte*>(code), most);
    if (magic == kElfMagic) {
        Error error{ErrorKind::input,
                    "this is machine code of a GPU, and the emulated one runs PTX",
                    {},
                    "give it PTX (nvcc -ptx), or a fat binary with PTX"};
        error.cause = Cause::no_ptx;
        return error;
    }
    const auto* text = static_cast<const char*>(code);
    return std::string(text, ::strnlen(text, most));
}

Result<ObjectPtx> object_ptx(const void* file, std::uint64_t bytes) {
    auto parts =
        compile::device_parts({static_cast<const std::byte*>(file), std::min(bytes, host::readable_bytes(file))});
    if (!parts) return parts.error();
    return ObjectPtx{std::move(parts->modules), parts->device_runtime};
}

Result<std::string> linked_ptx(const std::vector<std::string>& texts) { return compile::link_ptx(texts); }

}  // namespace warpwright::cudart
