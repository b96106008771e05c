// How a fuzz target is written: FUZZ_TARGET(name) { ... } takes any bytes in `text`; a finding ends the program. Each
// stands in a file of its own, <name>_fuzz.cpp: a libFuzzer program of it is built with WARPWRIGHT_FUZZ=ON, and in
// every build ww_test_fuzz gives it the kept inputs and mutations of them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "support/result.hpp"

namespace warpwright::fuzz {

[[noreturn]] inline void complain(const std::string& what, const std::string& text = {}) {
    std::fprintf(stderr, "%s\n%s\n", what.c_str(), text.c_str());
    std::abort();
}

/// An error has to say what is wrong with the input, on one line, and that it is the input's fault.
inline void check(const Error& error) {
    if (error.what.empty()) complain("an error says nothing");
    if (error.kind != ErrorKind::input && error.kind != ErrorKind::limit && error.kind != ErrorKind::usage)
        complain("an error is not the input's", error.text());
}

}  // namespace warpwright::fuzz

#ifdef WARPWRIGHT_FUZZ_ALONE
    #define FUZZ_TARGET(name)                                                               \
        static void fuzz_##name(std::string_view text);                                     \
        extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { \
            fuzz_##name({reinterpret_cast<const char*>(data), size});                       \
            return 0;                                                                       \
        }                                                                                   \
        static void fuzz_##name([[maybe_unused]] std::string_view text)
#else
    #define FUZZ_TARGET(name)                    \
        void fuzz_##name(std::string_view text); \
        void fuzz_##name([[maybe_unused]] std::string_view text)
#endif
