// Any bytes: parse() gives one Error or a module, and what the printer writes of the module reads back equal.
// Run: ww_fuzz_ptx_parser -dict=tests/fuzz/ptx.dict tests/fuzz/corpus/ptx
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "ptx/parser.hpp"
#include "ptx/printer.hpp"

using namespace warpwright;

namespace {

// Texts that only ask for much (a million registers) are legal; printing them teaches nothing more.
bool is_small(const ptx::Module& module) {
    std::size_t size = 0;
    for (const ptx::Function& f : module.functions) size += f.registers.size();
    for (const ptx::Variable& v : module.variables) size += v.init.size();
    return size < 20000;
}

[[noreturn]] void complain(const std::string& what, const std::string& text) {
    std::fprintf(stderr, "%s\n--- printed ---\n%s\n", what.c_str(), text.c_str());
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view text(reinterpret_cast<const char*>(data), size);
    Result<ptx::Module> module = ptx::parse(text, "fuzz.ptx");
    if (!module) {
        if (module.error().kind != ErrorKind::input || module.error().what.empty())
            complain("an error says nothing", "");
        return 0;
    }
    if (!is_small(*module)) return 0;
    std::string printed = ptx::print(*module);
    Result<ptx::Module> again = ptx::parse(printed, "printed.ptx");
    if (!again) complain(again.error().text(), printed);
    if (std::string what = ptx::difference(*module, *again); !what.empty()) complain(what, printed);
    return 0;
}
