// The emulated GPU as a backend.
#include <cmath>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "backend.hpp"
#include "compile/kernel/compile.hpp"
#include "device/emulated/emulated.hpp"
#include "launch/pack.hpp"

namespace warpwright::bench {
namespace {

template <class T>
T unwrap(Result<T> result) {
    if (!result) throw std::runtime_error(result.error().text());
    return std::move(result).value();
}

void unwrap(Result<void> result) {
    if (!result) throw std::runtime_error(result.error().text());
}

/// The PTX of a kernel's file: as it lies beside the others, or compiled.
std::string ptx_of(const BackendOptions& options, const std::string& source, const std::string& architecture) {
    if (std::ifstream there(options.kernels + "/" + source + ".ptx"); there)
        return {std::istreambuf_iterator<char>(there), {}};
    compile::CompileRequest request;
    request.path = options.kernels + "/" + source + ".cu";
    request.arch = architecture;
    compile::CompileOptions with;
    with.cache_dir = options.cache_directory;
    return unwrap(compile::compile(request, with)).ptx;
}

class EmulatedPrepared : public Prepared {
public:
    EmulatedPrepared(device::Device& device, std::shared_ptr<device::Module> module, const Problem& problem,
                     bool counters)
        : device_(device), module_(std::move(module)), problem_(problem) {
        options_.counters = counters;
        for (const Bytes& bytes : problem_.buffers) {
            addresses_.push_back(unwrap(device_.allocate(bytes.size())));
            unwrap(device_.write(addresses_.back(), bytes));
        }
        for (const Step& step : problem_.steps) parameters_.push_back(parameter_block(step));
    }
    ~EmulatedPrepared() override {
        for (device::Address address : addresses_) (void)device_.release(address);
    }

    void reset() override { unwrap(device_.write(addresses_[problem_.output], problem_.buffers[problem_.output])); }

    void run() override {
        thread_instructions_ = 0;
        for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
            const Step& step = problem_.steps[i];
            device::LaunchConfig config;
            config.grid = {step.grid[0], step.grid[1], step.grid[2]};
            config.block = {step.block[0], step.block[1], step.block[2]};
            auto result = unwrap(device_.launch(*module_, step.kernel, config, parameters_[i], options_));
            if (result.counts) thread_instructions_ += result.counts->total[record::Count::thread_instructions];
        }
    }

    Bytes output() override {
        Bytes bytes(problem_.buffers[problem_.output].size());
        unwrap(device_.read(bytes, addresses_[problem_.output]));
        return bytes;
    }

    std::uint64_t thread_instructions() const override { return thread_instructions_; }

private:
    Bytes parameter_block(const Step& step) {
        const device::KernelInfo& kernel = *unwrap(module_->kernel(step.kernel));
        std::vector<launch::Argument> arguments;
        for (const Value& value : step.arguments) {
            if (const auto* buffer = std::get_if<BufferIndex>(&value))
                arguments.push_back(launch::argument(addresses_[buffer->index]));
            else if (const auto* number = std::get_if<std::int32_t>(&value))
                arguments.push_back(launch::argument(*number));
            else
                arguments.push_back(launch::argument(std::get<float>(value)));
        }
        return unwrap(launch::pack(kernel, arguments));
    }

    device::Device& device_;
    std::shared_ptr<device::Module> module_;
    Problem problem_;
    device::LaunchOptions options_;
    std::vector<device::Address> addresses_;
    std::vector<Bytes> parameters_;
    std::uint64_t thread_instructions_ = 0;
};

class Emulated : public Backend {
public:
    Emulated(const BackendOptions& options, bool counters) : options_(options), counters_(counters) {
        device::EmulatedOptions emulated;
        emulated.threads = options.cores;
        if (!options.cache_directory.empty()) emulated.cache_directory = options.cache_directory + "/host";
        device_ = unwrap(device::make_emulated(emulated));
    }

    std::unique_ptr<Prepared> prepare(const Problem& problem) override {
        auto module = problem.ptx.empty() ? load(problem.source, problem.architecture)
                                          : unwrap(device_->load(problem.name, problem.ptx));
        return std::make_unique<EmulatedPrepared>(*device_, std::move(module), problem, counters_);
    }

    void use_memory(std::uint64_t bytes) override {
        const auto n = static_cast<std::int32_t>(std::sqrt(static_cast<double>(bytes / 2 / sizeof(float)))) / 32 * 32;
        const std::uint64_t each = static_cast<std::uint64_t>(n) * n * sizeof(float);
        auto module = load("transpose", "sm_80");
        const auto in = unwrap(device_->allocate(each)), out = unwrap(device_->allocate(each));
        unwrap(device_->fill(in, 0x3F, each));
        Bytes parameters(2 * sizeof(device::Address) + sizeof(n));
        std::memcpy(parameters.data(), &in, sizeof(in));
        std::memcpy(parameters.data() + 8, &out, sizeof(out));
        std::memcpy(parameters.data() + 16, &n, sizeof(n));
        const auto tiles = static_cast<std::uint32_t>(n / 32);
        device::LaunchOptions launch;
        launch.counters = counters_;
        (void)unwrap(device_->launch(*module, "transpose", {{tiles, tiles, 1}, {32, 8, 1}}, parameters, launch));
    }

private:
    std::shared_ptr<device::Module> load(const std::string& source, const std::string& architecture) {
        const auto ptx = ptx_of(options_, source, architecture);
        return unwrap(device_->load(source, ptx));
    }

    BackendOptions options_;
    bool counters_;
    std::unique_ptr<device::Device> device_;
};

}  // namespace

void write_ptx(const BackendOptions& options, const std::string& folder) {
    std::vector<std::pair<std::string, std::string>> sources{{"barriers", "sm_80"}, {"transpose", "sm_80"}};
    for (const std::string& name : problem_names()) {
        const Problem problem = make_problem(name);
        if (problem.ptx.empty()) sources.emplace_back(problem.source, problem.architecture);
    }
    for (const auto& [source, architecture] : sources) {
        std::ofstream out(folder + "/" + source + ".ptx");
        if (!(out << ptx_of(options, source, architecture)).flush())
            throw std::runtime_error("cannot write " + folder + "/" + source + ".ptx");
    }
}

std::unique_ptr<Backend> make_emulated_backend(const BackendOptions& options, bool counters) {
    return std::make_unique<Emulated>(options, counters);
}

}  // namespace warpwright::bench
