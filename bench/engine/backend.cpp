#include "backend.hpp"
#include "device/emulated/emulated.hpp"

#include <stdexcept>

namespace warpwright::bench {
namespace {

class PlainPrepared : public Prepared {
public:
    explicit PlainPrepared(const Problem& problem) : problem_(problem), memory_(problem.buffers) {}
    void reset() override { memory_[problem_.output] = problem_.buffers[problem_.output]; }
    void run() override { problem_.plain(memory_); }
    Bytes output() override { return memory_[problem_.output]; }

private:
    Problem problem_;
    std::vector<Bytes> memory_;
};

class Plain : public Backend {
public:
    std::unique_ptr<Prepared> prepare(const Problem& problem) override {
        return std::make_unique<PlainPrepared>(problem);
    }
};

}  // namespace

void Backend::use_memory(std::uint64_t) { throw std::runtime_error("not measured on this backend"); }

std::unique_ptr<Backend> make_plain() { return std::make_unique<Plain>(); }

std::unique_ptr<Backend> make_backend(const std::string& name, const BackendOptions& options) {
    if (name == "plain") return make_plain();
    if (name == "pocl") {
#ifdef WARPWRIGHT_BENCH_OPENCL
        return make_pocl(options);
#else
        throw std::runtime_error("built without OpenCL (./setup --bench installs it)");
#endif
    }
    if (name == "counted" || name == "uncounted") return make_emulated_backend(options, name == "counted");
    throw std::runtime_error("no such backend: " + name);
}

}  // namespace warpwright::bench
