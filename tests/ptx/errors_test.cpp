// Malformed texts: each gives one Error, at its place, that names what is wrong.
#include <gmock/gmock.h>

#include "ptx/limits.hpp"
#include "support.hpp"

namespace warpwright::ptx::test {
namespace errors_test {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Case {
    std::string text;
    std::string place;  ///< "line:column"
    std::string words;
};

void expect_error(const Case& c) {
    Result<Module> module = parse(c.text, "bad.ptx");
    ASSERT_FALSE(module.ok()) << c.text.substr(0, 200);
    const Error& error = module.error();
    EXPECT_EQ(error.kind, ErrorKind::input);
    EXPECT_THAT(error.text(), StartsWith("bad.ptx:" + c.place + ": error: ")) << c.text.substr(0, 200);
    EXPECT_THAT(error.text(), HasSubstr(c.words));
    EXPECT_EQ(error.text().find('\n'), std::string::npos);
}

const std::string kFunc = kHead + ".func f {\n.reg .pred %p<4>; .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .b16 %rs<4>;\n";

TEST(Errors, OfTheModule) {
    for (const Case& c : {
             Case{"", "1:1", "expected '.version' first, found the end of the text"},
             Case{".target sm_80", "1:1", "expected '.version' first"},
             Case{".version x", "1:10", "expected a version like 8.0"},
             Case{".version 8", "1:10", "expected a version like 8.0"},
             Case{".version 999.0", "1:10", "there is no version 999.0 of PTX"},
             Case{".version 0.5", "1:10", "there is no version 0.5 of PTX"},
             Case{".version 8.0 .target sm_999", "1:22", "expected a target like sm_80, found 'sm_999'"},
             Case{".version 8.0 .target sm_80x", "1:22", "expected a target like sm_80"},
             Case{".version 8.0 .target gpu", "1:22", "expected a target like sm_80"},
             Case{kHead + "hello", "4:1", "expected a directive of the module, found 'hello'"},
             Case{".version 8.0 .address_size 16", "1:28", "32 or 64"},
             Case{kHead + ".file 70000 \"x\"", "4:7", "over 65536"},
             Case{kHead + ".section .debug { .b8 1", "4:10", "not closed"},
             Case{kHead + "/* never", "4:1", "a comment is not closed"},
             Case{kHead + ".file 1 \"x", "4:9", "a string is not closed"},
             Case{kHead + ".func f { ret;", "4:9", "the body of function 'f' is not closed"},
             Case{kHead + ".func f { ret; } .func f { ret; }", "4:24", "'f' is defined twice"},
             Case{kHead + ".func f; .func f(.param .b32 x) { ret; }", "4:16", "declared above with other parameters"},
             Case{kHead + ".global .u32 f; .func f;", "4:23", "already the name of a variable"},
             Case{kHead + ".entry e() .maxntidd 3 { }", "4:12", "unknown directive '.maxntidd' of function 'e'"},
             Case{kHead + ".alias a, b;", "4:8", "'a' is not a function"},
             Case{kHead + ".entry e(.reg .b32 x) { }", "4:15", "parameters of an .entry"},
             Case{kHead + "\x01", "4:1", "unexpected byte 0x01"},
             Case{kHead + ".global .u32 \xc3\xa9;", "4:14", "unexpected byte 0xc3"},
         })
        expect_error(c);
}

TEST(Errors, OfVariables) {
    for (const Case& c : {
             Case{kHead + ".global .u32;", "4:13", "expected the name of a variable"},
             Case{kHead + ".global x;", "4:9", "expected the type of the variable"},
             Case{kHead + ".global .pred x;", "4:15", "only registers may be .pred"},
             Case{kHead + ".global .align 3 .u32 x;", "4:16", "power of two"},
             Case{kHead + ".global .u32 x; .global .u32 x;", "4:30", "'x' is declared twice"},
             Case{kHead + ".global .u32 x[];", "4:14", "has no size"},
             Case{kHead + ".global .u32 x[2][];", "4:19", "only the first dimension"},
             Case{kHead + ".global .u32 x[9223372036854775807];", "4:16", "too large"},
             Case{kHead + ".global .u32 x[4294967296][4294967296];", "4:28", "too large"},
             Case{kHead + ".global .u32 x[2] = {1, 2, 3};", "4:28", "too many values"},
             Case{kHead + ".global .u8 x = 256;", "4:17", "does not fit in .u8"},
             Case{kHead + ".global .u8 x = -129;", "4:17", "does not fit in .u8"},
             Case{kHead + ".global .u32 x = 1.5;", "4:18", "takes an integer value"},
             Case{kHead + ".global .u32 x[2] = {{1}, 2};", "4:22", "nested deeper"},
             Case{kHead + ".shared .u32 x = 1;", "4:14", "only .global and .const"},
             Case{kHead + ".global .u64 x = nobody;", "4:18", "'nobody' is not declared"},
             Case{kHead + ".global .u8 x = nobody;", "4:17", "an address needs a variable of 4 or 8 bytes"},
             Case{kHead + ".global .b8 x[2] = {0xFFF(x), 1};", "4:27", "a mask of an address is one byte"},
             Case{kHead + ".global .b8 x[300000000] = {1};", "4:28", "over 256 MiB"},
             Case{kHead + ".global .u32 x = 1 / 0;", "4:20", "division by zero"},
             Case{kHead + ".global .u32 x = 99999999999999999999;", "4:18", "does not fit in 64 bits"},
             Case{kHead + ".global .u32 x = 08;", "4:18", "malformed octal number"},
             Case{kHead + ".global .f32 x = 0f12;", "4:18", "0f needs 8 hexadecimal digits"},
             Case{kHead + ".global .u32 x = 12abc;", "4:18", "malformed number"},
             Case{kHead + ".param .u32 x;", "4:1", "belong to a function"},
         })
        expect_error(c);
}

TEST(Errors, OfBodies) {
    for (const Case& c : {
             Case{kFunc + "adf.u32 %r1, %r2, %r3; }", "6:1", "unknown opcode 'adf' (near: 'add'"},
             Case{kFunc + "xro.b32 %r1, %r2, %r3; }", "6:1", "unknown opcode 'xro' (near: 'xor'"},
             Case{kFunc + "add.f33 %r1, %r2, %r3; }", "6:4", "opcode 'add' has the unknown modifier '.f33' (near: "},
             Case{kFunc + "ld.globl.u32 %r1, [%rd1]; }", "6:3", "unknown modifier '.globl' (near: 'global'"},
             Case{kFunc + "add.u32 %r1, %r2; }", "6:1", "'add.u32' has 2 operands; 'add' takes 3"},
             Case{kFunc + "shfl.sync.idx.b32 %r1, %r2; }", "6:1", "has 2 operands; 'shfl' takes 4 to 5"},
             Case{kFunc + "add.u32 %r1, %r2, %r9; }", "6:19", "'%r9' is not declared"},
             Case{kFunc + "add.u32 %r1, %r2, %tid.q; }", "6:19", "'%tid' is not declared"},
             Case{kFunc + "add.u32 %r1, %r2, %rd3; }", "6:1",
                  "operand 3 of 'add.u32': register '%rd3' is .b64, .u32 takes 32 bits"},
             Case{kFunc + "add.u32 %p1, %r2, %r3; }", "6:1", "operand 1 of 'add.u32': register '%p1' is .pred"},
             Case{kFunc + "setp.eq.u32 %r1, %r2, %r3; }", "6:1", "writes a predicate register"},
             Case{kFunc + "ld.u32 %rs1, [%rd1]; }", "6:1", "takes at least 32 bits"},
             Case{kFunc + "add %r1, %r2, %r3; }", "6:1", "'add' needs a type"},
             Case{kFunc + "cvt.u32 %r1, %r2; }", "6:1", "needs two types"},
             Case{kFunc + "mov.u32 5, %r1; }", "6:1", "the first operand of 'mov.u32' cannot be written"},
             Case{kFunc + "@%r1 ret; }", "6:2", "not a predicate register"},
             Case{kFunc + "@%q ret; }", "6:2", "'%q' is not declared"},
             Case{kFunc + "bra NOWHERE; }", "6:5", "label 'NOWHERE' is not defined in function 'f'"},
             Case{kFunc + "L: L: ret; }", "6:4", "label 'L' is defined twice"},
             Case{kFunc + "brx.idx %r1, T; }", "6:14", "'T' is not a list of targets"},
             Case{kFunc + "T: .calltargets f; brx.idx %r1, T; }", "6:33", "not a list of branch targets"},
             Case{kFunc + "call nobody; }", "6:6", "function 'nobody' is not declared"},
             Case{kFunc + "call f, (%r1); }", "6:6", "called with 1 arguments and 0 results; it has 0 and 0"},
             Case{kFunc + "mov.u32 %r1, 1 }", "6:16", "expected ',' or ';' after an operand of 'mov.u32'"},
             Case{kFunc + "mov.u32 %r1,; }", "6:13", "expected an operand, found ';'"},
             Case{kFunc + "ld.u32 %r1, [%rd1; }", "6:18", "expected ']' after the address"},
             Case{kFunc + "ld.u32 %r1, [%rd1+%rd2]; }", "6:19", "expected an offset"},
             Case{kFunc + "ld.u32 %r1, [f]; }", "6:14", "cannot be the base of an address"},
             Case{kFunc + "mov.b32 {%rs1, {%rs2}}, %r1; }", "6:16", "an element of a vector is a scalar"},
             Case{kFunc + "vadd.s32.s32.s32 %r1, %r2.q1, %r3; }", "6:26", "'.q1' is not a part of a register"},
             Case{kFunc + ".reg .b32 %r<4>; }", "6:11", "declared twice"},
             Case{kFunc + ".reg .b32 %r2; }", "6:11", "declared twice"},
             Case{kFunc + ".reg .b32 %laneid; }", "6:11", "is a special register"},
             Case{kFunc + ".reg .b32 %x<4000000000>; }", "6:14", "registers are declared"},
             Case{kFunc + ".reg .b32 %x<2000000>, %y<2000000>, %z<2000000>; }", "6:40", "registers are declared"},
             Case{kFunc + ".bogus 3; }", "6:1", "unknown directive '.bogus' in a function body"},
             Case{kFunc + "? }", "6:1", "expected a statement, found '?'"},
             Case{kFunc + "mov.u32 %r1, ((1); }", "6:18", "expected ')' after the expression"},
         })
        expect_error(c);
}

TEST(Errors, NestingIsBounded) {
    std::string scopes = kFunc + std::string(100000, '{');
    EXPECT_THAT(error_of(scopes), HasSubstr("nested over 128 deep"));
    std::string parentheses = kFunc + "mov.u32 %r1, " + std::string(100000, '(');
    EXPECT_THAT(error_of(parentheses), HasSubstr("nested too deep"));
    std::string minuses = kFunc + "mov.u32 %r1, " + std::string(100000, '-');
    EXPECT_THAT(error_of(minuses), HasSubstr("nested too deep"));
    std::string choices = kFunc + "mov.u32 %r1, ";
    for (int i = 0; i < 50000; ++i) choices += "1?1:";
    EXPECT_THAT(error_of(choices), HasSubstr("nested too deep"));
    std::string braces = kHead + ".global .u32 x[4] = " + std::string(100000, '{');
    EXPECT_THAT(error_of(braces), HasSubstr("nested deeper"));
    std::string dimensions = kHead + ".global .u8 x";
    for (int i = 0; i < 100000; ++i) dimensions += "[1]";
    EXPECT_THAT(error_of(dimensions), HasSubstr("over 16 dimensions"));
    std::string operands = kFunc + "bar.sync 1";
    for (int i = 0; i < 100000; ++i) operands += ",1";
    EXPECT_THAT(error_of(operands), HasSubstr("over 16 operands"));
    std::string vector = kFunc + "mov.b32 {_";
    for (int i = 0; i < 100000; ++i) vector += ",_";
    EXPECT_THAT(error_of(vector), HasSubstr("over 256 elements"));
}

TEST(Errors, TextWithoutEndIsRefused) {
    std::string text = kFunc;
    const std::string some = "ret;ret;ret;ret;ret;ret;ret;ret;\n";
    for (std::uint64_t i = 0; i <= kMaxInstructions; i += 8) text += some;
    EXPECT_THAT(error_of(text), HasSubstr("over 2097152 instructions"));
}

TEST(Errors, BranchTablesCannotMultiply) {
    std::string text = kFunc + "L: T: .branchtargets L";
    for (int i = 0; i < 20000; ++i) text += ",L";
    text += ";\n";
    for (int i = 0; i < 20000; ++i) text += "brx.idx %r1,T;\n";
    EXPECT_THAT(error_of(text + "}"), HasSubstr("targets"));
}

// Each prefix of a real text is malformed or a module; none of them crashes.
TEST(Errors, EveryPrefixOfARealText) {
    std::string text = read_file(data_folder() + "data/calls.clang.ptx");
    for (std::size_t n = 0; n < text.size(); n += 7) {
        Result<Module> module = parse(std::string_view(text).substr(0, n), "prefix.ptx");
        if (!module) {
            EXPECT_NE(module.error().where.line, 0u);
        }
    }
}

// Each of these went through to code whose types did not fit: LLVM's text with no place, or a wrong result.
TEST(Errors, OfTypesThatAnOpcodeDoesNotHave) {
    const std::string head = kHead +
                             ".func f {\n.reg .pred %p<4>; .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .b16 %rs<4>; "
                             ".reg .f32 %f<4>; .reg .f64 %fd<4>; .reg .s32 %s<4>;\n";
    for (const auto& [text, words] : std::initializer_list<std::pair<const char*, const char*>>{
             {"mul.f32 %f2, %f1, 4;", "operand 3 of 'mul.f32': an integer constant where .f32"},
             {"add.s32 %r1, %r2, 1.5;", "operand 3 of 'add.s32': a floating-point constant where .s32 takes none"},
             {"add.tf32 %f1, %f1, %f1;", "'add' has no form of type .tf32; this type may be .u16"},
             {"mul.wide.e5m2 %r1, %r1, %r1;", "'mul' has no form of type .e5m2"},
             {"add.e4m3x4 %r1, %r1, %r1;", "'add' has no form of type .e4m3x4"},
             {"add.b32 %r1, %r1, %r1;", "'add' has no form of type .b32"},
             {"add.f32.f64 %f1, %fd1, %f1;", "'add' has no form of type .f64; this type may be .f16, .bf16"},
             {"add.f32 %f1, %f1, %s1;",
              "operand 3 of 'add.f32': register '%s1' is .s32, .f32 takes a register of its own"},
             {"fma.rn.f32 %f1, %f1, %fd1, %f1;", "register '%fd1' is .f64, .f32 takes 32 bits"},
             {"mul.wide.f32 %f1, %f2, %f3;", ".wide takes integers of 16 or 32 bits"},
             {"mul.wide.u32 %r1, %r2, %r3;", "register '%r1' is .b32, .b64 takes 64 bits"},
             {"mad.wide.u16 %r1, %rs1, %rs2, %rd1;", "operand 4 of 'mad.wide.u16'"},
             {"popc.f32 %r1, %f1;", "'popc' has no form of type .f32"},
             {"popc.b64 %rd1, %rd1;", "operand 1 of 'popc.b64': register '%rd1' is .b64, .b32 takes 32 bits"},
             {"prmt.b64 %rd1, %rd1, %rd1, %r1;", "'prmt' has no form of type .b64"},
             {"and.f32 %f1, %f1, %f1;", "'and' has no form of type .f32"},
             {"shl.b32 %r1, %r1, %rd1;", "operand 3 of 'shl.b32'"},
             {"selp.pred %p1, %p1, %p1, %p1;", "'selp' has no form of type .pred"},
             {"selp.b32 %r1, %r1, %r1, %r1;", "a predicate is expected, register '%r1' is .b32"},
             {"slct.f32 %f1, %f2, %f3, %f1;", "'slct.f32' has 1 type; 'slct' takes 2"},
             {"set.lt.u32 %r1, %r2, %r3;", "'set.lt.u32' has 1 type; 'set' takes 2"},
             {"setp.lt.u32.u32 %p1, %r1, %r2;", "has 2 types; 'setp' takes 1"},
             {"setp.lt.tf32 %p1, %r1, %r1;", "'setp' has no form of type .tf32"},
             {"dp4a.f32.f32 %f1, %f1, %f1, %f1;", "'dp4a' has no form of type .f32"},
             {"vadd.u32 %r1, %r1, %r1;", "'vadd.u32' has 1 type; 'vadd' takes 3"},
             {"lop3.b32 %r1, %r1, %r1, %r1, %r2;", "operand 5 of 'lop3.b32': an integer constant is expected"},
             {"shfl.sync.idx.b32 %rd1, %r1, %r1, %r1, -1;", "operand 1 of 'shfl.sync.idx.b32'"},
             {"shfl.sync.idx.f64 %fd1, %fd1, 1, 2, -1;", "'shfl' has no form of type .f64"},
             {"redux.sync.add.f64 %fd1, %fd1, -1;", "'redux' has no form of type .f64"},
             {"atom.global.add.e4m3 %r1, [%rd1], %r1;", "'atom' has no form of type .e4m3"},
             {"atom.global.add.u32 %rd1, [%rd1], %r1;", "operand 1 of 'atom.global.add.u32'"},
             {"ld.global.tf32 %f1, [%rd1];", "'ld' has no form of type .tf32"},
             {"cvt.rn.f32.b32 %f1, %r1;", "'cvt' has no form of type .b32"},
             {"mov.b64 %rd1, {%r1, %r2, %r3};", "the 3 parts of .b64 have 21 bits each"},
             {"mov.b64 {%rs1, %rs2}, %rd1;", "register '%rs1' is .b16, the 2 parts of .b64 have 32 bits each"},
         }) {
        SCOPED_TRACE(text);
        expect_error({head + text + " ret; }", "6:1", words});
    }
}

TEST(Errors, StandAtTheProgramsLineWhereACompilerMadeTheText) {
    const std::string text =
        ".version 8.5\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n\t.loc\t1 11 5\n\tnonsense.f32;\n}\n"
        "\t.file\t1 \"k.cu\"\n";
    const auto made = parse(text, "k.cu");
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().where.file, "k.cu");
    EXPECT_EQ(made.error().where.line, 11u);
    EXPECT_NE(made.error().what.find("line 7 of the PTX"), std::string::npos) << made.error().what;
    // Of a text that people gave it is that text's own.
    const auto given = parse(text, "k.ptx");
    ASSERT_FALSE(given);
    EXPECT_EQ(given.error().where.file, "k.ptx");
    EXPECT_EQ(given.error().where.line, 7u);
    EXPECT_EQ(given.error().where.column, 2u);
}

}  // namespace errors_test
}  // namespace warpwright::ptx::test
