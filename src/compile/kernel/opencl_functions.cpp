// Each function is a body in PTX, appended where the text calls it: that is found by its linkage name, which no other
// text has.
#include "compile/kernel/opencl_functions.hpp"

#include <string_view>

namespace warpwright::compile {
namespace {

struct Body {
    std::string_view name, text;
};

constexpr Body kBodies[] = {
    {"_Z17get_global_offsetj", R"(
.func (.param .b64 func_retval0) _Z17get_global_offsetj(.param .b32 _Z17get_global_offsetj_param_0)
{
	.reg .pred %p<4>;
	.reg .b32 %r<6>;
	.reg .b64 %rd<2>;
	ld.param.u32 %r1, [_Z17get_global_offsetj_param_0];
	mov.u32 %r2, %envreg3;
	mov.u32 %r3, %envreg4;
	mov.u32 %r4, %envreg5;
	setp.eq.u32 %p1, %r1, 1;
	selp.b32 %r2, %r3, %r2, %p1;
	setp.eq.u32 %p2, %r1, 2;
	selp.b32 %r2, %r4, %r2, %p2;
	setp.gt.u32 %p3, %r1, 2;
	selp.b32 %r2, 0, %r2, %p3;
	cvt.u64.u32 %rd1, %r2;
	st.param.b64 [func_retval0], %rd1;
	ret;
}
)"},
    {"_Z12get_work_dimv", R"(
.func (.param .b32 func_retval0) _Z12get_work_dimv()
{
	.reg .b32 %r<2>;
	mov.u32 %r1, %envreg6;
	st.param.b32 [func_retval0], %r1;
	ret;
}
)"},
    // CUDA's printf under its other name. The format is in constant memory, whose addresses are generic ones here;
    // ptxas refuses to convert one where a kernel has a pointer to constant memory.
    {"printf", R"(
.extern .func (.param .b32 func_retval0) vprintf(.param .b64 vprintf_param_0, .param .b64 vprintf_param_1);
.func (.param .b32 func_retval0) printf(.param .b64 printf_param_0, .param .b64 printf_param_1)
{
	.reg .b32 %r<2>;
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [printf_param_0];
	ld.param.u64 %rd2, [printf_param_1];
	{
	.param .b64 param0;
	st.param.b64 [param0], %rd1;
	.param .b64 param1;
	st.param.b64 [param1], %rd2;
	.param .b32 retval0;
	call.uni (retval0), vprintf, (param0, param1);
	ld.param.b32 %r1, [retval0];
	}
	st.param.b32 [func_retval0], %r1;
	ret;
}
)"},
};

bool declares(std::string_view ptx, std::string_view name) {
    for (auto at = ptx.find(".func"); at != std::string_view::npos; at = ptx.find(".func", at + 1)) {
        const std::string_view line = ptx.substr(at, ptx.find('\n', at) - at);
        if (line.ends_with(name) && line[line.size() - name.size() - 1] == ' ') return true;
    }
    return false;
}

}  // namespace

std::string with_opencl_functions(std::string ptx) {
    const std::string text = ptx;
    for (const Body& body : kBodies)
        if (declares(text, body.name)) ptx += body.text;
    return ptx;
}

}  // namespace warpwright::compile
