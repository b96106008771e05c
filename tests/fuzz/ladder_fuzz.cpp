// Any text as a ladder file: an error or a ladder.
// Run: ww_fuzz_ladder tests/fuzz/corpus/ladder
#include "fuzz_target.hpp"
#include "ladder/ladder.hpp"

using namespace warpwright;

FUZZ_TARGET(ladder) {
    auto ladder = ladder::parse_ladder(std::string(text), "fuzz/ladder.toml");
    if (!ladder) return fuzz::check(ladder.error());
}
