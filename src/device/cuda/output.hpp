// The output of kernels. The driver writes it to the process's standard output when it next waits for the device; this
// captures it, so that it becomes part of the launch's result as on the emulated device.
#pragma once

#include <string>

namespace warpwright::device::cuda {

class CatchOutput {
public:
    /// Starts to capture when `wanted`; otherwise, or where that is not possible, output is not redirected.
    explicit CatchOutput(bool wanted);
    CatchOutput(const CatchOutput&) = delete;
    CatchOutput& operator=(const CatchOutput&) = delete;
    ~CatchOutput() { (void)finish(); }

    /// Stops capturing; returns what was printed.
    std::string finish();

private:
    int before_ = -1, file_ = -1;
};

}  // namespace warpwright::device::cuda
