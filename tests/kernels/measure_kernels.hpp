// What the tests of `device --measure`'s kernels share: a kernel's file compiled and launched on the emulated GPU.
#pragma once

#include <gtest/gtest.h>

#include <cstring>

#include "compile/kernel/compile.hpp"
#include "device/emulated/emulated.hpp"

namespace warpwright {

using device::Address;
using record::Count;

class Measure : public testing::Test {
protected:
    void SetUp() override {
        auto made = device::make_emulated({});
        ASSERT_TRUE(made.ok()) << made.error().text();
        gpu = std::move(*made);
    }

    std::shared_ptr<device::Module> load(const std::string& file, std::vector<std::string> defines = {},
                                         const std::string& arch = "sm_80") {
        compile::CompileRequest request;
        request.path = WARPWRIGHT_SOURCE_DIR "/kernels/measure/" + file;
        request.arch = arch;
        request.defines = std::move(defines);
        auto ptx = compile::compile(request);
        EXPECT_TRUE(ptx.ok()) << ptx.error().text();
        if (!ptx.ok()) return {};
        auto module = gpu->load(file, ptx->ptx);
        EXPECT_TRUE(module.ok()) << module.error().text();
        return module.ok() ? *module : nullptr;
    }

    template <class T>
    Address buffer(const std::vector<T>& values) {
        const Address at = gpu->allocate(values.size() * sizeof(T)).value();
        EXPECT_TRUE(gpu->write(at, std::as_bytes(std::span(values))).ok());
        return at;
    }

    template <class T>
    std::vector<T> read(Address at, std::size_t count) {
        std::vector<T> out(count);
        EXPECT_TRUE(gpu->read(std::as_writable_bytes(std::span(out)), at).ok());
        return out;
    }

    template <class... P>
    record::Counts launch(device::Module& module, const std::string& kernel, unsigned grid, unsigned block,
                          std::uint64_t shared, P... values) {
        std::vector<std::byte> parameters;
        [[maybe_unused]] const auto add = [&](auto v) {
            const std::size_t at = (parameters.size() + sizeof v - 1) / sizeof v * sizeof v;
            parameters.resize(at + sizeof v);
            std::memcpy(parameters.data() + at, &v, sizeof v);
        };
        (add(values), ...);
        device::LaunchConfig config;
        config.grid = {grid, 1, 1};
        config.block = {block, 1, 1};
        config.dynamic_shared = shared;
        device::LaunchOptions options;
        options.timeout = std::chrono::seconds(120);
        auto result = gpu->launch(module, kernel, config, parameters, options);
        EXPECT_TRUE(result.ok()) << kernel << ": " << result.error().text();
        return result.ok() ? result->counts->total : record::Counts{};
    }

    std::unique_ptr<device::Device> gpu;
};

}  // namespace warpwright
