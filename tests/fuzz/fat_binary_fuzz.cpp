// Any bytes: read_fat_binary() gives an error or entries that lie in them, and ptx_of() an error or a text.
// Run: ww_fuzz_fat_binary tests/fuzz/corpus/fat_binary
#include <cstring>
#include <vector>

#include "compile/program/fatbin.hpp"
#include "fuzz_target.hpp"

using namespace warpwright;

FUZZ_TARGET(fat_binary) {
    // A copy of exactly this size, so that a read past it is seen by the sanitizer.
    std::vector<std::byte> bytes(text.size());
    if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
    auto entries = compile::read_fat_binary(bytes.data(), bytes.size());
    if (!entries) return fuzz::check(entries.error());
    for (const compile::FatEntry& e : *entries)
        if (e.payload.data() < bytes.data() || e.payload.data() + e.payload.size() > bytes.data() + bytes.size())
            fuzz::complain("an entry lies outside of the fat binary");
    for (const unsigned capability : {50u, 90u, 120u})
        if (auto ptx = compile::ptx_of(*entries, capability); !ptx && ptx.error().what.empty())
            fuzz::complain("an error says nothing");
}
