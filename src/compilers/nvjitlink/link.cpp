// Inputs are recognised by their first bytes, because what callers name machine code is PTX where a stand-in compiler
// made it. PTX is also taken out of object files and archives, and options about machine code are ignored.
#include "compilers/nvjitlink/link.hpp"

#include <charconv>
#include <cstdint>
#include <cstring>

#include "compile/program/device_link.hpp"
#include "compile/program/fatbin.hpp"
#include "compile/program/link_ptx.hpp"
#include "compilers/architecture.hpp"

namespace warpwright::compilers {
namespace {

bool begins(const void* data, std::size_t size, std::uint32_t magic) {
    std::uint32_t first = 0;
    if (size < sizeof first) return false;
    std::memcpy(&first, data, sizeof first);
    return first == magic;
}
constexpr std::uint32_t kElfMagic = 0x464c457f;
bool is_archive(const void* data, std::size_t size) { return size >= 8 && std::memcmp(data, "!<arch>\n", 8) == 0; }

/// What other compilers of ours give in the place of machine code or LTO-IR is PTX.
bool is_ptx(const void* data, std::size_t size) {
    const auto* text = static_cast<const char*>(data);
    return std::string_view(text, size).find(".version") != std::string_view::npos &&
           std::memchr(text, '\0', size ? size - 1 : 0) == nullptr;
}

constexpr std::uint32_t kFatMagic = 0xba55ed50;

}  // namespace

nvJitLinkResult JitLink::refuse(nvJitLinkResult result, const std::string& why) {
    errors += "nvJitLink: error: " + why + "\n";
    return result;
}

nvJitLinkResult JitLink::read_options(const std::vector<std::string>& words) {
    for (const auto& word : words) {
        if (word.starts_with("-arch=")) {
            if (!read_architecture(word.substr(6))) return refuse(NVJITLINK_ERROR_UNRECOGNIZED_OPTION, word);
            std::from_chars(word.data() + word.find('_') + 1, word.data() + word.size(), capability);
        } else if (word == "-ptx") {
            ptx_wanted = true;
        } else if (word.size() < 2 || word[0] != '-') {
            return refuse(NVJITLINK_ERROR_UNRECOGNIZED_OPTION, word);
        }
        // The others ask how machine code is to be made.
    }
    return capability ? NVJITLINK_SUCCESS : refuse(NVJITLINK_ERROR_MISSING_ARCH, "there is no -arch=sm_...");
}

nvJitLinkResult JitLink::add(nvJitLinkInputType type, const void* data, std::size_t size, const std::string& name) {
    if (!data || size == 0) return NVJITLINK_ERROR_INVALID_INPUT;
    const std::string who = name.empty() ? "an input" : name;
    if (begins(data, size, kElfMagic) || is_archive(data, size)) {
        auto parts = compile::device_parts({static_cast<const std::byte*>(data), size});
        if (!parts) return refuse(NVJITLINK_ERROR_INVALID_INPUT, who + ": " + parts.error().text());
        texts.insert(texts.end(), parts->modules.begin(), parts->modules.end());
        if (!parts->modules.empty() || parts->device_runtime) return NVJITLINK_SUCCESS;
        if (is_archive(data, size))
            return refuse(NVJITLINK_ERROR_UNRECOGNIZED_INPUT, who + " is an archive without PTX");
    }
    if (begins(data, size, kFatMagic)) {
        auto entries = compile::read_fat_binary(static_cast<const std::byte*>(data), size);
        auto text = entries ? compile::ptx_of(*entries, capability) : Result<std::string>(entries.error());
        if (!text) return refuse(NVJITLINK_ERROR_INVALID_INPUT, text.error().text());
        texts.push_back(std::move(*text));
        return NVJITLINK_SUCCESS;
    }
    if (is_ptx(data, size)) {
        const auto* text = static_cast<const char*>(data);
        texts.emplace_back(text, ::strnlen(text, size));
        return NVJITLINK_SUCCESS;
    }
    if (type == NVJITLINK_INPUT_LTOIR)
        return refuse(NVJITLINK_ERROR_UNRECOGNIZED_INPUT,
                      who + " is LTO-IR, which only NVIDIA's own linker reads: compile it to PTX (without -dlto)");
    return refuse(NVJITLINK_ERROR_UNRECOGNIZED_INPUT,
                  who + " is neither PTX nor a fat binary with PTX, and the emulated GPU runs PTX");
}

nvJitLinkResult JitLink::finish() {
    if (texts.empty()) return refuse(NVJITLINK_ERROR_INVALID_INPUT, "nothing was added");
    auto text = texts.size() == 1 ? Result<std::string>(texts.front()) : compile::link_ptx(texts);
    if (!text) return refuse(NVJITLINK_ERROR_PTX_COMPILE, text.error().text());
    linked = std::move(*text);
    complete = true;
    return NVJITLINK_SUCCESS;
}

}  // namespace warpwright::compilers
