// The entry points of libnvJitLink, made from the table. NVIDIA's header leads each function to a name with a version
// (__nvJitLinkCreate_13_0), so there is one for each version. The interface is that of CUDA 12.2, before LTO-IR was
// what clients send first, and nvJitLinkVersion says so: Numba makes PTX for a linker older than 12.3.
#include <cstring>
#include <memory>
#include <mutex>

#include "compilers/nvjitlink/link.hpp"
#include "support/handle_table.hpp"
#include "support/read_file.hpp"

namespace warpwright::compilers {
namespace {

HandleTable<nvJitLinkHandle, JitLink>& handles() {
    static auto* all = new HandleTable<nvJitLinkHandle, JitLink>;
    return *all;
}

template <class F>
nvJitLinkResult with(nvJitLinkHandle handle, F work) {
    const auto link = handles().find(handle);
    if (!link) return NVJITLINK_ERROR_INVALID_INPUT;
    const std::lock_guard lock(link->mutex);
    return work(*link);
}

nvJitLinkResult give_size(const std::string& text, size_t* size, size_t more) {
    if (!size) return NVJITLINK_ERROR_INVALID_INPUT;
    *size = text.empty() ? 0 : text.size() + more;
    return NVJITLINK_SUCCESS;
}
nvJitLinkResult give(const std::string& text, void* to) {
    if (!to) return NVJITLINK_ERROR_INVALID_INPUT;
    std::memcpy(to, text.c_str(), text.size() + 1);
    return NVJITLINK_SUCCESS;
}
nvJitLinkResult if_complete(nvJitLinkHandle handle, nvJitLinkResult (*work)(const JitLink&, void*), void* to) {
    return with(handle, [&](JitLink& l) { return l.complete ? work(l, to) : NVJITLINK_ERROR_INVALID_INPUT; });
}

namespace impl {

nvJitLinkResult nvJitLinkCreate(nvJitLinkHandle* handle, uint32_t count, const char** options) {
    if (!handle || (count && !options)) return NVJITLINK_ERROR_INVALID_INPUT;
    auto made = std::make_shared<JitLink>();
    std::vector<std::string> words;
    for (uint32_t k = 0; k < count; ++k) words.emplace_back(options[k] ? options[k] : "");
    const auto result = made->read_options(words);
    // The handle is there after an error too: its log says what was wrong.
    *handle = handles().add(std::move(made));
    return result;
}
nvJitLinkResult nvJitLinkDestroy(nvJitLinkHandle* handle) {
    if (!handle || !handles().take(*handle)) return NVJITLINK_ERROR_INVALID_INPUT;
    *handle = nullptr;
    return NVJITLINK_SUCCESS;
}
nvJitLinkResult nvJitLinkAddData(nvJitLinkHandle handle, nvJitLinkInputType type, const void* data, size_t size,
                                 const char* name) {
    return with(handle, [&](JitLink& l) { return l.add(type, data, size, name ? name : ""); });
}
nvJitLinkResult nvJitLinkAddFile(nvJitLinkHandle handle, nvJitLinkInputType type, const char* file) {
    if (!file) return NVJITLINK_ERROR_INVALID_INPUT;
    return with(handle, [&](JitLink& l) {
        const auto bytes = read_file(file, file_limit::program);
        if (!bytes) {
            l.errors += std::string("nvJitLink: error: the file ") + file + " " + bytes.error().what + "\n";
            return NVJITLINK_ERROR_INVALID_INPUT;
        }
        return l.add(type, bytes->data(), bytes->size(), file);
    });
}
nvJitLinkResult nvJitLinkComplete(nvJitLinkHandle handle) {
    return with(handle, [](JitLink& l) { return l.finish(); });
}
// The driver library loads PTX wherever a program hands it what this gives.
nvJitLinkResult nvJitLinkGetLinkedCubinSize(nvJitLinkHandle handle, size_t* size) {
    return if_complete(
        handle, [](const JitLink& l, void* to) { return give_size(l.linked, static_cast<size_t*>(to), 1); }, size);
}
nvJitLinkResult nvJitLinkGetLinkedCubin(nvJitLinkHandle handle, void* code) {
    return if_complete(handle, [](const JitLink& l, void* to) { return give(l.linked, to); }, code);
}
nvJitLinkResult nvJitLinkGetLinkedPtxSize(nvJitLinkHandle handle, size_t* size) {
    return impl::nvJitLinkGetLinkedCubinSize(handle, size);
}
nvJitLinkResult nvJitLinkGetLinkedPtx(nvJitLinkHandle handle, char* ptx) {
    return impl::nvJitLinkGetLinkedCubin(handle, ptx);
}
nvJitLinkResult nvJitLinkGetErrorLogSize(nvJitLinkHandle handle, size_t* size) {
    return with(handle, [&](JitLink& l) { return give_size(l.errors, size, 1); });
}
nvJitLinkResult nvJitLinkGetErrorLog(nvJitLinkHandle handle, char* log) {
    return with(handle, [&](JitLink& l) { return give(l.errors, log); });
}
nvJitLinkResult nvJitLinkGetInfoLogSize(nvJitLinkHandle handle, size_t* size) {
    return with(handle, [&](JitLink& l) { return give_size(l.notes, size, 1); });
}
nvJitLinkResult nvJitLinkGetInfoLog(nvJitLinkHandle handle, char* log) {
    return with(handle, [&](JitLink& l) { return give(l.notes, log); });
}

nvJitLinkResult nvJitLinkVersion(unsigned int* major, unsigned int* minor) {
    if (!major || !minor) return NVJITLINK_ERROR_INVALID_INPUT;
    *major = 12;
    *minor = 2;
    return NVJITLINK_SUCCESS;
}

}  // namespace impl
}  // namespace
}  // namespace warpwright::compilers

using namespace warpwright::compilers;

#define WW_EXPORT extern "C" __attribute__((visibility("default")))
#define WW_VERSION(name, version, parameters, arguments)       \
    WW_EXPORT nvJitLinkResult __##name##_##version parameters; \
    WW_EXPORT nvJitLinkResult __##name##_##version parameters { return impl::name arguments; }
#define WW_LINK(name, parameters, arguments)                                   \
    WW_EXPORT nvJitLinkResult name parameters { return impl::name arguments; } \
    WW_VERSION(name, 12_0, parameters, arguments)                              \
    WW_VERSION(name, 12_1, parameters, arguments)                              \
    WW_VERSION(name, 12_2, parameters, arguments)                              \
    WW_VERSION(name, 12_3, parameters, arguments)                              \
    WW_VERSION(name, 12_4, parameters, arguments)                              \
    WW_VERSION(name, 12_5, parameters, arguments)                              \
    WW_VERSION(name, 12_6, parameters, arguments)                              \
    WW_VERSION(name, 12_8, parameters, arguments)                              \
    WW_VERSION(name, 12_9, parameters, arguments)                              \
    WW_VERSION(name, 13_0, parameters, arguments)                              \
    WW_VERSION(name, 13_1, parameters, arguments)                              \
    WW_VERSION(name, 13_2, parameters, arguments)                              \
    WW_VERSION(name, 13_3, parameters, arguments)                              \
    WW_VERSION(name, 13_4, parameters, arguments)                              \
    WW_VERSION(name, 13_5, parameters, arguments)
#include "warpwright/nvjitlink_api.inc"
