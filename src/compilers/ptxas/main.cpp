// The program ptxas that `warpwright run` puts in a program's way: clients such as Triton call it between PTX and the
// driver. Exit codes are those of ptxas: 255 for PTX that cannot be used.
#include <cstdio>
#include <fstream>
#include <utility>

#include "compilers/ptxas/assemble.hpp"
#include "support/read_file.hpp"

int main(int argc, char** argv) {
    using namespace warpwright;
    const auto request = compilers::read_ptxas_words({argv + 1, argv + argc});
    const auto fatal = [](const std::string& what) {
        std::fprintf(stderr, "ptxas fatal   : %s\n", what.c_str());
        return 255;
    };
    if (!request) return fatal(request.error().text());
    if (request->version) {
        std::fputs(compilers::ptxas_version().c_str(), stdout);
        return 0;
    }
    if (request->help) {
        std::puts(
            "usage: ptxas [-v] [-arch sm_90] [-o FILE] FILE.ptx\n"
            "The stand-in of Warpwright's emulated GPU: it checks the PTX and writes it to FILE, which the driver\n"
            "library loads. -v says what each kernel needs. Options for machine code have no effect.");
        return 0;
    }
    Result<std::string> text =
        request->text ? Result<std::string>(*request->text) : read_file(request->input, file_limit::source);
    if (!text) return fatal(text.error().text());
    const auto made = compilers::assemble(*text, *request);
    std::fputs(made.log.c_str(), stderr);
    if (!made.ok) return 255;
    std::ofstream out(request->output, std::ios::binary);
    out << compilers::output_of(std::move(*text));
    return out.flush() ? 0 : fatal("cannot write " + request->output);
}
