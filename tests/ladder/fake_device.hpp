// A Device whose kernels are C++ functions on host memory: for the library's own logic, without an engine.
#pragma once

#include <cstring>
#include <functional>
#include <map>

#include "device/device.hpp"

namespace warpwright::ladder::test {

class FakeDevice : public device::Device {
public:
    struct Call {
        std::string kernel;
        device::LaunchConfig config;
        std::vector<std::byte> parameters;
        template <class T>
        T get(std::size_t offset) const {
            T value;
            std::memcpy(&value, parameters.data() + offset, sizeof value);
            return value;
        }
        template <class T>
        T* pointer(std::size_t offset) const {
            return reinterpret_cast<T*>(get<std::uint64_t>(offset));
        }
    };
    struct FakeModule : device::Module {
        std::vector<device::KernelInfo> list;
        const std::vector<device::KernelInfo>& kernels() const override { return list; }
        Result<std::pair<device::Address, std::uint64_t>> variable(const std::string&) const override {
            return Error{ErrorKind::input, "none", Location{}, ""};
        }
    };

    std::vector<device::KernelInfo> kernels;
    std::function<Result<void>(const Call&)> body = [](const Call&) { return Result<void>(); };
    std::vector<Call> calls;
    std::vector<std::string> loaded;
    std::map<device::Address, std::unique_ptr<std::byte[]>> memory;

    std::string name() const override { return "fake"; }
    const device::Limits& limits() const override { return limits_; }
    Result<device::Address> allocate(std::uint64_t bytes) override {
        auto block = std::make_unique<std::byte[]>(bytes + 1);
        auto address = reinterpret_cast<device::Address>(block.get());
        memory.emplace(address, std::move(block));
        return address;
    }
    Result<void> release(device::Address a) override {
        memory.erase(a);
        return {};
    }
    Result<void> write(device::Address to, std::span<const std::byte> from) override {
        std::memcpy(reinterpret_cast<void*>(to), from.data(), from.size());
        return {};
    }
    Result<void> read(std::span<std::byte> to, device::Address from) override {
        std::memcpy(to.data(), reinterpret_cast<const void*>(from), to.size());
        return {};
    }
    Result<void> fill(device::Address to, std::uint8_t value, std::uint64_t bytes) override {
        std::memset(reinterpret_cast<void*>(to), value, bytes);
        return {};
    }
    Result<std::shared_ptr<device::Module>> load(std::string, std::string ptx) override {
        loaded.push_back(ptx);
        auto m = std::make_shared<FakeModule>();
        m->list = kernels;
        return std::shared_ptr<device::Module>(m);
    }
    Result<device::LaunchResult> launch(device::Module&, const std::string& kernel, const device::LaunchConfig& config,
                                        std::span<const std::byte> parameters, const device::LaunchOptions&) override {
        calls.push_back({kernel, config, {parameters.begin(), parameters.end()}});
        if (auto ok = body(calls.back()); !ok) return ok.error();
        device::LaunchResult r;
        r.counts.emplace();
        r.counts->total[record::Count::instructions] = 10;
        r.counts->lines.push_back({"k.cu", 3, r.counts->total});
        return r;
    }

private:
    device::Limits limits_;
};

/// A kernel with parameters of these PTX types, laid out one after the other.
inline device::KernelInfo kernel(std::string name, std::vector<std::string> types) {
    device::KernelInfo k;
    k.name = std::move(name);
    std::uint32_t offset = 0;
    for (const std::string& t : types) {
        std::uint32_t size = t.ends_with("64") ? 8 : t.ends_with("32") ? 4 : t.ends_with("16") ? 2 : 1;
        offset = (offset + size - 1) / size * size;
        k.parameters.push_back({"p" + std::to_string(k.parameters.size()), offset, size, size, t});
        offset += size;
    }
    return k;
}

}  // namespace warpwright::ladder::test
