// What kernels print. The driver writes it to the process's standard output when it next waits for the device; here it
// is caught on the way, so that it becomes part of the launch's result as on the emulated device.
#pragma once

#include <string>

namespace warpwright::device::cuda {

class CatchOutput {
public:
    /// Begins to catch when `wanted`; else, or where that is not possible, output goes where it goes.
    explicit CatchOutput(bool wanted);
    CatchOutput(const CatchOutput&) = delete;
    CatchOutput& operator=(const CatchOutput&) = delete;
    ~CatchOutput() { (void)finish(); }

    /// Ends catching; what was printed.
    std::string finish();

private:
    int before_ = -1, file_ = -1;
};

}  // namespace warpwright::device::cuda
