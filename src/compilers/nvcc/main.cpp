// The program nvcc that `warpwright run` puts in a program's way, for clients such as PyCUDA that compile kernels with
// it while they run.
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "compilers/nvcc/command.hpp"
#include "host/self.hpp"
#include "support/settings.hpp"

namespace {

namespace fs = std::filesystem;

/// The next program of this name in PATH that is not this one; empty: there is none.
std::string real_nvcc() {
    std::error_code ec;
    const auto self = warpwright::host::own_program();
    for (const auto& folder : warpwright::settings::paths(warpwright::Setting::path)) {
        const fs::path file = fs::path(folder) / "nvcc";
        if (::access(file.c_str(), X_OK) == 0 && !fs::equivalent(file, self, ec)) return file.string();
    }
    return "";
}

int fail(const std::string& what) {
    std::fprintf(stderr, "nvcc fatal   : %s\n", what.c_str());
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    using namespace warpwright;
    using Kind = compilers::NvccCommand::Kind;
    const auto command = compilers::read_nvcc_words({argv + 1, argv + argc});
    if (!command || command->kind == Kind::other) {
        if (const auto real = real_nvcc(); !real.empty()) {
            ::execv(real.c_str(), argv);
            return fail("cannot start " + real + ": " + std::strerror(errno));
        }
        return fail(command ? "the emulated GPU's stand-in for nvcc makes --ptx, --cubin, --fatbin and --preprocess "
                              "(warpwright build makes programs)"
                            : command.error().text());
    }
    if (command->kind == Kind::version) {
        std::fputs(compilers::nvcc_version().c_str(), stdout);
        return 0;
    }
    std::string log;
    auto made = compilers::run_nvcc(*command, log);
    std::fputs(log.c_str(), stderr);
    if (!made) return fail(made.error().text());
    if (command->output.empty()) {
        std::fwrite(made->data(), 1, made->size(), stdout);
        return 0;
    }
    std::ofstream out(command->output, std::ios::binary);
    out << *made;
    return out.flush() ? 0 : fail("cannot write " + command->output);
}
