// Standard output is directed to an unlinked temporary file while the kernel runs, because the driver writes to the
// process's own descriptor.
#include "device/cuda/output.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <cstdio>

namespace warpwright::device::cuda {

CatchOutput::CatchOutput(bool wanted) {
    if (!wanted) return;
    char name[] = "/tmp/warpwright-XXXXXX";
    file_ = ::mkstemp(name);
    if (file_ < 0) return;
    (void)::unlink(name);
    std::fflush(stdout);
    before_ = ::dup(STDOUT_FILENO);
    if (before_ < 0 || ::dup2(file_, STDOUT_FILENO) < 0) {
        if (before_ >= 0) ::close(before_);
        ::close(file_);
        before_ = file_ = -1;
    }
}

std::string CatchOutput::finish() {
    std::string text;
    if (file_ < 0) return text;
    std::fflush(stdout);
    (void)::dup2(before_, STDOUT_FILENO);
    ::close(before_);
    char buffer[4096];
    ::lseek(file_, 0, SEEK_SET);
    for (ssize_t n; (n = ::read(file_, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(n));
    ::close(file_);
    before_ = file_ = -1;
    return text;
}

}  // namespace warpwright::device::cuda
