// The stand-in for nvidia-smi, as packages call it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <string>

namespace smi_test {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

struct Ran {
    int code = -1;
    std::string output;
};

/// Runs it by the shell; standard error goes to the output.
Ran smi(const std::string& words, const std::string& variables = "") {
    Ran out;
    std::FILE* from = ::popen((variables + " \"" WARPWRIGHT_TEST_SMI "\" " + words + " 2>&1").c_str(), "r");
    if (!from) return out;
    char text[512];
    while (const auto n = std::fread(text, 1, sizeof text, from)) out.output.append(text, n);
    const int state = ::pclose(from);
    if (WIFEXITED(state)) out.code = WEXITSTATUS(state);
    return out;
}

TEST(Smi, ListsTheDevices) {
    const auto one = smi("-L");
    EXPECT_EQ(one.code, 0);
    EXPECT_THAT(one.output, MatchesRegex("GPU 0: NVIDIA H200.* \\(UUID: GPU-[0-9a-f-]+\\)\n"));
    const auto two = smi("--list-gpus", "WARPWRIGHT_DEVICE_COUNT=2");
    EXPECT_THAT(two.output, HasSubstr("\nGPU 1: "));
    EXPECT_THAT(smi("-L", "WARPWRIGHT_MODEL=rtx5090").output, HasSubstr("RTX 5090"));
}

TEST(Smi, AnswersQueriesOfFields) {
    const auto plain = smi("--query-gpu=index,compute_cap,utilization.gpu,memory.used --format=csv");
    EXPECT_EQ(plain.code, 0);
    EXPECT_EQ(plain.output, "index, compute_cap, utilization.gpu [%], memory.used [MiB]\n0, 9.0, [N/A], 0 MiB\n");
    // As GPUtil and others ask.
    const auto bare =
        smi("--query-gpu index,memory.used,count --format csv,noheader,nounits", "WARPWRIGHT_DEVICE_COUNT=2");
    EXPECT_EQ(bare.output, "0, 0, 2\n1, 0, 2\n");
    EXPECT_EQ(smi("-i 1 --query-gpu=index --format=csv,noheader", "WARPWRIGHT_DEVICE_COUNT=2").output, "1\n");
    EXPECT_THAT(smi("--query-gpu=uuid,pci.bus_id,name --format=csv,noheader").output,
                MatchesRegex("GPU-[0-9a-f-]+, 00000000:01:00.0, NVIDIA H200.*\n"));
}

TEST(Smi, WritesXmlAndATable) {
    const auto xml = smi("-q -x");
    EXPECT_EQ(xml.code, 0);
    EXPECT_THAT(xml.output, HasSubstr("<attached_gpus>1</attached_gpus>"));
    EXPECT_THAT(xml.output, HasSubstr("<pci_bus_id>00000000:01:00.0</pci_bus_id>"));
    EXPECT_THAT(xml.output, testing::EndsWith("</nvidia_smi_log>\n"));
    EXPECT_EQ(xml.output.find("<gpu id="), xml.output.rfind("<gpu id="));
    const auto table = smi("");
    EXPECT_EQ(table.code, 0);
    EXPECT_THAT(table.output, testing::ContainsRegex("Driver Version: [0-9.]+ +CUDA Version: 13\\.[0-9]"));
    EXPECT_THAT(table.output, HasSubstr("emulated by Warpwright"));
}

TEST(Smi, RefusesWhatItDoesNotHave) {
    const auto field = smi("--query-gpu=index,colour --format=csv");
    EXPECT_EQ(field.code, 2);
    EXPECT_THAT(field.output, HasSubstr("\"colour\" is not a valid field"));
    EXPECT_EQ(smi("--query-gpu=index").code, 2);
    EXPECT_EQ(smi("--query-compute-apps=pid --format=csv").code, 2);
    EXPECT_EQ(smi("--gpu-reset").code, 2);
    EXPECT_EQ(smi("-q").code, 3);
    EXPECT_EQ(smi("-i 7 -L").code, 6);
    EXPECT_EQ(smi("-i").code, 2);
}

}  // namespace smi_test
