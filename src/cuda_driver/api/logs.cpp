// The driver's error logs: what our library tells on standard error, for programs that read it themselves.
#include <cstring>
#include <fstream>

#include "cuda_driver/api/api.hpp"
#include "cudart/state/message_log.hpp"

namespace warpwright::cuda_driver::impl {
namespace {

using cudart::MessageLog;

constexpr const char* kLost = "(older lines are no longer kept)\n";
constexpr const char* kLeftOut = "(older lines found no room)\n";

/// The lines from the iterator on; null: all that are kept.
MessageLog::Part lines_from(const CUlogIterator* iterator) { return MessageLog::get().since(iterator ? *iterator : 0); }

/// As many of the newest lines as there is room for, one below the other.
std::string text_of(const MessageLog::Part& part, std::size_t room) {
    std::string text;
    for (const auto& line : part.lines) text += line + "\n";
    if (part.lost && std::strlen(kLost) + text.size() <= room) return kLost + text;
    if (text.size() <= room) return text;
    std::size_t first = part.lines.size(), bytes = std::strlen(kLeftOut);
    while (first > 0 && bytes + part.lines[first - 1].size() + 1 <= room) bytes += part.lines[--first].size() + 1;
    if (first == part.lines.size()) return "";
    text = kLeftOut;
    for (; first < part.lines.size(); ++first) text += part.lines[first] + "\n";
    return text;
}

const MessageLog::Entry* entry_of(CUlogsCallbackHandle handle) {
    return reinterpret_cast<const MessageLog::Entry*>(handle);
}

void tell(void* data, int level, char* message, std::size_t length) {
    const auto* own = static_cast<const std::pair<CUlogsCallback, void*>*>(data);
    own->first(own->second, static_cast<CUlogLevel>(level), message, length);
}

}  // namespace

CUresult cuLogsRegisterCallback(CUlogsCallback callback, void* data, CUlogsCallbackHandle* handle) {
    if (!callback) return CUDA_ERROR_INVALID_VALUE;
    // It is never freed: a line that another thread tells may be on its way to the callback.
    const auto* entry = MessageLog::get().listen(&tell, new std::pair(callback, data));
    if (handle) *handle = reinterpret_cast<CUlogsCallbackHandle>(const_cast<MessageLog::Entry*>(entry));
    return CUDA_SUCCESS;
}
CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle handle) {
    return MessageLog::get().leave(entry_of(handle)) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuLogsCurrent(CUlogIterator* iterator, unsigned flags) {
    if (!iterator || flags) return CUDA_ERROR_INVALID_VALUE;
    *iterator = MessageLog::get().next();
    return CUDA_SUCCESS;
}
CUresult cuLogsDumpToFile(CUlogIterator* iterator, const char* path, unsigned flags) {
    if (!path || flags) return CUDA_ERROR_INVALID_VALUE;
    const auto part = lines_from(iterator);
    std::ofstream file(path);
    file << text_of(part, ~std::size_t{0});
    if (!file.flush()) return CUDA_ERROR_INVALID_VALUE;
    if (iterator) *iterator = part.next;
    return CUDA_SUCCESS;
}
CUresult cuLogsDumpToMemory(CUlogIterator* iterator, char* buffer, size_t* size, unsigned flags) {
    if (!buffer || !size || flags) return CUDA_ERROR_INVALID_VALUE;
    const auto part = lines_from(iterator);
    const auto text = *size ? text_of(part, *size - 1) : "";
    if (*size) std::memcpy(buffer, text.c_str(), text.size() + 1);
    *size = text.size();
    if (text.empty() && !part.lines.empty()) return CUDA_ERROR_INVALID_VALUE;
    if (iterator) *iterator = part.next;
    return CUDA_SUCCESS;
}

}  // namespace warpwright::cuda_driver::impl
