// A plan of cuFFT: a transform as passes, its tables and its work area, and the stream in which it runs.
#pragma once

#include <cufft.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>

#include "libraries/cufft/planner.hpp"

namespace warpwright::libraries::fft {

/// The bytes of the work area that a transform needs, whether it runs in place or not; nothing where a length is too
/// large.
std::optional<std::size_t> work_bytes(const Transform& transform);

class FourierPlan {
public:
    ~FourierPlan();
    /// Makes the passes and puts the tables into the device's memory.
    cufftResult make(const Transform& transform);
    /// Queues the passes. The transform's kind must be this.
    cufftResult run(Kind kind, bool doubles, const void* in, void* out, int direction);
    /// The same, whatever the kind.
    cufftResult run(const void* in, void* out, int direction);

    cufftResult set_work_area(void* area);
    void set_stream(cudaStream_t stream);
    void set_allocates(bool allocates);
    std::size_t bytes() const;
    bool is_made() const;

private:
    cufftResult upload(const Numbers& numbers);
    cufftResult allocate();
    cufftResult launch(const Passes& passes, const void* in, void* out);

    mutable std::mutex mutex_;
    std::optional<Transform> transform_;
    Passes passes_[2][2];  ///< inverse, in place
    void* tables_ = nullptr;
    void* own_area_ = nullptr;  ///< allocated by the plan
    void* area_ = nullptr;
    std::size_t bytes_ = 0;
    bool allocates_ = true;
    cudaStream_t stream_ = nullptr;
};

}  // namespace warpwright::libraries::fft
