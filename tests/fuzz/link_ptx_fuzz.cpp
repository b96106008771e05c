// Any texts, separated by a line "//----": link_ptx() gives an error or a text.
// Run: ww_fuzz_link_ptx -dict=tests/fuzz/ptx.dict tests/fuzz/corpus/link_ptx
#include <vector>

#include "compile/program/link_ptx.hpp"
#include "fuzz_target.hpp"

using namespace warpwright;

FUZZ_TARGET(link_ptx) {
    constexpr std::string_view between = "//----\n";
    std::vector<std::string> modules;
    for (;;) {
        const auto at = text.find(between);
        modules.emplace_back(text.substr(0, at));
        if (at == std::string_view::npos) break;
        text.remove_prefix(at + between.size());
    }
    if (auto linked = compile::link_ptx(modules); !linked) fuzz::check(linked.error());
}
