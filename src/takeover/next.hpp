// A function of the C library behind one of ours of the same name.
#pragma once

#include <dlfcn.h>

#include <atomic>

namespace warpwright::takeover {

/// Found when it is first called. Some have an older form under the same name.
template <class F>
class Next {
public:
    constexpr explicit Next(const char* name, const char* version = nullptr) : name_(name), version_(version) {}
    F* operator()() {
        F* found = found_.load(std::memory_order_relaxed);
        if (found) return found;
        void* at = version_ ? ::dlvsym(RTLD_NEXT, name_, version_) : nullptr;
        if (!at) at = ::dlsym(RTLD_NEXT, name_);
        found = reinterpret_cast<F*>(at);
        found_.store(found, std::memory_order_relaxed);
        return found;
    }

private:
    const char *name_, *version_;
    std::atomic<F*> found_{nullptr};
};

}  // namespace warpwright::takeover
