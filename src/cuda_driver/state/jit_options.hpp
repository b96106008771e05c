// The options of a load or link: of them, the buffers for messages are of use here. The others ask how machine code is
// to be made.
#pragma once

#include <string>

#include "warpwright/driver_interface.h"

namespace warpwright::cuda_driver {

struct JitOptions {
    unsigned count = 0;
    const CUjit_option* options = nullptr;
    void** values = nullptr;
    /// At the end, once: puts a message into the buffer for errors (empty: there is none), and nothing into the other
    /// one.
    void tell(const std::string& message) const {
        fill(CU_JIT_INFO_LOG_BUFFER, "");
        fill(CU_JIT_ERROR_LOG_BUFFER, message);
    }

private:
    /// The option after a buffer's has its size, in bytes; the size used is written there.
    void fill(CUjit_option buffer, const std::string& text) const;
    void** value(CUjit_option option) const;
};

}  // namespace warpwright::cuda_driver
