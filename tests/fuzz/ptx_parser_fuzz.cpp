// Any bytes: parse() gives one Error or a module, and what the printer writes of the module reads back equal.
// Run: ww_fuzz_ptx_parser -dict=tests/fuzz/ptx.dict tests/fuzz/corpus/ptx
#include "fuzz_target.hpp"
#include "ptx/parser.hpp"
#include "ptx/printer.hpp"

using namespace warpwright;
using fuzz::complain;

namespace {

// Texts that only ask for much (a million registers) are legal; printing them teaches nothing more.
bool is_small(const ptx::Module& module) {
    std::size_t size = 0;
    for (const ptx::Function& f : module.functions) size += f.registers.size();
    for (const ptx::Variable& v : module.variables) size += v.init.size();
    return size < 20000;
}

}  // namespace

FUZZ_TARGET(ptx_parser) {
    Result<ptx::Module> module = ptx::parse(text, "fuzz.ptx");
    if (!module) {
        if (module.error().kind != ErrorKind::input) complain("an error is not the input's", module.error().text());
        fuzz::check(module.error());
        return;
    }
    if (!is_small(*module)) return;
    std::string printed = ptx::print(*module);
    Result<ptx::Module> again = ptx::parse(printed, "printed.ptx");
    if (!again) complain(again.error().text(), printed);
    if (std::string what = ptx::difference(*module, *again); !what.empty()) complain(what, printed);
}
