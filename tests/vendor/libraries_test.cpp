// NVIDIA's libraries as comparators: how they are found, how they are called, what is said where they are missing.
#include <gmock/gmock.h>

#include <cstdint>

#include "fake_gpu.hpp"

namespace warpwright::vendor {
namespace libraries_test {

using test::FakeGpu;
using test::library;
using test::MadeUp;
using test::only;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;

class Vendor : public testing::Test {
protected:
    void SetUp() override {
        const unsigned handles = library().handles, descriptors = library().descriptors;
        ASSERT_EQ(handles, 0u) << "a test before left a handle open";
        ASSERT_EQ(descriptors, 0u) << "a test before left a descriptor";
        library() = MadeUp{};
        library().seconds = {5e-6};
    }

    /// Small whole numbers, so that every order of adding gives the same; every second pair along K zero where asked
    /// for.
    template <class T = float>
    static std::vector<T> numbers(std::size_t count, std::size_t seed, bool pruned = false) {
        std::vector<T> out;
        for (std::size_t i = 0; i < count; ++i)
            out.push_back(static_cast<T>(pruned && i % 4 < 2 ? 0 : static_cast<int>((i * 7 + seed) % 11) - 5));
        return out;
    }
    template <class Out, class In>
    static std::vector<Out> product_of(const Product& p, const std::vector<In>& a, const std::vector<In>& b) {
        std::vector<Out> c(static_cast<std::size_t>(p.m * p.n));
        for (std::int64_t i = 0; i < p.m; ++i)
            for (std::int64_t j = 0; j < p.n; ++j)
                for (std::int64_t k = 0; k < p.k; ++k)
                    c[static_cast<std::size_t>(i * p.n + j)] +=
                        static_cast<Out>(a[static_cast<std::size_t>(p.a_transposed ? k * p.m + i : i * p.k + k)] *
                                         b[static_cast<std::size_t>(p.b_transposed ? j * p.k + k : k * p.n + j)]);
        return c;
    }
    /// Runs a comparator on matrices in all layouts and compares.
    template <class In = float, class Out = float>
    void check_layouts(Library& lib, Product p) {
        for (bool ta : {false, true})
            for (bool tb : {false, true}) {
                p.a_transposed = ta;
                p.b_transposed = tb;
                const auto count = static_cast<std::size_t>(p.m * p.n), inner = static_cast<std::size_t>(p.k);
                const auto a = numbers<In>(static_cast<std::size_t>(p.m) * inner, 3, p.sparse);
                const auto b = numbers<In>(static_cast<std::size_t>(p.n) * inner, 8);
                const Operands at{put(gpu, a), put(gpu, b), put(gpu, std::vector<Out>(count, -99))};
                auto c = lib.product(p, at);
                ASSERT_TRUE(c.ok()) << c.error().text();
                (void)gpu.fill(at.out, 0xff, count * sizeof(Out)).ok();
                auto work = c->work(at);
                ASSERT_TRUE(work.ok()) << work.error().text();
                ASSERT_TRUE(gpu.vendor_queue()->time_work(*work, {1, 1}).ok());
                EXPECT_EQ(test::take<Out>(gpu, at.out, count), product_of<Out>(p, a, b))
                    << (ta ? "T" : "N") << (tb ? "T" : "N");
                // Other operands, the same choice.
                const auto other = numbers<In>(static_cast<std::size_t>(p.n) * inner, 5);
                const Operands elsewhere{at.a, put(gpu, other), put(gpu, std::vector<Out>(count))};
                auto again = c->work(elsewhere);
                ASSERT_TRUE(again.ok());
                ASSERT_TRUE(gpu.vendor_queue()->time_work(*again, {1, 1}).ok());
                EXPECT_EQ(test::take<Out>(gpu, elsewhere.out, count), product_of<Out>(p, a, other));
            }
    }
    static Product singles(std::int64_t m, std::int64_t n, std::int64_t k) {
        return {m, n, k, false, false, "f32", "f32", "f32", "", false};
    }

    FakeGpu gpu;
};

TEST_F(Vendor, cublas_multiplies_row_major_matrices_of_every_layout) {
    {
        auto lib = open_cublas(gpu, only(WARPWRIGHT_MADE_UP));
        ASSERT_TRUE(lib.ok()) << lib.error().text();
        check_layouts(**lib, singles(3, 5, 4));
        check_layouts(**lib, singles(1, 7, 2));
        EXPECT_THAT(library().calls, Contains("stream " + std::to_string(reinterpret_cast<std::uintptr_t>(&gpu))));
        EXPECT_EQ(library().compute, static_cast<int>(ComputeType::f32_pedantic));
        auto c = (*lib)->product({2, 2, 2, false, false, "f32", "f32", "f32", "tf32", false}, {});
        ASSERT_TRUE(c.ok());
        EXPECT_EQ(c->library, "cuBLAS 13.1.0");
        EXPECT_EQ(c->choice, "gemm, tf32, added in f32");
    }
    EXPECT_EQ(library().handles, 0u);
    EXPECT_EQ(library().descriptors, 0u);
}

TEST_F(Vendor, cublas_takes_int8_into_int32_and_refuses_what_it_has_not) {
    auto lib = open_cublas(gpu, only(WARPWRIGHT_MADE_UP));
    ASSERT_TRUE(lib.ok());
    const Operands at{put(gpu, std::vector<std::int8_t>{1, -2, 3, 4}), put(gpu, std::vector<std::int8_t>{5, 6, -7, 8}),
                      put(gpu, std::vector<std::int32_t>(4))};
    auto c = (*lib)->product({2, 2, 2, false, false, "i8", "i8", "i32", "", false}, at);
    ASSERT_TRUE(c.ok()) << c.error().text();
    ASSERT_TRUE(gpu.vendor_queue()->time_work(*c->work(at), {1, 1}).ok());
    EXPECT_EQ(test::take<std::int32_t>(gpu, at.out, 4), (std::vector<std::int32_t>{19, -10, -13, 50}));

    const auto refused = [&](const char* a, const char* out, const char* word) {
        auto r = (*lib)->product({2, 2, 2, false, true, a, a, out, word, false}, at);
        return r.ok() ? Error{ErrorKind::internal, "taken", {}, ""} : r.error();
    };
    EXPECT_EQ(refused("e4m3", "bf16", "").kind, ErrorKind::limit);
    EXPECT_THAT(refused("e4m3", "bf16", "").hint, HasSubstr("cublaslt"));
    EXPECT_EQ(refused("i64", "i64", "").what, "NVIDIA's libraries multiply no matrices of i64");
    EXPECT_EQ(refused("bf16", "bf16", "f16").what,
              "NVIDIA's libraries have no product of bf16 by bf16 into bf16 with compute_type = \"f16\"");
    auto large = (*lib)->product({std::int64_t{1} << 31, 2, 2, false, false, "f32", "f32", "f32", "", false}, at);
    EXPECT_EQ(large.error().what, "cuBLAS' gemm takes sizes below 2^31");
    EXPECT_EQ((*lib)->copy({4}, at).error().what, "cuBLAS does not copy");
}

TEST_F(Vendor, geam_transposes) {
    auto lib = open_cublas(gpu, only(WARPWRIGHT_MADE_UP));
    ASSERT_TRUE(lib.ok());
    const Operands at{put(gpu, std::vector<float>{1, 2, 3, 4, 5, 6}), 0, put(gpu, std::vector<float>(6))};
    auto c = (*lib)->transpose({2, 3, "f32"}, at);
    ASSERT_TRUE(c.ok());
    ASSERT_TRUE(gpu.vendor_queue()->time_work(*c->work(at), {1, 1}).ok());
    EXPECT_EQ(test::take<float>(gpu, at.out, 6), (std::vector<float>{1, 4, 2, 5, 3, 6}));
    EXPECT_EQ((*lib)->transpose({2, 3, "bf16"}, at).error().kind, ErrorKind::limit);
    // What the library itself refuses comes out when it runs.
    auto wide = (*lib)->transpose({2, 3, "f64"}, at);
    ASSERT_TRUE(wide.ok());
    auto ran = gpu.vendor_queue()->time_work(*wide->work(at), {1, 1});
    ASSERT_FALSE(ran.ok());
    EXPECT_EQ(ran.error().what, "cuBLAS, geam: CUBLAS_STATUS_NOT_SUPPORTED");
    EXPECT_EQ(ran.error().kind, ErrorKind::limit);
}

TEST_F(Vendor, cublaslt_keeps_the_fastest_of_what_is_proposed) {
    {
        library().seconds = {9e-6, 4e-6, 1e-6, 5e-6};
        library().failing = 2;  // the fastest of all does not run
        auto lib = open_cublaslt(gpu, only(WARPWRIGHT_MADE_UP), {});
        ASSERT_TRUE(lib.ok()) << lib.error().text();
        check_layouts(**lib, singles(3, 5, 4));
        EXPECT_EQ(library().calls.back(), "matmul 1");
        const Operands at{put(gpu, numbers(4, 1)), put(gpu, numbers(4, 2)), put(gpu, numbers(4, 3))};
        auto c = (*lib)->product({2, 2, 2, false, false, "f32", "f32", "f32", "tf32", false}, at);
        ASSERT_TRUE(c.ok());
        EXPECT_EQ(c->library, "cublasLt 13.1.0");
        EXPECT_EQ(c->choice, "tf32, added in f32; the fastest of 4 algorithms, number 2");
    }
    EXPECT_EQ(library().handles, 0u);
    EXPECT_EQ(library().descriptors, 0u);
}

TEST_F(Vendor, cublaslt_multiplies_8_bit_floats_of_one_layout) {
    auto lib = open_cublaslt(gpu, only(WARPWRIGHT_MADE_UP), {});
    ASSERT_TRUE(lib.ok());
    const Operands at{put(gpu, std::vector<std::int8_t>(4, 1)), put(gpu, std::vector<std::int8_t>(4, 2)),
                      put(gpu, std::vector<std::uint16_t>(4))};
    const auto product = [&](bool ta, bool tb, const char* word) {
        return (*lib)->product({2, 2, 2, ta, tb, "e4m3", "e5m2", "bf16", word, false}, at);
    };
    auto c = product(false, true, "");
    ASSERT_TRUE(c.ok()) << c.error().text();
    EXPECT_EQ(library().calls.back(), "matmul 0") << "no scale where none is needed";
    EXPECT_EQ(product(false, true, "f32_fast")->choice.substr(0, 17), "fast accumulation");
    EXPECT_EQ(product(false, false, "").error().kind, ErrorKind::limit);
    EXPECT_THAT(product(true, true, "").error().what, HasSubstr("layout NT"));
}

TEST_F(Vendor, no_algorithm_is_a_limit_not_a_failure) {
    auto lib = open_cublaslt(gpu, only(WARPWRIGHT_MADE_UP), {});
    ASSERT_TRUE(lib.ok());
    const Operands at{put(gpu, numbers(4, 1)), put(gpu, numbers(4, 2)), put(gpu, numbers(4, 3))};
    const Product p{2, 2, 2, false, false, "f32", "f32", "f32", "", false};
    library().propose_status = 15;
    auto none = (*lib)->product(p, at);
    EXPECT_EQ(none.error().kind, ErrorKind::limit);
    EXPECT_EQ(none.error().what, "cublasLt has no algorithm for this product: CUBLAS_STATUS_NOT_SUPPORTED");
    library().propose_status = 0;
    library().failing = 0;  // the only one
    EXPECT_EQ((*lib)->product(p, at).error().what, "cublasLt, matmul: CUBLAS_STATUS_NOT_SUPPORTED");
}

TEST_F(Vendor, cusparselt_compresses_before_and_searches) {
    {
        auto lib = open_cusparselt(gpu, only(WARPWRIGHT_MADE_UP));
        ASSERT_TRUE(lib.ok()) << lib.error().text();
        Product p{4, 6, 8, false, false, "i8", "i8", "i32", "", true};
        check_layouts<std::int8_t, std::int32_t>(**lib, p);
        EXPECT_THAT(library().calls, Contains("search"));
        EXPECT_EQ(library().calls.back(), "sparse matmul");
        const Operands at{put(gpu, numbers<std::int8_t>(32, 3, true)), put(gpu, numbers<std::int8_t>(48, 8)),
                          put(gpu, std::vector<std::int32_t>(24))};
        library().search_status = 1;
        auto c = (*lib)->product(p, at);
        ASSERT_TRUE(c.ok()) << c.error().text();
        EXPECT_EQ(c->library, "cuSPARSELt 0.9.0");
        EXPECT_EQ(c->choice, "added in i32; its default algorithm");
        p.sparse = false;
        EXPECT_EQ((*lib)->product(p, at).error().kind, ErrorKind::limit);
        p.sparse = true;
        library().sparse_status = 10;
        EXPECT_EQ((*lib)->product(p, at).error().what,
                  "cuSPARSELt does not take this product: operation not supported");
        p.a_type = p.b_type = p.c_type = "f32";
        EXPECT_THAT((*lib)->product(p, at).error().what, HasSubstr("one zero in two of f32"));
    }
    EXPECT_EQ(library().handles, 0u);
    EXPECT_EQ(library().descriptors, 0u) << "also after a product that was refused";
}

TEST_F(Vendor, the_driver_copies) {
    auto lib = open_copy(gpu, {WARPWRIGHT_MADE_UP});
    ASSERT_TRUE(lib.ok());
    const Operands at{put(gpu, numbers(9, 4)), 0, put(gpu, std::vector<float>(9))};
    auto c = (*lib)->copy({36}, at);
    ASSERT_TRUE(c.ok());
    ASSERT_TRUE(gpu.vendor_queue()->time_work(*c->work(at), {1, 1}).ok());
    EXPECT_EQ(test::take<float>(gpu, at.out, 9), numbers(9, 4));
    EXPECT_EQ((*lib)->product({}, at).error().what, "the driver's memcpy does not multiply matrices");
}

TEST_F(Vendor, a_large_copy_goes_in_pieces_where_that_is_faster) {
    auto lib = open_copy(gpu, {WARPWRIGHT_MADE_UP}, 16);
    ASSERT_TRUE(lib.ok());
    const Operands at{put(gpu, numbers(9, 4)), 0, put(gpu, std::vector<float>(9))};
    for (bool slow : {false, true}) {
        library().slow_copy = slow ? 16 : 1000;
        auto c = (*lib)->copy({36}, at);
        ASSERT_TRUE(c.ok());
        (void)gpu.fill(at.out, 0, 36).ok();
        ASSERT_TRUE(gpu.vendor_queue()->time_work(*c->work(at), {1, 1}).ok());
        EXPECT_EQ(test::take<float>(gpu, at.out, 9), numbers(9, 4));
        EXPECT_EQ(library().calls.back(), slow ? "copy 4" : "copy 36");
    }
}

TEST_F(Vendor, a_missing_library_is_one_line_that_says_what_to_do) {
    LibrarySearch nowhere;
    nowhere.loader = false;
    auto none = open_cublas(gpu, nowhere);
    ASSERT_FALSE(none.ok());
    EXPECT_EQ(none.error().kind, ErrorKind::no_device);
    EXPECT_EQ(none.error().text(),
              "error: cuBLAS was not found: no libcublas.so in NVIDIA's Python wheels, CUDA toolkits or the loader's "
              "folders (pip "
              "install nvidia-cublas, or set WARPWRIGHT_CUBLAS to the library or its folder)");
    auto old = open_cublas(gpu, only(WARPWRIGHT_MADE_UP_OLD));
    EXPECT_THAT(old.error().what, HasSubstr("is too old: it lacks cublasDestroy_v2"));
    EXPECT_THAT(open_cublaslt(gpu, only(WARPWRIGHT_MADE_UP_OLD), {}).error().hint, HasSubstr("WARPWRIGHT_CUBLASLT"));
    library().version = 5;
    EXPECT_THAT(open_cusparselt(gpu, only(WARPWRIGHT_MADE_UP)).error().what,
                HasSubstr("version 0.5.0 is too old, 0.6 is needed"));
    EXPECT_THAT(open_copy(gpu, {"/nowhere/libcuda.so"}).error().what, HasSubstr("/nowhere/libcuda.so"));
}

TEST_F(Vendor, one_that_does_not_start_says_why) {
    library().create_status = 1;
    auto lib = open_cublas(gpu, only(WARPWRIGHT_MADE_UP));
    EXPECT_THAT(lib.error().what, HasSubstr("cuBLAS does not start"));
    EXPECT_THAT(lib.error().what, HasSubstr("CUBLAS_STATUS_OTHER"));
    library().handles = 0;  // what did not start is not closed
}

TEST_F(Vendor, on_a_device_that_was_given_up_handles_are_left_alone) {
    {
        auto lib = open_cublas(gpu, only(WARPWRIGHT_MADE_UP));
        ASSERT_TRUE(lib.ok());
        gpu.gone = true;
    }
    EXPECT_EQ(library().handles, 1u) << "closing it would wait for a kernel that does not end";
    library().handles = 0;
    EXPECT_EQ(open_cublas(gpu, only(WARPWRIGHT_MADE_UP)).error().kind, ErrorKind::no_device);
}

TEST_F(Vendor, libraries_are_opened_once_by_name) {
    Libraries libraries(gpu);
    EXPECT_EQ(libraries.get("rocblas").error().kind, ErrorKind::usage);
    ::setenv("WARPWRIGHT_CUBLAS", WARPWRIGHT_MADE_UP, 1);
    auto first = libraries.get("cublas"), second = libraries.get("cublas");
    ::unsetenv("WARPWRIGHT_CUBLAS");
    ASSERT_TRUE(first.ok() && second.ok());
    EXPECT_EQ(*first, *second);
    EXPECT_EQ(library().handles, 1u);
}

}  // namespace libraries_test
}  // namespace warpwright::vendor
