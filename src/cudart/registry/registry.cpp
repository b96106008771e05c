// Registration only notes addresses and names, since it runs before main and most kernels are never used. A binary is
// compiled once at its first use, and linked files that carry the same text share one module.
#include "cudart/registry/registry.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <filesystem>

#include "compile/program/fatbin.hpp"
#include "compile/program/link_ptx.hpp"
#include "cudart/registry/program_code.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/state/shared_range.hpp"
#include "device/emulated/placed_variables.hpp"
#include "host/self.hpp"
#include "support/cause.hpp"

namespace warpwright::cudart {
namespace {

std::string program_name() { return std::filesystem::path(host::own_program()).filename().string(); }

}  // namespace

cudaError_t code_of_bad_image(const Error& error) {
    return error.cause == Cause::no_ptx ? cudaErrorNoKernelImageForDevice : cudaErrorInvalidKernelImage;
}

Registry& Registry::get() {
    static auto* registry = new Registry;
    return *registry;
}

Binary* Registry::add_binary(const void* wrapper) {
    std::lock_guard lock(mutex_);
    auto binary = std::make_unique<Binary>();
    binary->wrapper = wrapper;
    binary->name = program_name() + (binaries_.empty() ? "" : ":" + std::to_string(binaries_.size() + 1)) + ".ptx";
    auto* raw = binary.get();
    binaries_[raw] = std::move(binary);
    return raw;
}

void Registry::remove_binary(Binary*) {
    // Programs unregister at their end, while their destructors may still free memory: nothing is destroyed.
}

Binary* Registry::add_library(std::string name, std::string text) {
    std::lock_guard lock(mutex_);
    auto binary = std::make_unique<Binary>();
    binary->name = std::move(name);
    binary->text = std::move(text);
    auto* raw = binary.get();
    binaries_[raw] = std::move(binary);
    return raw;
}

Binary* Registry::binary(const void* handle) {
    std::lock_guard lock(mutex_);
    const auto found = binaries_.find(static_cast<Binary*>(const_cast<void*>(handle)));
    return found == binaries_.end() ? nullptr : found->second.get();
}

Kernel* Registry::library_kernel(Binary& library, const std::string& name) {
    if (load(library) != cudaSuccess) return nullptr;
    const auto& all = library.module()->kernels();
    if (std::none_of(all.begin(), all.end(), [&](const auto& k) { return k.name == name; })) return nullptr;
    std::lock_guard lock(mutex_);
    for (const auto& [key, kernel] : kernels_)
        if (kernel->binary == &library && kernel->name == name) return kernel.get();
    auto kernel = std::make_unique<Kernel>();
    kernel->binary = &library;
    kernel->name = name;
    auto* raw = kernel.get();
    handles_[raw] = raw;
    kernels_[raw] = std::move(kernel);
    return raw;
}

void Registry::retire_kernels(const Binary& library) {
    std::lock_guard lock(mutex_);
    std::erase_if(handles_, [&](const auto& h) { return h.second->binary == &library; });
    for (auto k = kernels_.begin(); k != kernels_.end();) {
        if (k->second->binary == &library) {
            retired_.push_back(std::move(k->second));
            k = kernels_.erase(k);
        } else {
            ++k;
        }
    }
}

void Registry::add_kernel(Binary* binary, const void* host, const char* name) {
    std::lock_guard lock(mutex_);
    auto kernel = std::make_unique<Kernel>();
    kernel->binary = binary;
    kernel->name = name;
    handles_[kernel.get()] = kernel.get();
    kernels_[host] = std::move(kernel);
}

void Registry::add_variable(Binary* binary, const void* host, const char* name, std::uint64_t bytes) {
    std::lock_guard lock(mutex_);
    variables_[host] = {binary, name, bytes};
    for (const auto& [begin, end] : managed_ranges_)
        if (host >= begin && host < end) binary->placed[name] = reinterpret_cast<std::uint64_t>(host);
}

void Registry::add_managed_range(const void* begin, const void* end) {
    std::lock_guard lock(mutex_);
    if (std::find(managed_ranges_.begin(), managed_ranges_.end(), std::pair{begin, end}) == managed_ranges_.end())
        managed_ranges_.emplace_back(begin, end);
    const auto first = reinterpret_cast<std::uint64_t>(begin);
    share_with_host(first, reinterpret_cast<std::uint64_t>(end) - first);
}

void Registry::add_linked(const void* code) {
    std::lock_guard lock(mutex_);
    linked_codes_.insert(code);
}

Result<std::string> Registry::code_of(const void* wrapper) {
    if (!is_relocatable(wrapper)) return registered_ptx(wrapper);
    Dl_info own{}, its{};
    std::lock_guard lock(mutex_);
    if (::dladdr(wrapper, &own))
        for (const void* code : linked_codes_)
            if (::dladdr(code, &its) && its.dli_fbase == own.dli_fbase) return loaded_ptx(code, ~std::uint64_t{0});
    return Error{ErrorKind::input,
                 "the program's files share device code that nobody has linked",
                 {},
                 "warpwright build -dlink makes an object of it, to be linked with them"};
}

void Registry::complete(Binary* binary) {
    if (!binary->placed.empty()) (void)load(*binary);
}

void Registry::add_managed(Binary* binary, void** host, const char* name, std::uint64_t bytes) {
    std::lock_guard lock(mutex_);
    variables_[host] = {binary, name, bytes};
    binary->managed.push_back({host, name});
}

void Registry::add_reference(Binary* binary, const void* host, const char* name, const ReferenceKind& kind) {
    std::lock_guard lock(mutex_);
    variables_[host] = {binary, name, sizeof(std::uint64_t)};
    references_[host] = kind;
}

std::optional<ReferenceKind> Registry::reference(const void* host) {
    std::lock_guard lock(mutex_);
    const auto found = references_.find(host);
    return found == references_.end() ? std::nullopt : std::optional(found->second);
}

Kernel* Registry::kernel(const void* address) {
    std::lock_guard lock(mutex_);
    if (auto found = kernels_.find(address); found != kernels_.end()) return found->second.get();
    if (auto found = handles_.find(address); found != handles_.end()) return found->second;
    return nullptr;
}

Kernel* Registry::nested(Binary& binary, const device::KernelInfo& info) {
    std::lock_guard lock(mutex_);
    if (const auto found = nested_.find(&info); found != nested_.end()) return found->second;
    for (const auto& [host, kernel] : kernels_)
        if (kernel->name == info.name && kernel->binary->module() == binary.module()) {
            kernel->info = &info;
            return nested_[&info] = kernel.get();
        }
    auto kernel = std::make_unique<Kernel>();
    kernel->binary = &binary;
    kernel->name = info.name;
    kernel->info = &info;
    auto* raw = kernel.get();
    handles_[raw] = raw;
    unknown_[&info] = std::move(kernel);
    return nested_[&info] = raw;
}

/// The binary, and, where its code is that of linked files, those of the others that have variables with a place: all
/// of them carry the same text, and share their variables.
std::vector<Binary*> Registry::linked_with(Binary& binary, const std::string& text) {
    std::vector<Binary*> out{&binary}, others;
    if (!compile::is_linked_ptx(text)) return out;
    {
        std::lock_guard lock(mutex_);
        for (const auto& [key, other] : binaries_)
            if (key != &binary && other->wrapper && (!other->placed.empty() || !other->managed.empty()))
                others.push_back(key);
    }
    for (auto* other : others)
        if (const auto its = code_of(other->wrapper); its && *its == text) out.push_back(other);
    return out;
}

/// Variables that have memory already: the host's, and managed ones that another device's module has given theirs.
std::map<std::string, std::uint64_t> Registry::placed_variables(const std::vector<Binary*>& binaries) {
    std::map<std::string, std::uint64_t> out;
    for (const auto* of : binaries) {
        out.insert(of->placed.begin(), of->placed.end());
        for (const auto& m : of->managed)
            if (*m.pointer) out[m.name] = reinterpret_cast<std::uint64_t>(*m.pointer);
    }
    return out;
}

Result<std::shared_ptr<device::Module>> Registry::load_text(Binary& binary, std::string text,
                                                            const std::vector<Binary*>& linked) {
    auto& runtime = Runtime::get();
    auto& device = *runtime.device();
    const auto places = placed_variables(linked);
    if (runtime.devices() > 1)
        return device.several_devices()->load_for(current_device(), binary.name, std::move(text), places);
    if (places.empty()) return device.load(binary.name, std::move(text));
    auto* placing = device.placed_variables();
    if (!placing) return Error{ErrorKind::usage, "this device cannot place variables in the host's memory", {}, ""};
    return placing->load_placed(binary.name, std::move(text), places);
}

cudaError_t Registry::load(Binary& binary) {
    auto& on = binary.here();
    std::call_once(on.once, [&] {
        const std::lock_guard one_by_one(binary.loading);
        auto& runtime = Runtime::get();
        if (!runtime.device()) {
            on.error = cudaErrorInitializationError;
            return;
        }
        auto text = binary.text ? Result<std::string>(*binary.text) : code_of(binary.wrapper);
        if (!text) {
            runtime.say(text.error());
            on.error = code_of_bad_image(text.error());
            return;
        }
        binary.arch = compile::ptx_arch(*text);
        if (runtime.settings.pictures) binary.ptx = *text;
        // Linked files carry the same text each, and are one module: each variable exists once.
        std::unique_lock lock(linked_mutex_, std::defer_lock);
        const std::pair shared(current_device(), compile::is_linked_ptx(*text) ? *text : std::string());
        if (!shared.second.empty()) {
            lock.lock();
            if (const auto found = linked_.find(shared); found != linked_.end()) {
                on.module = found->second;
                // The file that loaded it may have been registered before this one.
                place_managed(binary, *on.module);
                return;
            }
        }
        const auto linked = linked_with(binary, *text);
        auto module = load_text(binary, std::move(*text), linked);
        if (!module) {
            runtime.say(module.error());
            on.error = cudaErrorInvalidPtx;
            return;
        }
        on.module = *module;
        if (!shared.second.empty()) linked_[shared] = *module;
        for (auto* of : linked) place_managed(*of, *on.module);
    });
    return on.error;
}

/// The host's pointers to managed variables get their addresses, which are every device's.
void Registry::place_managed(Binary& binary, device::Module& module) {
    auto& runtime = Runtime::get();
    for (auto& m : binary.managed) {
        if (*m.pointer) continue;
        const auto v = module.variable(m.name);
        if (!v) continue;
        *m.pointer = reinterpret_cast<void*>(v->first);
        share_with_host(v->first, v->second);
        runtime.device()->several_devices()->belongs_to_all(v->first);
    }
}

cudaError_t Registry::ready(Kernel& kernel) {
    if (auto e = load(*kernel.binary); e != cudaSuccess) return e;
    std::lock_guard lock(mutex_);
    if (kernel.info) return cudaSuccess;
    auto info = kernel.binary->module()->kernel(kernel.name);
    if (!info) {
        Runtime::get().say(info.error());
        return cudaErrorInvalidDeviceFunction;
    }
    kernel.info = *info;
    return cudaSuccess;
}

cudaError_t Registry::variable(const void* host, device::Address& address, std::uint64_t& bytes) {
    Variable v;
    {
        std::lock_guard lock(mutex_);
        auto found = variables_.find(host);
        if (found == variables_.end()) return cudaErrorInvalidSymbol;
        v = found->second;
    }
    if (auto e = load(*v.binary); e != cudaSuccess) return e;
    auto place = v.binary->module()->variable(v.name);
    if (!place) return cudaErrorInvalidSymbol;
    address = place->first;
    bytes = place->second;
    return cudaSuccess;
}

std::vector<Registry::PlacedVariable> Registry::loaded_variables() {
    std::lock_guard lock(mutex_);
    std::vector<PlacedVariable> out;
    for (const auto& [host, v] : variables_)
        for (const auto& on : v.binary->on) {
            if (!on.module) continue;
            if (const auto place = on.module->variable(v.name)) out.push_back({v.name, place->first, place->second});
        }
    return out;
}

std::vector<Registry::PlacedVariable> Registry::managed_memory() {
    std::lock_guard lock(mutex_);
    std::vector<PlacedVariable> out;
    for (const auto& [begin, end] : managed_ranges_) {
        const auto first = reinterpret_cast<device::Address>(begin), last = reinterpret_cast<device::Address>(end);
        out.push_back({"", first, last - first, true});
    }
    for (const auto& [own, binary] : binaries_)
        for (const auto& on : binary->on) {
            if (!on.module) continue;
            for (const auto& m : binary->managed)
                if (const auto v = on.module->variable(m.name)) out.push_back({m.name, v->first, v->second});
            break;  // they are every device's
        }
    return out;
}

cudaError_t Registry::part(const void* host, std::size_t bytes, std::size_t offset, std::byte*& at) {
    device::Address base = 0;
    std::uint64_t size = 0;
    if (auto e = variable(host, base, size); e != cudaSuccess) return e;
    if (offset > size || bytes > size - offset) return cudaErrorInvalidValue;
    at = reinterpret_cast<std::byte*>(base + offset);
    return cudaSuccess;
}

}  // namespace warpwright::cudart
