// A program of NVRTC and nvJitLink. With the word "vendor" it prints what NVIDIA's library gives through ours; else it
// checks ours, says "passed" and ends with 0.
#include <nvJitLink.h>
#include <nvrtc.h>
#include <stdio.h>
#include <string.h>

#include <string>

#include "program_checks.hpp"

static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

static std::string log_of(nvrtcProgram p) {
    size_t size = 0;
    SAME(nvrtcGetProgramLogSize(p, &size), NVRTC_SUCCESS);
    std::string log(size, '\0');
    SAME(nvrtcGetProgramLog(p, log.data()), NVRTC_SUCCESS);
    return log;
}
static std::string ptx_of(nvrtcProgram p) {
    size_t size = 0;
    SAME(nvrtcGetPTXSize(p, &size), NVRTC_SUCCESS);
    std::string ptx(size, '\0');
    SAME(nvrtcGetPTX(p, ptx.data()), NVRTC_SUCCESS);
    return ptx;
}

static const char* const kSource =
    "#include \"scale.h\"\n"
    "template <typename T> __global__ void scaled(T* data, T, int n) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) data[i] *= FACTOR * by<T>();\n"
    "}\n"
    "namespace far { __constant__ float table[4]; __global__ void fill(float* to) { *to = table[1]; } }\n"
    "extern \"C\" __global__ void plain(int* to) { *to = helper(); }\n";
static const char* const kHeader =
    "template <typename T> __device__ T by() { return T(2); }\nint helper() { return 7; }\n";

static void names() {
    nvrtcProgram p = 0;
    const char* const texts[] = {kHeader};
    const char* const headers[] = {"scale.h"};
    SAME(nvrtcCreateProgram(&p, kSource, "names.cu", 1, texts, headers), NVRTC_SUCCESS);
    for (const char* name : {"scaled<float>", "&scaled<double>", "far::fill", "&far::table", "plain"})
        SAME(nvrtcAddNameExpression(p, name), NVRTC_SUCCESS);
    const char* name = 0;
    SAME(nvrtcGetLoweredName(p, "plain", &name), NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
    const char* const options[] = {"-arch=sm_90", "-DFACTOR=3", "--std=c++17", "--device-as-default-execution-space",
                                   "-I",          "."};
    SAME(nvrtcCompileProgram(p, 6, options), NVRTC_SUCCESS);
    if (failed) printf("%s\n", log_of(p).c_str());
    const std::string ptx = ptx_of(p);
    HOLDS(has(ptx, ".target sm_90"));
    HOLDS(!has(ptx, "ww_lowered_name"));
    const char* const pairs[][2] = {{"scaled<float>", "_Z6scaledIfEvPT_S0_i"},
                                    {"&scaled<double>", "_Z6scaledIdEvPT_S0_i"},
                                    {"far::fill", "_ZN3far4fillEPf"},
                                    {"&far::table", "_ZN3far5tableE"},
                                    {"plain", "plain"}};
    for (const auto& pair : pairs) {
        SAME(nvrtcGetLoweredName(p, pair[0], &name), NVRTC_SUCCESS);
        if (!name || strcmp(name, pair[1]) != 0) printf("%s is %s\n", pair[0], name ? name : "nothing"), failed = 1;
        HOLDS(has(ptx, pair[1]));
    }
    SAME(nvrtcGetLoweredName(p, "nobody", &name), NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
    SAME(nvrtcAddNameExpression(p, "plain"), NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
    size_t ptx_size = 0, size = 0;
    SAME(nvrtcGetPTXSize(p, &ptx_size), NVRTC_SUCCESS);
    SAME(nvrtcGetCUBINSize(p, &size), NVRTC_SUCCESS);
    SAME(size, ptx_size);
    SAME(nvrtcDestroyProgram(&p), NVRTC_SUCCESS);
    HOLDS(p == 0);
}

static void errors() {
    nvrtcProgram p = 0;
    SAME(nvrtcCreateProgram(&p, "__global__ void k() { nothing(); }\n", 0, 0, 0, 0), NVRTC_SUCCESS);
    size_t size = 0;
    SAME(nvrtcGetPTXSize(p, &size), NVRTC_ERROR_INVALID_PROGRAM);
    const char* const options[] = {"--gpu-architecture=compute_80"};
    SAME(nvrtcCompileProgram(p, 1, options), NVRTC_ERROR_COMPILATION);
    HOLDS(has(log_of(p), "default_program:1:"));
    HOLDS(has(log_of(p), "nothing"));
    const char* const unknown[] = {"--make-it-quick"};
    SAME(nvrtcCompileProgram(p, 1, unknown), NVRTC_ERROR_INVALID_OPTION);
    HOLDS(has(log_of(p), "--make-it-quick"));
    const char* const arch[] = {"-arch=sm_banana"};
    SAME(nvrtcCompileProgram(p, 1, arch), NVRTC_ERROR_INVALID_OPTION);
    SAME(nvrtcDestroyProgram(&p), NVRTC_SUCCESS);
    nvrtcProgram wild = (nvrtcProgram)&size;
    SAME(nvrtcCompileProgram(wild, 0, 0), NVRTC_ERROR_INVALID_PROGRAM);
    SAME(nvrtcDestroyProgram(&wild), NVRTC_ERROR_INVALID_PROGRAM);
    HOLDS(strcmp(nvrtcGetErrorString(NVRTC_ERROR_COMPILATION), "NVRTC_ERROR_COMPILATION") == 0);
}

static void links() {
    static const char one[] =
        ".version 7.0\n.target sm_70\n.address_size 64\n.extern .func (.param .b32 r) twice(.param .b32 x);\n"
        ".visible .entry k(.param .u64 to) {\n .reg .b32 %r<3>; .reg .b64 %d<2>;\n { .param .b32 x; .param .b32 r;\n"
        " st.param.b32 [x], 21; call (r), twice, (x); ld.param.b32 %r1, [r]; }\n"
        " ld.param.u64 %d1, [to]; st.global.u32 [%d1], %r1; ret; }\n";
    static const char two[] =
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .func (.param .b32 r) twice(.param .b32 x) {\n"
        " .reg .b32 %r<3>; ld.param.b32 %r1, [x]; add.s32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret; }\n";
    nvJitLinkHandle link = 0;
    const char* options[] = {"-arch=sm_90", "-O3"};
    SAME(nvJitLinkCreate(&link, 2, options), NVJITLINK_SUCCESS);
    SAME(nvJitLinkAddData(link, NVJITLINK_INPUT_PTX, one, sizeof one, "one"), NVJITLINK_SUCCESS);
    SAME(nvJitLinkAddData(link, NVJITLINK_INPUT_PTX, two, sizeof two, "two"), NVJITLINK_SUCCESS);
    static const char bitcode[] = "BC\xc0\xde machine";
    SAME(nvJitLinkAddData(link, NVJITLINK_INPUT_LTOIR, bitcode, sizeof bitcode, "kernels"),
         NVJITLINK_ERROR_UNRECOGNIZED_INPUT);
    size_t size = 0;
    SAME(nvJitLinkGetLinkedCubinSize(link, &size), NVJITLINK_ERROR_INVALID_INPUT);
    SAME(nvJitLinkComplete(link), NVJITLINK_SUCCESS);
    SAME(nvJitLinkGetLinkedCubinSize(link, &size), NVJITLINK_SUCCESS);
    std::string code(size, '\0');
    SAME(nvJitLinkGetLinkedCubin(link, code.data()), NVJITLINK_SUCCESS);
    HOLDS(has(code, ".entry k"));
    HOLDS(has(code, "twice"));
    SAME(nvJitLinkGetErrorLogSize(link, &size), NVJITLINK_SUCCESS);
    std::string log(size, '\0');
    SAME(nvJitLinkGetErrorLog(link, log.data()), NVJITLINK_SUCCESS);
    HOLDS(has(log, "LTO-IR"));
    SAME(nvJitLinkDestroy(&link), NVJITLINK_SUCCESS);
    const char* none[] = {"-O3"};
    SAME(nvJitLinkCreate(&link, 1, none), NVJITLINK_ERROR_MISSING_ARCH);
    SAME(nvJitLinkDestroy(&link), NVJITLINK_SUCCESS);
    const char* number[] = {"-arch=99"};
    SAME(nvJitLinkCreate(&link, 1, number), NVJITLINK_ERROR_UNRECOGNIZED_OPTION);
    SAME(nvJitLinkDestroy(&link), NVJITLINK_SUCCESS);
    unsigned int major = 0, minor = 0;
    SAME(nvJitLinkVersion(&major, &minor), NVJITLINK_SUCCESS);
    HOLDS(major == 12 && minor < 3);
    SAME(nvJitLinkVersion(&major, nullptr), NVJITLINK_ERROR_INVALID_INPUT);
}

static int through_vendor() {
    nvrtcProgram p = 0;
    SAME(nvrtcCreateProgram(&p, "", 0, 0, 0, 0), NVRTC_SUCCESS);
    const char* const options[] = {"--gpu-architecture=sm_90a", "-dlto", "-arch", "sm_80", "-I."};
    SAME(nvrtcCompileProgram(p, 5, options), NVRTC_SUCCESS);
    size_t size = 0;
    SAME(nvrtcGetCUBINSize(p, &size), NVRTC_SUCCESS);
    std::string text(size, '\0');
    SAME(nvrtcGetCUBIN(p, text.data()), NVRTC_SUCCESS);
    fputs(text.c_str(), stdout);
    SAME(nvrtcDestroyProgram(&p), NVRTC_SUCCESS);
    return failed;
}

int main(int argc, char** argv) {
    if (argc > 1 && strcmp(argv[1], "vendor") == 0) return through_vendor();
    int major = 0, minor = 0;
    SAME(nvrtcVersion(&major, &minor), NVRTC_SUCCESS);
    SAME(major, 13);
    names();
    errors();
    links();
    if (!failed) puts("passed");
    return failed;
}
