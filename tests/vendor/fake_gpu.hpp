// A device with a clock, on host memory, whose "stream" the made-up library works in.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <map>
#include <memory>

#include "device/device.hpp"
#include "made_up.hpp"
#include "vendor/libraries.hpp"

namespace warpwright::vendor::test {

/// The library's own state. It stays loaded, so this is the one that the code under test calls.
inline MadeUp& library() {
    static MadeUp* const state = [] {
        void* handle = ::dlopen(WARPWRIGHT_MADE_UP, RTLD_NOW | RTLD_LOCAL);
        auto* get = handle ? reinterpret_cast<MadeUp* (*)()>(::dlsym(handle, "made_up")) : nullptr;
        return get ? get() : nullptr;
    }();
    return *state;
}

inline LibrarySearch only(const char* file) {
    LibrarySearch search;
    search.own = file;
    return search;
}

class FakeGpu : public device::Device, public device::Timer, public device::VendorQueue {
public:
    std::map<device::Address, std::unique_ptr<std::byte[]>> memory;
    bool gone = false;     ///< given up: nothing runs any more
    unsigned samples = 0;  ///< taken so far
    std::uint64_t cache = 0;
    std::size_t most = 0;  ///< allocations at a time

    std::string name() const override { return "cuda:0"; }
    const device::Limits& limits() const override { return limits_; }
    device::Timer* timer() override { return this; }
    device::VendorQueue* vendor_queue() override { return this; }
    device::DeviceFacts facts() const override {
        device::DeviceFacts out;
        out.cache = cache;
        return out;
    }
    Result<device::Address> allocate(std::uint64_t bytes) override {
        auto block = std::make_unique<std::byte[]>(bytes + 1);
        const auto address = reinterpret_cast<device::Address>(block.get());
        memory.emplace(address, std::move(block));
        most = std::max(most, memory.size());
        return address;
    }
    Result<void> release(device::Address a) override { return memory.erase(a), Result<void>(); }
    Result<void> write(device::Address to, std::span<const std::byte> from) override {
        return std::copy(from.begin(), from.end(), reinterpret_cast<std::byte*>(to)), Result<void>();
    }
    Result<void> read(std::span<std::byte> to, device::Address from) override {
        return std::copy_n(reinterpret_cast<const std::byte*>(from), to.size(), to.begin()), Result<void>();
    }
    Result<void> fill(device::Address to, std::uint8_t value, std::uint64_t bytes) override {
        return std::fill_n(reinterpret_cast<std::uint8_t*>(to), bytes, value), Result<void>();
    }
    Result<std::shared_ptr<device::Module>> load(std::string, std::string) override { return none(); }
    Result<device::LaunchResult> launch(device::Module&, const std::string&, const device::LaunchConfig&,
                                        std::span<const std::byte>, const device::LaunchOptions&) override {
        return none();
    }
    Result<std::vector<double>> time(std::span<const device::Step>, const device::TimeRequest&) override {
        return none();
    }
    Result<device::NativeQueue> native_queue() override {
        if (gone) return none();
        return device::NativeQueue{this, this};
    }
    Result<std::vector<double>> time_work(const device::ForeignWork& work,
                                          const device::TimeRequest& request) override {
        std::vector<double> out;
        for (std::uint32_t i = 0; i < request.samples + (request.ahead ? 1 : 0); ++i) {
            const double before = library().clock;
            for (std::uint32_t r = 0; r < request.repeat; ++r)
                if (auto ok = work.enqueue(); !ok) return std::move(ok).error();
            if (i >= (request.ahead ? 1u : 0u)) out.push_back(library().clock - before), ++samples;
        }
        return out;
    }

private:
    static Error none() { return {ErrorKind::no_device, "none", {}, ""}; }
    device::Limits limits_;
};

/// Floats in a device's memory.
template <class T>
device::Address put(FakeGpu& gpu, const std::vector<T>& values) {
    const device::Address at = *gpu.allocate(values.size() * sizeof(T));
    (void)gpu.write(at, std::as_bytes(std::span(values))).ok();
    return at;
}
template <class T>
std::vector<T> take(FakeGpu& gpu, device::Address at, std::size_t count) {
    std::vector<T> out(count);
    (void)gpu.read(std::as_writable_bytes(std::span(out)), at).ok();
    return out;
}

}  // namespace warpwright::vendor::test
