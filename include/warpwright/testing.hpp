// Kernels in unit tests without ceremony: a GPU, a kernel, buffers that know their type. What a test cannot go on
// without (a file that does not compile, arguments that do not fit) is thrown as a std::runtime_error, which every test
// library reports as a failure with its text. What a kernel does wrong is no exception: it is in the Profile.
//
//     warpwright::test::Gpu gpu;                               // emulated, every checker on
//     auto kernel = gpu.kernel("transpose.cu", "tiled");
//     auto in = gpu.buffer(matrix);                               // from a std::vector
//     auto out = gpu.buffer<float>(matrix.size());                // never written
//     auto seen = kernel({4, 4}, {32, 8}, in, out, 128);          // a warpwright::Profile
//     EXPECT_THAT(seen, HasNoBankConflicts());                    // <warpwright/matchers.hpp>
//     EXPECT_EQ(out.values(), expected);
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "warpwright/profile.hpp"

namespace warpwright::test {

template <class T>
T must(Result<T> result) {
    if (!result) throw std::runtime_error(result.error().text());
    return std::move(result).value();
}
inline void must(Result<void> result) {
    if (!result) throw std::runtime_error(result.error().text());
}

/// `size` values of T in device memory, freed with the last copy of the handle.
template <class T>
class Values {
public:
    std::size_t size() const { return size_; }
    /// What is there now.
    std::vector<T> values() const { return must(device_->template download<T>(*buffer_, size_)); }
    void write(const std::vector<T>& values) {
        must(device_->write(*buffer_, std::as_bytes(std::span<const T>(values))));
    }
    operator Argument() const { return Argument(*buffer_); }

private:
    friend class Gpu;
    Values(std::shared_ptr<Device> device, Buffer buffer, std::size_t size)
        : device_(device),
          buffer_(new Buffer(buffer), [device](Buffer* b) { (void)device->release(*b).ok(), delete b; }),
          size_(size) {}
    std::shared_ptr<Device> device_;
    std::shared_ptr<Buffer> buffer_;
    std::size_t size_;
};

/// A compiled kernel.
class Kernel {
public:
    /// Launches it. Arguments: Values, and what the kernel takes by value (of exactly the parameter's type).
    template <class... A>
    Profile operator()(Extent grid, Extent block, const A&... arguments) const {
        return with({}, grid, block, arguments...);
    }
    /// The same with dynamic shared memory or a time limit.
    template <class... A>
    Profile with(const LaunchOptions& options, Extent grid, Extent block, const A&... arguments) const {
        return must(take_profile(*device_, program_, name_, grid, block, {Argument(arguments)...}, options));
    }

private:
    friend class Gpu;
    Kernel(std::shared_ptr<Device> device, Program program, std::string name)
        : device_(std::move(device)), program_(std::move(program)), name_(std::move(name)) {}
    std::shared_ptr<Device> device_;
    Program program_;
    std::string name_;
};

/// An emulated GPU.
class Gpu {
public:
    /// `model`: whose limits, occupancy and bounds; `checkers`: "all", "memory,race", ...
    explicit Gpu(std::string model = default_model(), std::string checkers = "all") {
        DeviceOptions options;
        options.model = std::move(model);
        options.checkers = std::move(checkers);
        device_ = std::make_shared<Device>(must(Device::open(options)));
    }

    /// A kernel of a .cu file. The name may be left out where the file has one kernel only.
    Kernel kernel(const std::filesystem::path& file, std::string name = "", const CompileOptions& options = {}) {
        return named(must(device_->compile(file, options)), std::move(name));
    }
    /// A kernel of CUDA C++ in a string; `file` is what messages call it.
    Kernel kernel_text(std::string text, std::string name = "", std::string file = "kernel.cu",
                       const CompileOptions& options = {}) {
        return named(must(device_->compile_text(std::move(file), std::move(text), options)), std::move(name));
    }

    template <class T>
    Values<T> buffer(const std::vector<T>& values) {
        return {device_, must(device_->upload(std::span<const T>(values))), values.size()};
    }
    /// Memory to which nothing is written: reading it first is a finding.
    template <class T>
    Values<T> buffer(std::size_t count) {
        return {device_, must(device_->allocate(count * sizeof(T))), count};
    }
    Device& device() { return *device_; }

private:
    Kernel named(Program program, std::string name) {
        if (name.empty()) {
            const auto kernels = program.kernels();
            if (kernels.size() != 1)
                throw std::runtime_error("the file has " + std::to_string(kernels.size()) + " kernels: name one");
            name = kernels[0];
        }
        return {device_, std::move(program), std::move(name)};
    }
    std::shared_ptr<Device> device_;
};

}  // namespace warpwright::test
