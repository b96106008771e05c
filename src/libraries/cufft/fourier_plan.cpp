// Tables are made with the plan and stay in the device's memory, since a plan may run while a stream is captured. Both
// ways of a transform of complex numbers share them, and so do transforms in place and not.
#include "libraries/cufft/fourier_plan.hpp"

#include <algorithm>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "cudart/memory/memory_table.hpp"
#include "cudart/state/runtime.hpp"
#include "libraries/common/kernels.hpp"

// Made by the build (CMakeLists.txt).
extern "C" const char ww_fft_transforms[];

namespace warpwright::libraries::fft {
namespace {

cufftResult status_of(cudaError_t e) {
    if (e == cudaSuccess) return CUFFT_SUCCESS;
    return e == cudaErrorMemoryAllocation ? CUFFT_ALLOC_FAILED : CUFFT_EXEC_FAILED;
}

std::size_t size_of_complex(bool doubles) {
    return doubles ? sizeof(std::complex<double>) : sizeof(std::complex<float>);
}

/// Memory of the device that the program did not ask for.
cufftResult allocate_own(void** memory, std::size_t bytes) {
    if (const auto e = cudart::impl::cudaMalloc(memory, bytes); e != cudaSuccess) return status_of(e);
    cudart::MemoryTable::get().set_own_of_library(*memory);
    return CUFFT_SUCCESS;
}

std::size_t bytes_of(const Passes& passes, bool doubles) {
    std::size_t all = 0;
    for (const auto elements : passes.elements) all += elements * size_of_complex(doubles);
    return all;
}

/// A transform of complex numbers goes both ways, and lies in its place as it does elsewhere.
bool goes(const Transform& t, bool inverse) {
    return t.kind == Kind::complex || inverse == (t.kind == Kind::complex_to_real);
}

}  // namespace

std::optional<std::size_t> work_bytes(const Transform& t) {
    std::size_t bytes = 0;
    for (const bool inverse : {false, true})
        for (const bool in_place : {false, true}) {
            if (!goes(t, inverse)) continue;
            Tables tables;
            const auto passes = plan(t, inverse, in_place, tables);
            if (!passes) return std::nullopt;
            bytes = std::max(bytes, bytes_of(*passes, t.doubles));
        }
    return bytes;
}

FourierPlan::~FourierPlan() {
    if (tables_) (void)cudart::impl::cudaFree(tables_);
    if (own_area_) (void)cudart::impl::cudaFree(own_area_);
}

cufftResult FourierPlan::upload(const Numbers& numbers) {
    if (numbers.empty()) return CUFFT_SUCCESS;
    const bool doubles = transform_->doubles;
    std::vector<std::complex<float>> singles;
    if (!doubles) singles.assign(numbers.begin(), numbers.end());
    const void* from = doubles ? static_cast<const void*>(numbers.data()) : singles.data();
    const std::size_t bytes = numbers.size() * size_of_complex(doubles);
    if (const auto s = allocate_own(&tables_, bytes); s != CUFFT_SUCCESS) return s;
    return status_of(cudart::impl::cudaMemcpy(tables_, from, bytes, cudaMemcpyHostToDevice));
}

cufftResult FourierPlan::allocate() {
    if (!allocates_ || bytes_ == 0 || own_area_) return CUFFT_SUCCESS;
    const auto s = allocate_own(&own_area_, bytes_);
    area_ = own_area_;
    return s;
}

cufftResult FourierPlan::make(const Transform& transform) {
    const std::lock_guard lock(mutex_);
    if (transform_) return CUFFT_INVALID_PLAN;
    Tables tables;
    for (const bool inverse : {false, true})
        for (const bool in_place : {false, true}) {
            if (!goes(transform, inverse)) continue;
            auto passes = plan(transform, inverse, in_place, tables);
            if (!passes) {
                cudart::Runtime::get().say(
                    "cuFFT: a length of the transform is too large for the emulated GPU's library");
                return CUFFT_INVALID_SIZE;
            }
            bytes_ = std::max(bytes_, bytes_of(*passes, transform.doubles));
            passes_[inverse][in_place] = std::move(*passes);
        }
    transform_ = transform;
    if (const auto s = upload(tables.all()); s != CUFFT_SUCCESS) return s;
    return allocate();
}

cufftResult FourierPlan::launch(const Passes& passes, const void* in, void* out) {
    static auto* const kernels = new Kernels{ww_fft_transforms};
    const bool doubles = transform_->doubles;
    const std::size_t size = size_of_complex(doubles);
    char* places[] = {const_cast<char*>(static_cast<const char*>(in)), static_cast<char*>(out), nullptr, nullptr,
                      nullptr};
    char* next = static_cast<char*>(area_);
    for (int b = static_cast<int>(Buffer::halves); b < static_cast<int>(Buffer::size_); ++b) {
        places[b] = next;
        next += passes.elements[b] * size;
    }
    const auto table = [&](std::int64_t place) -> const void* {
        return place == Tables::kNone ? nullptr
                                      : static_cast<const char*>(tables_) + static_cast<std::size_t>(place) * size;
    };
    for (const auto& step : passes.steps) {
        ww_fft::Pass pass = step.pass;
        pass.in = places[static_cast<int>(step.from)];
        pass.out = places[static_cast<int>(step.to)];
        pass.roots = table(step.roots);
        pass.load_table = table(step.load_table);
        pass.store_table = table(step.store_table);
        pass.low_roots = table(step.low_roots);
        pass.high_roots = table(step.high_roots);
        const std::uint64_t blocks = (pass.lines + pass.lines_of_block - 1) / pass.lines_of_block;
        if (blocks > std::numeric_limits<int>::max()) return CUFFT_INVALID_SIZE;
        void* arguments[] = {&pass};
        const auto e = kernels->launch(doubles ? "fft_pass_double" : "fft_pass_float",
                                       dim3(static_cast<unsigned>(blocks)), arguments, stream_);
        if (e != cudaSuccess) return status_of(e);
    }
    return CUFFT_SUCCESS;
}

cufftResult FourierPlan::run(Kind kind, bool doubles, const void* in, void* out, int direction) {
    {
        const std::lock_guard lock(mutex_);
        if (!transform_) return CUFFT_INVALID_PLAN;
        if (transform_->kind != kind || transform_->doubles != doubles) return CUFFT_INVALID_TYPE;
    }
    return run(in, out, direction);
}

cufftResult FourierPlan::run(const void* in, void* out, int direction) {
    const std::lock_guard lock(mutex_);
    if (!transform_) return CUFFT_INVALID_PLAN;
    if (!in || !out) return CUFFT_INVALID_VALUE;
    bool inverse = transform_->kind == Kind::complex_to_real;
    if (transform_->kind == Kind::complex) {
        if (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE) return CUFFT_INVALID_VALUE;
        inverse = direction == CUFFT_INVERSE;
    }
    if (bytes_ > 0 && !area_) return CUFFT_NO_WORKSPACE;
    return launch(passes_[inverse][in == out], in, out);
}

cufftResult FourierPlan::set_work_area(void* area) {
    const std::lock_guard lock(mutex_);
    if (!transform_) return CUFFT_INVALID_PLAN;
    // What is queued may still use the plan's own area: it is kept until the plan goes.
    area_ = area;
    return CUFFT_SUCCESS;
}
void FourierPlan::set_stream(cudaStream_t stream) {
    const std::lock_guard lock(mutex_);
    stream_ = stream;
}
void FourierPlan::set_allocates(bool allocates) {
    const std::lock_guard lock(mutex_);
    allocates_ = allocates;
}
std::size_t FourierPlan::bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
}
bool FourierPlan::is_made() const {
    const std::lock_guard lock(mutex_);
    return transform_.has_value();
}

}  // namespace warpwright::libraries::fft
