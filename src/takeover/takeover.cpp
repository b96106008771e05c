// Programs that have the static CUDA runtime in them, as nvcc links it unless told otherwise. The runtime's public
// functions are in the program by name, in its symbol table; each is led to the function of this name in our runtime
// library before any of the program's code runs. Objects that are loaded later are treated so as well: the loader tells
// debuggers of them after they are mapped and before their constructors run, and we listen there (r_brk of <link.h>).
//
// Nothing else of the runtime is touched. In particular its check that the driver is NVIDIA's is neither answered nor
// changed: no call gets that far, because none of its functions runs.
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "support/libraries.hpp"
#include "takeover/elf_file.hpp"
#include "takeover/redirect.hpp"
#include "takeover/stripped.hpp"
#include "takeover/stubs.hpp"

namespace warpwright::takeover {
namespace {

constexpr int kNotSupported = 801;  // cudaErrorNotSupported

int refuse() { return kNotSupported; }

/// The function of our runtime library, which is loaded when the first is needed.
void* resolve(const char* name, int version) {
    const DropIn* const runtime = drop_in_for("libcudart.so." + std::to_string(version));
    if (!runtime) return reinterpret_cast<void*>(&refuse);
    const std::string file = own_folder() + "/" + runtime->path();
    void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        say(std::string("our runtime library cannot be loaded: ") + ::dlerror());
        return reinterpret_cast<void*>(&refuse);
    }
    if (void* found = ::dlsym(library, name)) return found;
    say(std::string(name) + " is not supported by the emulated GPU's runtime library");
    return reinterpret_cast<void*>(&refuse);
}

/// The runtime's version by the functions it has; 0: older than those that we have.
int version_of(const ObjectFacts& facts) {
    if (facts.has("cudaGetDeviceProperties_v2")) return 12;
    return facts.has("cudaLibraryLoadData") ? 13 : 0;
}

void take_over(const std::string& name, std::uint64_t base, const ObjectFacts& facts) {
    const int version = version_of(facts);
    if (version == 0) {
        say(name +
            " has a static CUDA runtime older than 12 in it, which is not supported: build it with CUDA 12 or 13");
        return;
    }
    Stubs stubs(base + facts.functions.front().value, facts.functions.size());
    bool all = stubs.ok();
    for (const auto& f : facts.functions) all = all && stubs.lead(base + f.value, f.name, version, &resolve);
    if (stubs.ok()) stubs.seal();
    if (!all)
        say(name +
            ": the system does not allow its static CUDA runtime to be replaced (memory that is written cannot be "
            "run): build it with nvcc -cudart shared");
}

void look_at(const link_map& object) {
    const bool is_program = !object.l_name || !*object.l_name;
    const std::string name = is_program ? "/proc/self/exe" : object.l_name;
    // What the system maps itself has no file.
    if (!is_program && name.find('/') == std::string::npos) return;
    const auto facts = look_at_object(name, object.l_addr);
    if (facts.shared_runtime) return;
    const std::string shown = is_program ? "this program" : name;
    if (facts.has("__cudaRegisterFatBinary") && facts.has("__cudaRegisterFunction"))
        take_over(shown, object.l_addr, facts);
    else if (facts.device_code && !is_program)
        note_stripped(name);
    else if (facts.device_code)
        say(shown +
            " has kernels and the static CUDA runtime, but no symbol table: it was stripped, so its runtime cannot "
            "be replaced. Build it with nvcc -cudart shared, or do not strip it");
}

std::vector<const link_map*>& seen() {
    static auto* all = new std::vector<const link_map*>;
    return *all;
}

void look_at_all() {
    std::vector<const link_map*> now;
    for (const auto* object = _r_debug.r_map; object; object = object->l_next) {
        now.push_back(object);
        bool known = false;
        for (const auto* old : seen()) known = known || old == object;
        if (!known) look_at(*object);
    }
    seen().swap(now);
}

/// Called by the loader whenever its list of objects changes. Its lock is held.
void on_change() {
    // Between these states the list is not complete.
    if (_r_debug.r_state == r_debug::RT_CONSISTENT) look_at_all();
}

/// The loader's own function does nothing; its first bytes are ours if they are that: [endbr64] ret [nothing].
bool is_empty_function(const unsigned char* code) {
    const unsigned char mark[] = {0xf3, 0x0f, 0x1e, 0xfa};
    const bool marked = std::memcmp(code, mark, sizeof mark) == 0;
    // Functions begin at multiples of 16, so what follows it belongs to nothing.
    return reinterpret_cast<std::uint64_t>(code) % 16 == 0 && code[marked ? 4 : 0] == 0xc3;
}

__attribute__((constructor)) void begin() {
    look_at_all();
    const auto place = _r_debug.r_brk;
    if (!place || !is_empty_function(reinterpret_cast<const unsigned char*>(place))) {
        say("libraries that are loaded later keep their static CUDA runtime: this system's loader is not known to us");
        return;
    }
    Stubs stubs(place, 1);
    if (stubs.ok()) (void)stubs.lead(place, &on_change), stubs.seal();
}

}  // namespace
}  // namespace warpwright::takeover
