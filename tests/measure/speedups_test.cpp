// Which rungs are compared with which.
#include <gtest/gtest.h>

#include "measure/speedups.hpp"

namespace warpwright::measure {
namespace speedups_test {

record::Record timed(std::string rung, std::string library, std::string unit, double seconds, std::int64_t size = 64) {
    record::Record r;
    r.experiment = "matmul";
    r.rung = std::move(rung);
    r.library = std::move(library);
    r.unit = std::move(unit);
    r.device = "cuda:0";
    r.verified = true;
    r.axes = {{"N", size}};
    r.time = record::Time{seconds, seconds, 0, 10};
    return r;
}

TEST(CompareVendor, with_the_fastest_library_of_the_same_problem) {
    std::vector<record::Record> list{timed("cublas", "cublas", "fp32", 2), timed("cublaslt", "cublaslt", "fp32", 1.5),
                                     timed("naive", "", "fp32", 6), timed("top", "", "fp32", 1),
                                     timed("top", "", "fp32", 1, 128)};
    compare(list, {"N"});
    EXPECT_EQ(list[3].speedup->vendor, 1.5);
    EXPECT_EQ(list[3].speedup->first, 6) << "a library is not the first rung";
    EXPECT_EQ(list[0].speedup->vendor, 0.75) << "libraries are compared as well";
    EXPECT_EQ(list[1].speedup->vendor, 1);
    EXPECT_FALSE(list[4].speedup->vendor) << "another size";
}

TEST(CompareVendor, tf32_is_compared_with_tf32_alone) {
    std::vector<record::Record> list{timed("pedantic", "cublas", "fp32", 8), timed("tf32", "cublas", "tf32", 1),
                                     timed("ours", "", "fp32", 4), timed("ours in tf32", "", "tf32", 2)};
    compare(list, {"N"});
    EXPECT_EQ(list[2].speedup->vendor, 2);
    EXPECT_EQ(list[3].speedup->vendor, 0.5);
}

TEST(CompareVendor, only_what_solves_the_problem_counts) {
    std::vector<record::Record> list{timed("memcpy", "memcpy", "none", 1), timed("wrong", "cublas", "none", 1),
                                     timed("geam", "cublas", "none", 3), timed("ours", "", "none", 2)};
    list[0].verified.reset();
    list[1].verified = false;
    compare(list, {"N"});
    EXPECT_EQ(list[3].speedup->vendor, 1.5);
    EXPECT_EQ(list[0].speedup->vendor, 3) << "a copy may be compared with the library";
}

TEST(CompareVendor, libraries_alone_have_no_first) {
    std::vector<record::Record> list{timed("cublas", "cublas", "fp32", 2), timed("cublaslt", "cublaslt", "fp32", 1)};
    compare(list, {"N"});
    EXPECT_FALSE(list[0].speedup->first);
    EXPECT_EQ(list[0].speedup->vendor, 0.5);
}

}  // namespace speedups_test
}  // namespace warpwright::measure
