// The entry points of libnvrtc, made from the table. Each leads to NVIDIA's library where the program has that, and to
// our own programs otherwise.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <mutex>
#include <set>

#include "compilers/nvrtc/options.hpp"
#include "compilers/nvrtc/program.hpp"
#include "compilers/nvrtc/vendor.hpp"
#include "support/handle_table.hpp"

namespace warpwright::compilers {
namespace {

/// What clang 19 knows, as the numbers of NVRTC's list.
constexpr int kArchs[] = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90};
constexpr int kMajor = WARPWRIGHT_NVRTC_MAJOR, kMinor = WARPWRIGHT_NVRTC_MINOR;

HandleTable<nvrtcProgram, RtcProgram>& programs() {
    static auto* all = new HandleTable<nvrtcProgram, RtcProgram>;
    return *all;
}
std::mutex mutex;
/// Programs of NVIDIA's library whose machine code was asked for: they answer with PTX.
std::set<nvrtcProgram>& for_machine() {
    static auto* all = new std::set<nvrtcProgram>;
    return *all;
}
bool is_for_machine(nvrtcProgram program) {
    std::lock_guard lock(mutex);
    return for_machine().count(program) != 0;
}

std::shared_ptr<RtcProgram> own(nvrtcProgram program) { return programs().find(program); }

nvrtcResult give_size(const std::string& text, size_t* size) {
    if (!size) return NVRTC_ERROR_INVALID_INPUT;
    *size = text.size() + 1;
    return NVRTC_SUCCESS;
}
nvrtcResult give(const std::string& text, char* to) {
    if (!to) return NVRTC_ERROR_INVALID_INPUT;
    std::memcpy(to, text.c_str(), text.size() + 1);
    return NVRTC_SUCCESS;
}

/// The work on one of our programs.
template <class F>
nvrtcResult with(nvrtcProgram program, F work) {
    const auto p = own(program);
    if (!p) return NVRTC_ERROR_INVALID_PROGRAM;
    const std::lock_guard lock(p->mutex);
    return work(*p);
}
/// Likewise, where it must have been compiled to PTX.
template <class F>
nvrtcResult with_ptx(nvrtcProgram program, F work) {
    return with(program, [&](RtcProgram& p) { return p.ptx.empty() ? NVRTC_ERROR_INVALID_PROGRAM : work(p); });
}

namespace impl {

nvrtcResult nvrtcVersion(int* major, int* minor) {
    if (!major || !minor) return NVRTC_ERROR_INVALID_INPUT;
    *major = kMajor, *minor = kMinor;
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
    if (!count) return NVRTC_ERROR_INVALID_INPUT;
    *count = static_cast<int>(std::size(kArchs));
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetSupportedArchs(int* archs) {
    if (!archs) return NVRTC_ERROR_INVALID_INPUT;
    std::copy(std::begin(kArchs), std::end(kArchs), archs);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* source, const char* name, int headers,
                               const char* const* texts, const char* const* names) {
    if (!program || !source || headers < 0 || (headers && (!texts || !names))) return NVRTC_ERROR_INVALID_INPUT;
    auto made = std::make_shared<RtcProgram>();
    made->source = source;
    if (name) made->name = name;
    for (int k = 0; k < headers; ++k) {
        if (!texts[k] || !names[k]) return NVRTC_ERROR_INVALID_INPUT;
        made->headers.emplace_back(names[k], texts[k]);
    }
    *program = programs().add(std::move(made));
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
    if (!program || !programs().take(*program)) return NVRTC_ERROR_INVALID_PROGRAM;
    *program = nullptr;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char* const* options) {
    if (count < 0 || (count && !options)) return NVRTC_ERROR_INVALID_INPUT;
    return with(program, [&](RtcProgram& p) {
        std::vector<std::string> words;
        for (int k = 0; k < count; ++k) words.emplace_back(options[k] ? options[k] : "");
        return p.compile(words);
    });
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t* size) {
    return with_ptx(program, [&](RtcProgram& p) { return give_size(p.ptx, size); });
}
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char* ptx) {
    return with_ptx(program, [&](RtcProgram& p) { return give(p.ptx, ptx); });
}
// The driver library loads PTX wherever a program hands it what this gives.
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t* size) {
    return with_ptx(program, [&](RtcProgram& p) {
        if (!size) return NVRTC_ERROR_INVALID_INPUT;
        *size = p.machine_code ? p.ptx.size() + 1 : 0;
        return NVRTC_SUCCESS;
    });
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* code) {
    return with_ptx(program,
                    [&](RtcProgram& p) { return p.machine_code ? give(p.ptx, code) : NVRTC_ERROR_INVALID_PROGRAM; });
}
nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram program, size_t* size) { return impl::nvrtcGetPTXSize(program, size); }
nvrtcResult nvrtcGetLTOIR(nvrtcProgram program, char* code) { return impl::nvrtcGetPTX(program, code); }
nvrtcResult nvrtcGetOptiXIRSize(nvrtcProgram, size_t*) { return NVRTC_ERROR_INVALID_PROGRAM; }
nvrtcResult nvrtcGetOptiXIR(nvrtcProgram, char*) { return NVRTC_ERROR_INVALID_PROGRAM; }

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t* size) {
    return with(program, [&](RtcProgram& p) { return give_size(p.log, size); });
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log) {
    return with(program, [&](RtcProgram& p) { return give(p.log, log); });
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char* expression) {
    if (!expression) return NVRTC_ERROR_INVALID_INPUT;
    return with(program, [&](RtcProgram& p) {
        if (p.compiled) return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
        if (std::find(p.expressions.begin(), p.expressions.end(), expression) == p.expressions.end())
            p.expressions.emplace_back(expression);
        return NVRTC_SUCCESS;
    });
}
nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char* expression, const char** name) {
    if (!expression || !name) return NVRTC_ERROR_INVALID_INPUT;
    return with(program, [&](RtcProgram& p) {
        if (!p.compiled) return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
        const auto found = p.lowered.find(expression);
        if (found == p.lowered.end()) return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
        *name = found->second.c_str();
        return NVRTC_SUCCESS;
    });
}

// There are no precompiled headers: the cache on disk serves in their place.
nvrtcResult nvrtcGetPCHHeapSize(size_t* size) {
    if (!size) return NVRTC_ERROR_INVALID_INPUT;
    *size = 0;
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcSetPCHHeapSize(size_t) { return NVRTC_SUCCESS; }
nvrtcResult nvrtcGetPCHCreateStatus(nvrtcProgram program) {
    return with(program, [](RtcProgram&) { return NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED; });
}
nvrtcResult nvrtcGetPCHHeapSizeRequired(nvrtcProgram program, size_t*) {
    return with(program, [](RtcProgram&) { return NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED; });
}
nvrtcResult nvrtcSetFlowCallback(nvrtcProgram program, int (*callback)(void*, void*), void*) {
    if (!callback) return NVRTC_ERROR_INVALID_INPUT;
    return with(program, [](RtcProgram&) { return NVRTC_SUCCESS; });
}

}  // namespace impl

enum class Function {
#define WW_RTC(name, parameters, arguments) name,
#include "warpwright/nvrtc_api.inc"
#undef WW_RTC
};
template <Function>
struct Of {};

/// NVIDIA's function by the same name.
template <Function f, class... P, class... A>
nvrtcResult ask(Of<f>, const VendorNvrtc&, nvrtcResult (*theirs)(P...), A... arguments) {
    return theirs ? theirs(arguments...) : NVRTC_ERROR_INTERNAL_ERROR;
}

// It makes PTX, also where machine code is asked for, because the emulated GPU runs that.
nvrtcResult ask(Of<Function::nvrtcCompileProgram>, const VendorNvrtc& v, decltype(v.nvrtcCompileProgram) theirs,
                nvrtcProgram program, int count, const char* const* options) {
    std::vector<std::string> words;
    for (int k = 0; k < count; ++k) words.emplace_back(options && options[k] ? options[k] : "");
    bool machine_code = false;
    const auto changed = options_for_ptx(words, machine_code);
    {
        std::lock_guard lock(mutex);
        for_machine().erase(program);
        if (machine_code) for_machine().insert(program);
    }
    std::vector<const char*> pointers;
    for (const auto& w : changed) pointers.push_back(w.c_str());
    return theirs(program, static_cast<int>(pointers.size()), pointers.data());
}
nvrtcResult ask(Of<Function::nvrtcGetCUBINSize>, const VendorNvrtc& v, decltype(v.nvrtcGetCUBINSize) theirs,
                nvrtcProgram program, size_t* size) {
    return is_for_machine(program) ? v.nvrtcGetPTXSize(program, size) : theirs(program, size);
}
nvrtcResult ask(Of<Function::nvrtcGetCUBIN>, const VendorNvrtc& v, decltype(v.nvrtcGetCUBIN) theirs,
                nvrtcProgram program, char* code) {
    return is_for_machine(program) ? v.nvrtcGetPTX(program, code) : theirs(program, code);
}
nvrtcResult ask(Of<Function::nvrtcGetLTOIRSize>, const VendorNvrtc& v, decltype(v.nvrtcGetLTOIRSize),
                nvrtcProgram program, size_t* size) {
    return v.nvrtcGetPTXSize(program, size);
}
nvrtcResult ask(Of<Function::nvrtcGetLTOIR>, const VendorNvrtc& v, decltype(v.nvrtcGetLTOIR), nvrtcProgram program,
                char* code) {
    return v.nvrtcGetPTX(program, code);
}
nvrtcResult ask(Of<Function::nvrtcDestroyProgram>, const VendorNvrtc& v, decltype(v.nvrtcDestroyProgram) theirs,
                nvrtcProgram* program) {
    if (program) {
        std::lock_guard lock(mutex);
        for_machine().erase(*program);
    }
    return theirs(program);
}

}  // namespace
}  // namespace warpwright::compilers

using namespace warpwright::compilers;

#define WW_LIST(...) __VA_ARGS__
#define WW_RTC(name, parameters, arguments)                                                                   \
    extern "C" __attribute__((visibility("default"))) nvrtcResult name parameters {                           \
        if (const auto* v = vendor_nvrtc()) return ask(Of<Function::name>{}, *v, v->name, WW_LIST arguments); \
        return impl::name arguments;                                                                          \
    }
#include "warpwright/nvrtc_api.inc"
#undef WW_RTC

extern "C" __attribute__((visibility("default"))) const char* nvrtcGetErrorString(nvrtcResult result) {
    switch (result) {
#define WW_RTC_ERROR(name, number) \
    case name:                     \
        return #name;
#include "warpwright/nvrtc_errors.inc"
#undef WW_RTC_ERROR
    }
    return "NVRTC_ERROR unknown";
}
