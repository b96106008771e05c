// Launches in device code, written anew.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/kernel/device_launches.hpp"

namespace warpwright::compile {
namespace device_launches_test {

using testing::HasSubstr;
using testing::Not;

const std::string kGlobal = "__attribute__((global)) void ", kDevice = "__attribute__((device)) ",
                  kHost = "__attribute__((host)) ";

std::string changed(const std::string& text, bool host = false) { return with_device_launches(text, host); }

TEST(DeviceLaunches, OnlyInFunctionsOfTheDevice) {
    const auto text = changed(kGlobal + "k(int* p) { }\n" + kGlobal +
                              "parent(int* p) { if (p) k<<<1, 2 >> 1>>>(p); }\nint main() { k<<<1, 1>>>(nullptr); }\n");
    EXPECT_THAT(text, HasSubstr("if (p) ::ww_launch<k>(1, 2 >> 1)(p); }"));
    EXPECT_THAT(text, HasSubstr("main() { k<<<1, 1>>>(nullptr); }"));
}

TEST(DeviceLaunches, NamesWithQualifiersAndArguments) {
    const auto text = changed(kDevice +
                              "void f() { return ns::inner::k<T, (3 > 2), A<int>><<<g, b, s, st>>>(x); ::k<<<1, "
                              "1>>>(); else_k<<<1,1>>>(); }");
    EXPECT_THAT(text, HasSubstr("return ::ww_launch<ns::inner::k<T, (3 > 2), A<int>>>(g, b, s, st)(x);"));
    EXPECT_THAT(text, HasSubstr("::ww_launch<::k>(1, 1)();"));
    EXPECT_THAT(text, HasSubstr("::ww_launch<else_k>(1,1)();"));
}

TEST(DeviceLaunches, LinesStayWhatTheyAre) {
    const std::string text = "# 1 \"a.cu\"\ntemplate <class T>\n" + kGlobal + "k(T* p);\n" + kDevice +
                             "void f(int* p) {\n  k\n    <<<dim3(1),\n# 9 \"a.cu\"\n 32>>>(p,\n  // <<<\n 1);\n  const "
                             "char* s = \"k<<<1, 1>>>(p)\";\n}\n";
    const auto out = changed(text);
    EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), std::count(text.begin(), text.end(), '\n'));
    EXPECT_THAT(out, HasSubstr("\"k<<<1, 1>>>(p)\""));
    EXPECT_THAT(out, HasSubstr("\n# 9 \"a.cu\"\n"));
    EXPECT_THAT(out, HasSubstr("::ww_launch<decltype(ww_pick_k(p, 1))::value>(\ndim3(1),"));
}

TEST(DeviceLaunches, TemplatesAreChosenByTheirArguments) {
    const auto text =
        changed("namespace n { template <class T, int N = 2, class... R> " + kGlobal + "k(T* p, R... r) { } }\n" +
                kDevice + "void f() { n::k<float><<<1, 1>>>(p); n::k<<<1, 1>>>([] (int x) { return x; }); }");
    EXPECT_THAT(text, HasSubstr("template <class T, int N, class... R> " + kGlobal + "k(T* p, R... r);"));
    EXPECT_THAT(text, HasSubstr("template <class T, int N = 2, class... R> " + kDevice +
                                "ww_constant<k<T, N, R...>> ww_pick_k(T* p, R... r);"));
    EXPECT_THAT(text, HasSubstr("::ww_launch<decltype(n::ww_pick_k<float>(p))::value>(1, 1)(p)"));
    EXPECT_THAT(
        text,
        HasSubstr("::ww_launch_deduced([](auto... ww_x) -> decltype(n::ww_pick_k(ww_x...)) { return {}; }, 1, 1)("));
}

TEST(DeviceLaunches, TemplatesKeepTheirLinkage) {
    EXPECT_THAT(changed("template <int N> static " + kGlobal + "k(int* p) { }\n"),
                HasSubstr("template <int N> static " + kGlobal + "k(int* p);"));
}

TEST(DeviceLaunches, AMacroForAPragmaIsSeenInTheErrors) {
    EXPECT_TRUE(
        pragma_in_macro("a.cu:5:5: error: expected expression\n    5 |     UNROLL\n      |     ^\n"
                        "a.cu:2:16: note: expanded from macro 'UNROLL'\n    2 | #  define UNROLL #pragma unroll\n"));
    EXPECT_FALSE(pragma_in_macro("a.cu:5:5: error: expected ';'\n    5 | #pragma unroll\n"));
    EXPECT_FALSE(pragma_in_macro("a.cu:5:5: error: unknown '#define'\n    5 | #pragma unroll\n"));
}

TEST(DeviceLaunches, TheRuntimesFunctions) {
    const auto text = changed(kGlobal + "k() { }\n" + kGlobal +
                              "f() { cudaMalloc(&p, 4); x.cudaFree(p); ::cudaFree(p); cudaFuncGetAttributes(&a, k); "
                              "cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, m::k<int>, 64, 0); cudaMemGetInfo(a, "
                              "b); }\nvoid g() { cudaMalloc(&p, 4); }");
    EXPECT_THAT(text, HasSubstr("{ ww_device_cudaMalloc(&p, 4); x.cudaFree(p); ::ww_device_cudaFree(p); "));
    EXPECT_THAT(text, HasSubstr("ww_device_cudaFuncGetAttributes(&a, ::ww_constant<k>::value);"));
    EXPECT_THAT(
        text,
        HasSubstr(
            "ww_device_cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, ::ww_constant<m::k<int>>::value, 64, 0);"));
    EXPECT_THAT(text, HasSubstr("; cudaMemGetInfo(a, b); }"));
    EXPECT_THAT(text, HasSubstr("void g() { cudaMalloc(&p, 4); }"));
}

TEST(DeviceLaunches, FunctionsOfBothSidesStayOnTheHosts) {
    const std::string text = kHost + kDevice + "void f() { k<<<1, 1>>>(); }\n" + kDevice + kHost +
                             "void g() { k<<<1, 1>>>(); }\n" + kDevice + "void h() { k<<<1, 1>>>(); }";
    const auto host = changed(text, true);
    EXPECT_THAT(host, HasSubstr("f() { k<<<1, 1>>>(); }"));
    EXPECT_THAT(host, HasSubstr("g() { k<<<1, 1>>>(); }"));
    EXPECT_THAT(host, HasSubstr("h() { ::ww_launch<k>(1, 1)(); }"));
    EXPECT_THAT(changed(text), Not(HasSubstr("<<<")));
}

TEST(DeviceLaunches, ErrorsAreToldInTheProgramsWords) {
    const auto told = [](const std::string& what) { return explained({ErrorKind::input, what, {"a.cu", 3, 2}, ""}); };
    EXPECT_THAT(told("no matching function for call to 'cudaDeviceSynchronize'").hint,
                HasSubstr("cudaStreamTailLaunch"));
    EXPECT_EQ(told("no matching function for call to object of type 'ww_launcher<&child>'").what,
              "the arguments of this launch are not what kernel 'child' takes");
    EXPECT_THAT(told("reference to __global__ function 'a' in __global__ function").hint, HasSubstr("launched"));
    EXPECT_EQ(told("expected ';'").what, "expected ';'");
}

TEST(DeviceLaunches, BrokenTextEnds) {
    for (const char* text : {"__attribute__((device)) void f() { <<<", "__attribute__((device)) { >>><<<>>>",
                             "__attribute__((global)) template <", "__attribute__((device)) {)<<<1>>>(",
                             "__attribute__((device)) { a>)]}<<<1>>>(", "R\"x(", "/*", "'",
                             "__attribute__((device)) f() { k<<<1, 1>>> }", "__attribute__((device)) { >>>>><<<1>>>()"})
        EXPECT_FALSE(changed(text).empty()) << text;
}

}  // namespace device_launches_test
}  // namespace warpwright::compile
