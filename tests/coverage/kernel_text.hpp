// The lists of this room (data/), and the kernel that a few of their lines are put into.
#pragma once

#include <algorithm>
#include <cctype>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace coverage_tests {

struct Spelling {
    std::string text;     ///< "add.s32", "%tid.x", "callee:vprintf"
    std::string kernels;  ///< of 2363; "-" where it was not counted
    std::string programs;
    std::string group;  ///< later.txt: what it belongs to
    std::string operands;

    bool is_register() const { return text.starts_with("%"); }
    bool is_callee() const { return text.starts_with("callee:"); }
    /// "ld" of "ld.global.u32"; a callee's name.
    std::string base() const {
        return is_callee() ? text.substr(7) : is_register() ? text : text.substr(0, text.find('.'));
    }
    bool alone() const { return operands.starts_with("alone:"); }
    /// Whether the lanes of a warp, or the warps of a block, must come to it together.
    bool together() const {
        return text.find(".sync") != std::string::npos || base() == "bar" || base() == "barrier" ||
               base() == "activemask";
    }
    bool plain() const { return operands.find(';') == std::string::npos; }
    /// The statements, `number` making labels unlike any other's; a plain one under `guard`.
    std::string statements(unsigned number, const std::string& guard = "") const {
        if (plain()) return guard + text + (operands.empty() ? "" : " ") + operands + ";";
        std::string out;
        for (char c : alone() ? operands.substr(6) : operands) {
            if (c == '$')
                out += text;
            else if (c == '#')
                out += std::to_string(number);
            else
                out += c;
        }
        return out;
    }
};

inline std::string read_text(const std::string& name) {
    std::ifstream in(name);
    if (!in) throw std::runtime_error("cannot read " + name);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

inline std::vector<Spelling> read_list(const std::string& name) {
    std::istringstream in(read_text(WARPWRIGHT_SOURCE_DIR "/tests/coverage/data/" + name));
    const bool groups = name == "later.txt";
    std::vector<Spelling> out;
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream words(line);
        Spelling s;
        std::string count;
        words >> s.text >> count >> s.kernels >> s.programs;
        if (groups) words >> s.group;
        std::getline(words >> std::ws, s.operands);
        out.push_back(std::move(s));
    }
    return out;
}

/// Stores of the result registers that `statements` name: %r0, not %r10 or %gp.
inline std::string keep_results(const std::string& statements) {
    std::set<std::string> seen;
    std::string out;
    for (std::size_t at = 0; (at = statements.find('%', at)) != std::string::npos;) {
        std::size_t end = ++at;
        while (end < statements.size() &&
               (std::isalnum(static_cast<unsigned char>(statements[end])) || statements[end] == '_'))
            ++end;
        const std::string name = statements.substr(at, end - at);
        const auto digit = name.find_first_of("0123456789");
        if (digit == std::string::npos || digit + 1 != name.size() || !seen.insert(name).second) continue;
        const std::string kind = name.substr(0, digit);
        if (kind == "p") {
            if (name[digit] < '4') out += " selp.u32 %kept, 1, 0, %" + name + "; st.global.u32 [%out], %kept;";
        } else if (kind == "h" || kind == "r" || kind == "f" || kind == "rd" || kind == "d") {
            out += std::string(" st.global.") +
                   (kind == "h"                  ? "b16"
                    : kind == "r" || kind == "f" ? "b32"
                                                 : "b64") +
                   " [%out], %" + name + ";";
        }
    }
    return out;
}

/// What the values that the lines read are made of: each lane its own, or the same for all.
enum class Values { varying, uniform };

inline constexpr unsigned kThreads = 64;
inline constexpr std::size_t kUniformBytes = 32 << 10, kDataBytes = kUniformBytes + kThreads * (64 + 8);

/// The kernel `k` (.param .u64 data, .param .b8 block[64]) around `lines`, one text line each; `first_line` is the
/// 1-based line of the first of them.
inline std::string kernel_text(const std::vector<Spelling>& lines, Values values, unsigned& first_line,
                               const std::string& guard = "") {
    std::string s = R"(.version 9.0
.target sm_90a
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.extern .func (.param .b64 r) malloc (.param .b64 n);
.extern .func free (.param .b64 p);
.extern .func __assertfail (.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
.extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2 (.param .b64 f, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);
.extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2 (.param .b64 b, .param .b64 s);
.extern .func (.param .b32 r) __cudaCDP2Malloc (.param .b64 p, .param .b64 n);
.extern .func (.param .b32 r) __cudaCDP2Free (.param .b64 p);
.extern .func (.param .b32 r) __cudaCDP2StreamCreateWithFlags (.param .b64 s, .param .b32 f);
.extern .func (.param .b32 r) __cudaCDP2StreamDestroy (.param .b64 s);
.extern .func (.param .b64 r) __cudaCDP2GetErrorString (.param .b32 e);
.extern .func (.param .b32 r) __cudaCDP2GetLastError ();
.extern .func (.param .b32 r) __cudaCDP2PeekAtLastError ();
.extern .func (.param .b32 r) __cudaCDP2MemcpyAsync (.param .b64 t, .param .b64 f, .param .b64 n, .param .b32 k, .param .b64 s);
.extern .func cudaGraphSetConditional (.param .b64 h, .param .b32 v);
.global .align 1 .b8 text[3] = {104, 105, 0};
.const .align 16 .b8 constants[64] = {1, 2, 3, 4};
.func empty() { ret; }
.func (.param .b32 r) twice(.param .b32 x) { .reg .b32 %a; ld.param.u32 %a, [x]; shl.b32 %a, %a, 1; st.param.b32 [r], %a; ret; }
)";
    for (const auto* type : {"b32", "b64", "f32", "f64"}) {
        const std::string t = type;
        s += ".func (.param ." + t + " r) same_" + t + "(.param ." + t + " x) { .reg ." + t + " %a; ld.param." + t +
             " %a, [x]; st.param." + t + " [r], %a; ret; }\n";
    }
    for (const auto& line : lines)
        if (!line.group.empty() && line.is_callee()) s += ".extern .func " + line.base() + " ();\n";
    s += R"(.visible .entry k(.param .u64 data, .param .align 16 .b8 block[64])
{
.reg .pred %p<8>, %never; .reg .b16 %h<24>; .reg .b32 %r<24>, %sp, %sm, %thread, %seed, %kept; .reg .f32 %f<24>; .reg .f64 %d<24>;
.reg .b64 %rd<24>, %gp, %lp, %cp, %gen, %lgen, %sp64, %gm, %gmgen, %out, %format, %wide;
.shared .align 128 .b8 smem[12288];
.local .align 16 .b8 lmem[64];
PROTOTYPE: .callprototype (.param .b32 _) _ (.param .b32 _);
mov.u32 %thread, %tid.x; ld.param.u64 %gm, [data]; cvta.to.global.u64 %gm, %gm; cvta.global.u64 %gmgen, %gm;
mul.wide.u32 %wide, %thread, 64; add.s64 %gp, %gm, %wide; add.s64 %gp, %gp, 32768; cvta.global.u64 %gen, %gp;
mul.wide.u32 %wide, %thread, 8; add.s64 %out, %gm, %wide; add.s64 %out, %out, 36864;
mov.u32 %sm, smem; shl.b32 %sp, %thread, 6; add.u32 %sp, %sp, %sm; add.u32 %sp, %sp, 8192; cvt.u64.u32 %sp64, %sp;
mov.u64 %lp, lmem; cvta.local.u64 %lgen, %lp; mov.u64 %cp, constants; mov.u64 %format, text; cvta.global.u64 %format, %format;
st.shared.v4.u32 [%sp], {%thread, %thread, %thread, %thread}; st.local.v4.u32 [%lp+16], {%thread, %thread, %thread, %thread};
)";
    // Read from memory, so that nothing about them is known when the kernel is compiled.
    s += values == Values::varying ? "ld.global.u32 %seed, [%gp];\n" : "ld.global.u32 %seed, [%gm];\n";
    s += "setp.eq.u32 %never, %seed, 0;\n";
    for (unsigned i = 10; i < 19; ++i) {
        const std::string n = std::to_string(i);
        s += "add.u32 %r" + n + ", %seed, " + std::to_string(i - 9) + "; cvt.u64.u32 %rd" + n + ", %r" + n +
             "; cvt.rn.f32.u32 %f" + n + ", %r" + n + "; cvt.f64.f32 %d" + n + ", %f" + n + "; cvt.rn.f16.f32 %h" + n +
             ", %f" + n + ";\n";
    }
    for (unsigned i = 4; i < 8; ++i)
        s += "setp.gt.u32 %p" + std::to_string(i) + ", %r10, " + std::to_string(i * 4) + ";\n";
    first_line = 1 + static_cast<unsigned>(std::count(s.begin(), s.end(), '\n'));
    unsigned number = 0;
    for (const auto& line : lines) {
        const auto statements = line.statements(number++, guard);
        s += statements + keep_results(statements) + "\n";
    }
    return s + "ret;\n}\n";
}

}  // namespace coverage_tests
