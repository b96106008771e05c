// MPI and NCCL, as far as they go without an mpirun and a GPU.
#include <gmock/gmock.h>

#include <cstdlib>
#include <cstring>

#include "vendor/mpi.hpp"
#include "vendor/nccl.hpp"

namespace warpwright::vendor {
namespace mpi_test {

using testing::HasSubstr;

TEST(MpiLibrary, what_is_missing_is_one_clear_line) {
    auto none = Mpi::open_files({"/there/is/no/libmpi.so"});
    ASSERT_FALSE(none.ok());
    EXPECT_EQ(none.error().kind, ErrorKind::no_device);
    EXPECT_THAT(none.error().text(), HasSubstr("WARPWRIGHT_MPI"));
    auto other = Mpi::open_files({"libm.so.6"});
    ASSERT_FALSE(other.ok());
    EXPECT_THAT(other.error().text(), HasSubstr("MPI_Init"));
}

TEST(MpiLibrary, one_process_alone_is_rank_0_of_1) {
    auto mpi = Mpi::open();
    if (!mpi) GTEST_SKIP() << mpi.error().text();
    EXPECT_EQ((*mpi)->rank(), 0u);
    EXPECT_EQ((*mpi)->size(), 1u);
    std::vector<double> values{1, 2.5};
    ASSERT_TRUE((*mpi)->sum(values).ok());
    EXPECT_THAT(values, testing::ElementsAre(1, 2.5));
    const std::vector<std::byte> bytes{std::byte{3}, std::byte{4}};
    auto all = (*mpi)->gather(bytes);
    ASSERT_TRUE(all.ok());
    EXPECT_EQ(*all, bytes);
    std::vector<std::byte> same = bytes;
    ASSERT_TRUE((*mpi)->broadcast(same, 0).ok());
    EXPECT_EQ(same, bytes);
    EXPECT_TRUE((*mpi)->barrier().ok());
    // Messages, here to oneself: whole ones, of any length, in their order.
    EXPECT_FALSE((*mpi)->receive(0)->has_value());
    std::vector<std::byte> large(100'001);
    for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<std::byte>(i * 7);
    for (const auto& message : {bytes, {}, large, bytes}) ASSERT_TRUE((*mpi)->send(message, 0).ok());
    for (const auto& message : {bytes, {}, large, bytes}) {
        std::optional<std::vector<std::byte>> got;
        while (!got) {
            auto now = (*mpi)->receive(0);
            ASSERT_TRUE(now.ok());
            got = *now;
        }
        EXPECT_EQ(*got, message);
    }
    EXPECT_EQ(*(*mpi)->sent(), true);
    EXPECT_FALSE((*mpi)->receive(0)->has_value());
    EXPECT_EQ(*Mpi::open(), *mpi) << "it starts once";
}

TEST(MpiLibrary, an_mpirun_is_known_by_its_environment) {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) ::unsetenv(name);
    EXPECT_FALSE(Mpi::started());
    ::setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
    EXPECT_FALSE(Mpi::started());
    ::setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
    EXPECT_TRUE(Mpi::started());
    ::unsetenv("OMPI_COMM_WORLD_SIZE");
}

TEST(NcclLibrary, multicast_is_off_unless_asked_for) {
    LibrarySearch nowhere;
    nowhere.own = "/there/is/no/libnccl.so";
    auto none = Nccl::open(nowhere);
    ASSERT_FALSE(none.ok());
    EXPECT_EQ(none.error().kind, ErrorKind::no_device);
    EXPECT_THAT(none.error().text(), HasSubstr("NCCL"));
    EXPECT_STREQ(std::getenv("NCCL_NVLS_ENABLE"), "0");
    EXPECT_FALSE(Nccl::open(nowhere, true).ok());
    EXPECT_STREQ(std::getenv("NCCL_NVLS_ENABLE"), "1");
    ::setenv("NCCL_NVLS_ENABLE", "0", 1);
}

}  // namespace mpi_test
}  // namespace warpwright::vendor
