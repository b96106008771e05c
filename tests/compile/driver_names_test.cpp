// cuda.h has the names of the driver's numbers, in C and in C++.
#include <gmock/gmock.h>

#include <fstream>
#include <regex>

#include "common/files.hpp"
#include "compile/kernel/command.hpp"
#include "compile/kernel/compile.hpp"
#include "compile/process.hpp"

namespace warpwright::compile {
namespace driver_names_test {

/// What the compiler says of a text that includes cuda.h; empty where it takes it.
std::string errors_of(const std::string& text, const char* ending) {
    const auto tools = find_tools({});
    EXPECT_TRUE(tools) << tools.error().text();
    const test::Folder folder("driver_names");
    const auto file = folder.string() + "/names" + ending;
    std::ofstream(file) << "#include <cuda.h>\n" << text;
    std::vector<std::string> command{tools->compiler, "-fsyntax-only", "-ferror-limit=5"};
    for (const auto& headers : tools->headers) command.push_back("-I" + headers);
    command.push_back(file);
    const auto ran = run_process(command, {});
    EXPECT_TRUE(ran) << ran.error().text();
    return ran->exit_code == 0 ? std::string() : ran->errors;
}

TEST(DriverNames, EachIsANumberInCAndInCpp) {
    const auto tools = find_tools({});
    ASSERT_TRUE(tools) << tools.error().text();
    std::ifstream header(tools->headers.front() + "/warpwright/driver_names.h");
    const std::regex name("#define (CU\\w+) .*");
    std::string text, line;
    int names = 0;
    for (std::smatch found; std::getline(header, line);)
        if (std::regex_match(line, found, name))
            text += "long long v" + std::to_string(names++) + "(void) { return (long long)" + found[1].str() + "; }\n";
    EXPECT_GT(names, 350);
    for (const char* ending : {".c", ".cpp"}) EXPECT_EQ(errors_of(text, ending), "") << ending;
}

TEST(DriverNames, HaveTheTypesAndNumbersOfTheDocumentation) {
    EXPECT_EQ(
        errors_of(
            "CUdevice_attribute a = CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR;\n"
            "CUmemLocationType l = CU_MEM_LOCATION_TYPE_DEVICE;\n"
            "CUlimit limit = CU_LIMIT_MALLOC_HEAP_SIZE;\n"
            "CUjit_option o = CU_JIT_FAST_COMPILE;\n"
            "CUcomputemode m = CU_COMPUTEMODE_PROHIBITED;\n"
            "static_assert(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK == 1 && CU_DEVICE_ATTRIBUTE_WARP_SIZE == 10);\n"
            "static_assert(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT == 16 && CU_MEM_ACCESS_FLAGS_PROT_READWRITE == "
            "3);\n"
            "static_assert(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION == 4 && CU_JIT_LTO == 20 && CU_TARGET_COMPUTE_90 == "
            "90);\n"
            "static_assert(CU_GRAPH_NODE_TYPE_KERNEL == 0 && CU_STREAM_CAPTURE_MODE_RELAXED == 2);\n",
            ".cpp"),
        "");
    EXPECT_THAT(errors_of("int x = CU_NO_SUCH_NAME;\n", ".cpp"), testing::HasSubstr("CU_NO_SUCH_NAME"));
}

}  // namespace driver_names_test
}  // namespace warpwright::compile
