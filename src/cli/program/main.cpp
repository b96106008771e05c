// The process starts here: it makes sure that the three standard streams are open and that signals clean up before they
// end it. Everything else is in a library, so that tests run commands without a process.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include "cli/program/cli.hpp"
#include "host/self.hpp"
#include "support/early_end.hpp"

int main(int argc, char** argv) {
    // A stream that the shell closed gets a file that refuses writing: else the next file opened, an entry of the cache
    // perhaps, would have its number and take our output.
    while (true) {
        int fd = open("/dev/null", O_RDONLY);
        if (fd > STDERR_FILENO) close(fd);
        if (fd < 0 || fd > STDERR_FILENO) break;
    }
    warpwright::early_end::on_signals();
    warpwright::cli::Console console;
    const int code = warpwright::cli::run(argc, argv, console, warpwright::host::kOwnProgram);
    if (console.leaves_at_once()) {
        warpwright::early_end::leave_nothing();
        std::_Exit(code);  // its output is flushed
    }
    return code;
}
