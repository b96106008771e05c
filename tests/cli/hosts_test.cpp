// A launch over several processes: what an mpirun's processes tell is what one tells. The program as a user starts it.
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "common/program.hpp"
#include "record/record.hpp"

namespace warpwright::cli {
namespace hosts_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// out[i] counts to 300, by u32 sums; one in each block beside.
constexpr const char* kText = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 all) {
.reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<6>;
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r4, %r1, %r2, %r3; mov.u32 %r5, 0;
L: add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 300; @%p1 bra L;
ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r5;
ld.param.u64 %rd4, [all]; red.global.add.u32 [%rd4], 1;
ret; }
)";

class SeveralHosts : public testing::Test {
protected:
    void SetUp() override { std::ofstream(file()) << kText; }
    std::string file() const { return folder.string() + "/k.ptx"; }
    test::Said launch(const std::string& before, const std::string& words) const {
        return test::shell("XDG_DATA_HOME=" + folder.string() + " " + before + " timeout -k 1 60 " +
                           (before.empty() ? "" : mpirun) + " " WARPWRIGHT_PROGRAM " launch " + words + " " + file() +
                           " --device emulated --threads 1 --grid 2000 --block 64 --arg 'u32[128000]=zero' --arg "
                           "'u32[1]=zero' --json -");
    }
    std::string mpirun;
    test::Folder folder;
};

TEST_F(SeveralHosts, TellWhatOneTells) {
    if (std::system("mpirun --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no mpirun";
    const auto alone = launch("", "");
    mpirun = "mpirun --oversubscribe -n 3";
    const auto together =
        launch("OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 WARPWRIGHT_HOSTS_FROM=0", "--hosts");
    ASSERT_EQ(together.code, 0) << together.error;
    EXPECT_THAT(together.error, HasSubstr("1 launch of 1 kernel ran on 3 hosts"));
    const auto a = record::from_json(alone.out, "alone"), b = record::from_json(together.out, "together");
    ASSERT_TRUE(a.ok() && b.ok()) << together.out << together.error;
    EXPECT_EQ(a->records.at(0).counts, b->records.at(0).counts);
    EXPECT_EQ(a->records.at(0).predicted, b->records.at(0).predicted);
    EXPECT_EQ(a->records.at(0).notes, b->records.at(0).notes);
}

TEST_F(SeveralHosts, EndTogetherWhereTheProgramDoesNotBegin) {
    if (std::system("mpirun --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no mpirun";
    const auto none = test::shell(
        "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 WARPWRIGHT_HOSTS_PATIENCE=2 timeout -k 1 60 "
        "mpirun --oversubscribe -n 2 " WARPWRIGHT_PROGRAM " run --hosts " +
        file() + ".none");
    EXPECT_NE(none.code, 0);
    EXPECT_THAT(none.error, AllOf(HasSubstr("there is no program"), Not(HasSubstr("is lost"))));
}

TEST_F(SeveralHosts, WithoutMpiSayWhatIsMissing) {
    const auto none = launch("", "--hosts");
    EXPECT_EQ(none.code, 2);
    EXPECT_THAT(none.error, AllOf(HasSubstr("no mpirun has started this one"), HasSubstr("mpirun -n 4")));
    const auto lacking =
        launch("OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 WARPWRIGHT_MPI=/no/libmpi.so", "--hosts");
    EXPECT_EQ(lacking.code, 3);
    EXPECT_THAT(lacking.error, HasSubstr("no MPI library"));
}

}  // namespace hosts_test
}  // namespace warpwright::cli
