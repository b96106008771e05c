// Properties over generated texts: numbers and constant expressions have the value they have in C++,
// random bodies read back equal, and a damaged text gives one Error or a module that reads back equal.
#include <fmt/format.h>
#include <gtest/gtest.h>
// rapidcheck needs GoogleTest first
#include <rapidcheck/gtest.h>

#include "support.hpp"

namespace warpwright::ptx::test {
namespace properties_test {

std::uint64_t immediate(const std::string& text) {
    return first_instruction("mov.b64 %rd1, " + text + ";").operands.at(1).value;
}

RC_GTEST_PROP(Properties, IntegersOfEveryBase, (std::uint64_t value)) {
    RC_ASSERT(immediate(fmt::format("{}", value)) == value);
    RC_ASSERT(immediate(fmt::format("0x{:x}", value)) == value);
    RC_ASSERT(immediate(fmt::format("0X{:X}U", value)) == value);
    RC_ASSERT(immediate(fmt::format("0{:o}", value)) == value);
    RC_ASSERT(immediate(fmt::format("0b{:b}", value)) == value);
    RC_ASSERT(immediate(fmt::format("{}", static_cast<std::int64_t>(value))) == value);
}

RC_GTEST_PROP(Properties, BitsOfRealsAreKept, (std::uint64_t bits)) {
    Operand twice = first_instruction(fmt::format("mov.f64 %fd1, 0d{:016x};", bits)).operands.at(1);
    RC_ASSERT(twice.value == bits);
    auto low = static_cast<std::uint32_t>(bits);
    Operand single = first_instruction(fmt::format("mov.f32 %f1, 0F{:08X};", low)).operands.at(1);
    RC_ASSERT(single.value == low && single.is_f32_bits);
}

// A constant expression and its value by wrapping 64-bit arithmetic.
struct Expression {
    std::string text;
    std::uint64_t value;
};

Expression expression(int depth) {
    int kind = depth == 0 ? 0 : *rc::gen::inRange(0, 8);
    if (kind == 0) {
        std::uint64_t value = *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 40);
        return {fmt::format("{}", value), value};
    }
    Expression a = expression(depth - 1);
    if (kind == 1) return {"(-" + a.text + ")", std::uint64_t{0} - a.value};
    if (kind == 2) return {"~(" + a.text + ")", ~a.value};
    Expression b = expression(depth - 1);
    std::string l = "(" + a.text + ") ", r = " (" + b.text + ")";
    switch (kind) {
        case 3:
            return {"(" + l + "+" + r + ")", a.value + b.value};
        case 4:
            return {"(" + l + "-" + r + ")", a.value - b.value};
        case 5:
            return {"(" + l + "*" + r + ")", a.value * b.value};
        case 6:
            return {"(" + l + "^" + r + ")", a.value ^ b.value};
        default:
            return {"(" + l + "&" + r + ")", a.value & b.value};
    }
}

RC_GTEST_PROP(Properties, ConstantExpressions, ()) {
    Expression e = expression(*rc::gen::inRange(0, 5));
    RC_ASSERT(immediate(e.text) == e.value);
}

// Precedence without parentheses, against the same text compiled by hand: a op1 b op2 c.
RC_GTEST_PROP(Properties, PrecedenceIsThatOfC, ()) {
    auto a = *rc::gen::inRange<std::int64_t>(0, 1000), b = *rc::gen::inRange<std::int64_t>(1, 1000),
         c = *rc::gen::inRange<std::int64_t>(1, 60);
    auto same = [&](const char* format, std::int64_t want) {
        RC_ASSERT(immediate(fmt::format(fmt::runtime(format), a, b, c)) == static_cast<std::uint64_t>(want));
    };
    same("{} + {} * {}", a + b * c);
    same("{} * {} - {}", a * b - c);
    same("{} - {} - {}", a - b - c);
    same("{} / {} % {}", a / b % c);
    same("{} | {} & {}", a | (b & c));
    same("{} ^ {} | {}", (a ^ b) | c);
    same("{} + {} << {}", static_cast<std::int64_t>(static_cast<std::uint64_t>(a + b) << c));
    same("{} < {} == {} < 30", (a < b) == (c < 30));
    same("{} > {} ? {} : 7", a > b ? c : 7);
}

// A random statement; `labels` are those that the body defines, `depth` bounds the nesting of scopes.
std::string statement(int labels, int depth) {
    auto number = [](int below) { return *rc::gen::inRange(0, below); };
    auto r = [&] { return fmt::format("%r{}", number(9)); };
    auto rd = [&] { return fmt::format("%rd{}", number(9)); };
    auto f = [&] { return fmt::format("%f{}", number(9)); };
    auto p = [&] { return fmt::format("%p{}", number(9)); };
    auto integer = [&] { return fmt::format("{}", *rc::gen::arbitrary<std::int32_t>()); };
    std::string guard = number(3) == 0 ? fmt::format("@{}{} ", number(2) ? "!" : "", p()) : "";
    switch (number(depth > 0 ? 14 : 12)) {
        case 0:
            return guard + fmt::format("add.s32 {}, {}, {};", r(), r(), number(2) ? r() : integer());
        case 1:
            return guard + fmt::format("fma.rn{}.f32 {}, {}, {}, 0f{:08X};", number(2) ? ".ftz" : "", f(), f(), f(),
                                       *rc::gen::arbitrary<std::uint32_t>());
        case 2:
            return guard +
                   fmt::format("ld.global.v2.u32 {{{}, {}}}, [{}+{}];", r(), number(2) ? r() : "_", rd(), integer());
        case 3:
            return guard + fmt::format("st.shared.f32 [smem+{}], {};", number(64) * 4, f());
        case 4:
            return guard + fmt::format("setp.lt.and.s32 {}|{}, {}, {}, {}{};", p(), number(2) ? p() : "_", r(),
                                       integer(), number(2) ? "!" : "", p());
        case 5:
            return guard + fmt::format("bra L{};", number(labels));
        case 6:
            return guard + fmt::format("mov.u32 {}, %ctaid.{};", r(), std::string_view("xyz").substr(number(3), 1));
        case 7:
            return guard + fmt::format("atom.add.release.gpu.u32 {}, [{}], {};", number(2) ? r() : "_", rd(), r());
        case 8:
            return fmt::format(".loc 1 {} 0, inlined_at 1 {} 2", number(100) + 1, number(100) + 1);
        case 9:
            return "bar.sync 0;";
        case 10:
            return fmt::format(
                "{{ .param .b64 q; .param .b32 s; st.param.b64 [q], {}; call.uni (s), f, (q); ld.param.b32 {}, [s]; }}",
                rd(), r());
        case 11:
            return guard + fmt::format("mov.b64 {}, {{{}, {}}};", rd(), r(), r());
        case 12: {
            std::string inner;
            for (int n = number(4); n > 0; --n) inner += statement(labels, depth - 1) + "\n";
            return "{\n.reg .b32 %r<" + std::to_string(number(9) + 1) + ">;\n" + inner + "}";
        }
        default:
            return "{\n.reg .pred %p<9>;\n" + statement(labels, depth - 1) + "\nbra IN; IN:\n}";
    }
}

RC_GTEST_PROP(Properties, RandomBodiesReadBackEqual, ()) {
    int labels = *rc::gen::inRange(1, 4);
    std::string body;
    for (int i = 0; i < labels; ++i) {
        for (int n = *rc::gen::inRange(0, 8); n > 0; --n) body += statement(labels, 2) + "\n";
        body += fmt::format("L{}:\n", i);
    }
    Result<Module> module = parse(kernel(body), "random.ptx");
    if (!module) RC_FAIL(module.error().text() + "\n" + body);
    RC_ASSERT(round_trip(*module) == "");
    // A second printing of what was read back changes nothing more.
    Module again = parsed(print(*module));
    RC_ASSERT(print(again) == print(parsed(print(again))));
}

RC_GTEST_PROP(Properties, ADamagedTextIsAnErrorOrAModule, ()) {
    static const std::vector<std::string> texts = {read_file(data_folder() + "data/calls.clang.ptx"),
                                                   read_file(data_folder() + "data/memory.lines.nvcc.ptx"),
                                                   read_file(data_folder() + "data/assembly.clang.ptx")};
    std::string text = *rc::gen::elementOf(texts);
    for (int n = *rc::gen::inRange(1, 6); n > 0; --n) {
        std::size_t at = *rc::gen::inRange<std::size_t>(0, text.size());
        std::size_t length = std::min<std::size_t>(*rc::gen::inRange(1, 40), text.size() - at);
        switch (*rc::gen::inRange(0, 4)) {
            case 0:
                text.erase(at, length);
                break;
            case 1:
                text.insert(at, text.substr(*rc::gen::inRange<std::size_t>(0, text.size()), length));
                break;
            case 2:
                text[at] = *rc::gen::elementOf(std::string("{}[]();,.%+-*/:|!@<>\"#0x_ \n"));
                break;
            default:
                text[at] = *rc::gen::arbitrary<char>();
                break;
        }
        if (text.empty()) break;
    }
    Result<Module> module = parse(text, "damaged.ptx");
    if (!module) {
        RC_ASSERT(module.error().kind == ErrorKind::input);
        RC_ASSERT(module.error().text().find('\n') == std::string::npos);
    } else {
        RC_ASSERT(round_trip(*module) == "");
    }
}

}  // namespace properties_test
}  // namespace warpwright::ptx::test
