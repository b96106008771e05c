// The names of errors, and their descriptions.
#include <cctype>
#include <map>
#include <mutex>
#include <string>

#include "driver_types.h"

namespace {

struct Text {
    cudaError_t code;
    const char *name, *words;
};

#define WW_ERROR(code, words) {code, #code, words},
constexpr Text kTexts[] = {
#include "cudart/api/errors.inc"
};

/// "cudaErrorGraphExecUpdateFailure" as "graph exec update failure".
const char* words_of(const Text& t) {
    static std::mutex mutex;
    static auto* made = new std::map<cudaError_t, std::string>;
    std::lock_guard lock(mutex);
    auto& text = (*made)[t.code];
    if (text.empty())
        for (const char* p = t.name + sizeof "cudaError" - 1; *p; ++p) {
            if (std::isupper(static_cast<unsigned char>(*p)) && !text.empty()) text += ' ';
            text += static_cast<char>(std::tolower(static_cast<unsigned char>(*p)));
        }
    return text.c_str();
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const char* cudaGetErrorName(cudaError_t error) {
    for (const auto& t : kTexts)
        if (t.code == error) return t.name;
    return "unrecognized error code";
}

extern "C" __attribute__((visibility("default"))) const char* cudaGetErrorString(cudaError_t error) {
    for (const auto& t : kTexts)
        if (t.code == error) return *t.words ? t.words : words_of(t);
    return "unrecognized error code";
}
