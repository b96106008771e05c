// Help shared by the tests of the PTX room.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "ptx/parser.hpp"
#include "ptx/printer.hpp"

namespace warpwright::ptx::test {

inline std::string read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error("cannot read " + path);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

inline std::string data_folder() { return std::string(WARPWRIGHT_SOURCE_DIR) + "/tests/ptx/"; }

inline const std::string kHead = ".version 8.0\n.target sm_80\n.address_size 64\n";

/// A module of one kernel `k` with registers of every width, whose body is `body`.
inline std::string kernel(const std::string& body) {
    return kHead +
           ".extern .func (.param .b32 r) f(.param .b64 a);\n"
           ".extern .func g;\n"
           ".global .texref tex;\n"
           ".global .surfref surf;\n"
           ".shared .align 16 .b8 smem[256];\n"
           ".visible .entry k(.param .u64 p0, .param .align 8 .b8 p1[16])\n{\n"
           ".reg .pred %p<9>;\n.reg .b16 %rs<9>;\n.reg .b32 %r<129>;\n.reg .b64 %rd<33>;\n.reg .f32 %f<129>;\n"
           ".reg .f64 %fd<9>;\n" +
           body + "\n}\n";
}

inline Module parsed(const std::string& text) {
    Result<Module> module = parse(text, "test.ptx");
    if (!module) throw std::runtime_error(module.error().text());
    return std::move(module).value();
}

/// The only instruction of kernel(body), or the first of several.
inline Instruction first_instruction(const std::string& body) {
    Module module = parsed(kernel(body));
    return module.functions[module.find_function("k")].body.at(0);
}

/// What is wrong with the text; empty when it parses.
inline std::string error_of(const std::string& text) {
    Result<Module> module = parse(text, "test.ptx");
    return module ? "" : module.error().text();
}

/// Prints and reads again: empty when nothing changes.
inline std::string round_trip(const Module& module) {
    std::string text = print(module);
    Result<Module> again = parse(text, "printed.ptx");
    if (!again) return again.error().text() + "\n" + text;
    return difference(module, *again);
}

}  // namespace warpwright::ptx::test
