"""Kernels of any length: PTX of about so many instructions, CUDA C++ of about so many lines. Always the same ones."""

import random

HEAD = ".version 7.8\n.target sm_80\n.address_size 64\n"


def straight(count):
    """Writes arithmetic in a chain: no branch, one load and one store."""
    lines = [HEAD + ".visible .entry straight(.param .u64 data) {\n.reg .b64 %d<4>;\n.reg .b32 %r<8>;",
             "ld.param.u64 %d0, [data];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, 4;\nadd.u64 %d2, %d0, %d1;",
             "ld.global.u32 %r1, [%d2];\nmov.u32 %r2, 77;"]
    for k in range(count):
        lines.append(("mad.lo.u32 %r1, %r1, %r2, %r0;", "xor.b32 %r2, %r1, %r2;", "add.u32 %r1, %r1, 12345;",
                      "shr.u32 %r0, %r1, 3;")[k % 4])
    return "\n".join([*lines, "st.global.u32 [%d2], %r1;\nret;\n}"]) + "\n"


def mixed(count, seed=1):
    """Writes what kernels consist of: arithmetic of three kinds, loads and stores, conditions, loops, shared memory, barriers."""
    draw = random.Random(seed)
    lines = [HEAD + ".visible .entry mixed(.param .u64 data) {\n.reg .b64 %d<8>;\n.reg .b32 %r<24>;\n.reg .f32 %f<16>;\n"
             ".reg .pred %p<4>;\n.shared .align 4 .b8 tile[1024];",
             "ld.param.u64 %d0, [data];\ncvta.to.global.u64 %d0, %d0;\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, tile;",
             "shl.b32 %r2, %r0, 2;\nadd.u32 %r1, %r1, %r2;"]
    lines += [f"add.u32 %r{k}, %r0, {k};" for k in range(3, 24)]
    lines += [f"cvt.rn.f32.u32 %f{k}, %r{3 + k};" for k in range(16)]

    def r():
        return f"%r{draw.randrange(4, 24)}"

    def f():
        return f"%f{draw.randrange(16)}"

    def one(label):
        kind = draw.random()
        if kind < 0.40:
            op = draw.choice(("add.u32", "sub.u32", "xor.b32", "and.b32", "mul.lo.u32", "max.s32"))
            return [f"{op} {r()}, {r()}, {r()};"]
        if kind < 0.62:
            return [draw.choice((f"fma.rn.f32 {f()}, {f()}, {f()}, {f()};", f"add.f32 {f()}, {f()}, {f()};",
                                 f"mul.f32 {f()}, {f()}, {f()};"))]
        if kind < 0.78:
            at = r()
            lines = [f"and.b32 %r3, {at}, 1023;", "mul.wide.u32 %d1, %r3, 4;", "add.u64 %d2, %d0, %d1;"]
            return lines + [draw.choice((f"ld.global.u32 {r()}, [%d2];", f"ld.global.f32 {f()}, [%d2+4];",
                                         f"st.global.u32 [%d2], {r()};"))]
        if kind < 0.86:
            return [draw.choice((f"ld.shared.u32 {r()}, [%r1];", f"st.shared.u32 [%r1], {r()};"))]
        if kind < 0.88:
            return ["bar.sync 0;"]
        return [f"setp.lt.u32 %p0, {r()}, {r()};", f"@%p0 bra L{label};",
                f"add.u32 {r()}, {r()}, 1;", f"mul.f32 {f()}, {f()}, 0f3F000000;", f"L{label}:"]

    done, label = 0, 0
    while done < count:
        inside = []
        for _ in range(30):
            label += 1
            inside += one(label)
        done += sum(not line.endswith(":") for line in inside) + 4
        # Loops of two rounds; what is in them is uniform but for the short conditions.
        lines += ["mov.u32 %r2, 0;", f"B{label}:", *inside, "add.u32 %r2, %r2, 1;", "setp.lt.u32 %p1, %r2, 2;",
                  f"@%p1 bra B{label};"]
    tail = "".join(f"add.u32 %r4, %r4, %r{k};\n" for k in range(5, 24))
    return "\n".join(lines) + "\n" + tail + "mul.wide.u32 %d1, %r0, 4;\nadd.u64 %d2, %d0, %d1;\nst.global.u32 [%d2], %r4;\nret;\n}\n"


def small():
    return HEAD + """.visible .entry small(.param .u64 data) {
.reg .b64 %d<4>;
.reg .b32 %r<8>;
ld.param.u64 %d0, [data];
mov.u32 %r0, %tid.x;
mov.u32 %r1, %ctaid.x;
mov.u32 %r2, %ntid.x;
mad.lo.u32 %r3, %r1, %r2, %r0;
mul.wide.u32 %d1, %r3, 4;
add.u64 %d2, %d0, %d1;
ld.global.u32 %r4, [%d2];
add.u32 %r4, %r4, 1;
st.global.u32 [%d2], %r4;
ret;
}
"""


def statements(draw, count):
    """Returns `count` lines of CUDA C++, over x[16] as variables, y as floats, an array in global and one in shared memory."""
    lines = []

    def x():
        return f"x{draw.randrange(16)}"

    def y():
        return f"y{draw.randrange(12)}"

    while len(lines) < count:
        kind = draw.random()
        if kind < 0.3:
            lines.append(f"    {x()} = {x()} * {draw.randrange(3, 99)}u + ({x()} ^ {x()});")
        elif kind < 0.55:
            lines.append(f"    {y()} = {y()} * {y()} + {y()} * {draw.randrange(1, 9)}.5f;")
        elif kind < 0.65:
            lines.append(f"    {y()} += f[({x()} + {draw.randrange(64)}u) & 1023u];")
        elif kind < 0.72:
            lines.append(f"    a[{x()} & 1023u] = {x()};")
        elif kind < 0.80:
            lines.append(f"    if ({x()} > {x()}) {x()} += {x()}; else {y()} -= {y()};")
        elif kind < 0.84:
            lines += [f"    for (unsigned i = 0; i < {x()} % 5u; ++i) {{", f"        {y()} = {y()} * 0.5f + f[i];",
                      f"        {x()} += a[(i + {x()}) & 1023u];", "    }"]
        elif kind < 0.88:
            lines += [f"    tile[t] = {y()};", "    __syncthreads();", f"    {y()} += tile[(t + {draw.randrange(1, 31)}u) & 255u];",
                      "    __syncthreads();"]
        elif kind < 0.92:
            lines.append(f"    {y()} = sqrtf(fabsf({y()})) + {y()} / ({y()} * {y()} + 1.0f);")
        else:
            lines.append(f"    {x()} = {x()} > 7u ? {x()} >> {draw.randrange(1, 9)} : {x()} << {draw.randrange(1, 9)};")
    return lines


def source(lines, name="large", seed=1):
    """Writes a kernel of about `lines` lines of CUDA C++."""
    draw = random.Random(seed)
    declared = "".join(f"    unsigned x{k} = a[(t + {k}) & 1023u];\n" for k in range(16))
    declared += "".join(f"    float y{k} = f[(t + {k}) & 1023u];\n" for k in range(12))
    total = " + ".join(f"x{k}" for k in range(16)) + " + " + " + ".join(f"(unsigned)y{k}" for k in range(12))
    return (f'extern "C" __global__ void {name}(unsigned* a, const float* f) {{\n    __shared__ float tile[256];\n'
            "    const unsigned t = threadIdx.x;\n" + declared + "\n".join(statements(draw, lines)) +
            f"\n    a[t] = {total};\n}}\n")


def nested(lines, seed=3):
    """Writes a kernel of about `lines` lines of what is dear to compile: conditions and loops in each other, functions of the math
    library, double precision, an array of the thread's own, atomics."""
    draw, out, depth = random.Random(seed), [], 0

    def x():
        return f"x{draw.randrange(16)}"

    def y():
        return f"y{draw.randrange(12)}"

    def z():
        return f"z{draw.randrange(6)}"

    while len(out) < lines or depth:
        kind = draw.random()
        if len(out) >= lines or (kind < 0.12 and depth == 3) or (0.12 <= kind < 0.24 and depth):
            if depth:
                out.append("    }")
                depth -= 1
        elif kind < 0.12:
            loop = f"i{len(out)}"
            out.append(draw.choice((f"    if ({x()} % {draw.randrange(3, 9)}u > {draw.randrange(1, 3)}u) {{",
                                    f"    for (unsigned {loop} = 0; {loop} < ({x()} & 1u); ++{loop}) {{")))
            depth += 1
        elif kind < 0.40:
            out.append(f"    {y()} = {draw.choice(('sinf', 'expf', 'logf', 'rsqrtf', 'tanhf'))}({y()}) + {y()};")
        elif kind < 0.50:
            out.append(f"    {z()} = {z()} * {z()} + (double){y()};")
        elif kind < 0.55:
            out.append(f"    {z()} = {draw.choice(('sqrt', 'exp', 'fabs'))}({z()});")
        elif kind < 0.65:
            out.append(f"    own[{x()} & 15u] = {y()}; {y()} += own[{x()} & 15u];")
        elif kind < 0.75:
            out.append(f"    {x()} += a[({x()} + {draw.randrange(64)}u) & 1023u];")
        elif kind < 0.80:
            out.append(f"    atomicAdd(a + ({x()} & 1023u), {x()});")
        else:
            out.append(f"    {x()} = {x()} * {draw.randrange(3, 99)}u + ({x()} ^ {x()});")
    declared = "".join(f"    unsigned x{k} = a[(t + {k}) & 1023u];\n" for k in range(16))
    declared += "".join(f"    float y{k} = f[(t + {k}) & 1023u];\n" for k in range(12))
    declared += "".join(f"    double z{k} = f[(t + {k}) & 1023u];\n" for k in range(6))
    total = " + ".join([f"x{k}" for k in range(16)] + [f"(unsigned)y{k}" for k in range(12)] + [f"(unsigned)z{k}" for k in range(6)])
    return ('extern "C" __global__ void nested(unsigned* a, const float* f) {\n    float own[16] = {};\n'
            "    const unsigned t = threadIdx.x;\n" + declared + "\n".join(out) + f"\n    a[t] = {total};\n}}\n")


def many(count):
    """Writes a program of `count` kernels that launches the first ones of them, as many as its argument says."""
    kernels = [source(40, f"kernel{k}", seed=k + 1) for k in range(count)]
    calls = "\n".join(f"    if (many > {k}) kernel{k}<<<4, 256>>>(a, f);" for k in range(count))
    return ("#include <cstdio>\n#include <cstdlib>\n" + "\n".join(kernels) +
            "int main(int, char** words) {\n    const int many = atoi(words[1]);\n    unsigned* a;\n    float* f;\n"
            "    cudaMalloc(&a, 8192);\n    cudaMalloc(&f, 8192);\n    cudaMemset(a, 1, 8192);\n    cudaMemset(f, 0, 8192);\n" + calls +
            '\n    return std::puts(cudaGetErrorName(cudaDeviceSynchronize())), cudaGetLastError() != cudaSuccess;\n}\n')
