// f32 and f64 arithmetic (PTX ISA 9.7.3), exact forms and approximations with the ISA's errors.
#include <cmath>

#include "forms.hpp"

namespace oracle {
namespace {

constexpr const char* kRoundings[] = {"", ".rn", ".rz", ".rm", ".rp"};
constexpr const char* kExplicit[] = {".rn", ".rz", ".rm", ".rp"};

void single(std::vector<Form>& out) {
    for (const char* ftz : {"", ".ftz"}) {
        for (const char* sat : {"", ".sat"}) {
            const std::string tail = std::string(ftz) + sat + ".f32";
            for (const char* round : kRoundings)
                for (const char* op : {"add", "sub", "mul"}) add_plain(out, op + (round + tail), "ff", "f");
            for (const char* round : kExplicit)
                for (const char* op : {"fma", "mad"}) add_plain(out, op + (round + tail), "fff", "f");
        }
        const std::string tail = std::string(ftz) + ".f32";
        for (const char* round : kExplicit) {
            add_plain(out, "div" + (round + tail), "ff", "f");
            add_plain(out, "rcp" + (round + tail), "f", "f");
            add_plain(out, "sqrt" + (round + tail), "f", "f");
        }
        for (const char* op : {"abs", "neg"}) add_plain(out, op + tail, "f", "f");
        for (const char* op : {"min", "max"})
            for (const char* mode : {"", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"})
                add_plain(out, std::string(op) + ftz + mode + ".f32", "ff", "f");

        // 2 ulp for divisors from 2^-126 to 2^126; rcp 1 ulp; the others as the ISA's tables give them.
        add_plain(out, "div.full" + tail, "ff", "f", Check::relative, std::ldexp(1.0, -22));
        add_plain(out, "div.approx" + tail, "ff", "f", Check::relative, std::ldexp(1.0, -22));
        add_plain(out, "rcp.approx" + tail, "f", "f", Check::relative, std::ldexp(1.0, -23));
        add_plain(out, "sqrt.approx" + tail, "f", "f", Check::relative, std::ldexp(1.0, -23));
        add_plain(out, "rsqrt.approx" + tail, "f", "f", Check::relative, std::exp2(-22.9));
        add_plain(out, "lg2.approx" + tail, "f", "f", Check::either, std::exp2(-22.6));
        add_plain(out, "ex2.approx" + tail, "f", "f", Check::relative, std::ldexp(1.0, -22));
        // Outside [-pi, pi] the ISA states no bound: arguments are brought into it.
        for (const char* op : {"sin", "cos"})
            add_form(out, op + (".approx" + tail),
                     "and.b32 %t0, %a, 0x80000000;\nand.b32 %t1, %a, 0x7FFFFFFF;\nmin.f32 %t1, %t1, 0f40490FDA;\n"
                     "or.b32 %t1, %t1, %t0;\n" +
                         std::string(op) + ".approx" + tail + " %r, %t1;",
                     "f", "f", Check::absolute, std::exp2(-20.5));
    }
    for (const char* op : {"sin.approx.f32", "cos.approx.f32"})
        add_form(out, std::string(op) + " special",
                 "and.b32 %t0, %a, 3;\nmov.b32 %t1, 0f00000000;\nsetp.eq.u32 %p0, %t0, 1;\n"
                 "selp.b32 %t1, 0f80000000, %t1, %p0;\nsetp.eq.u32 %p0, %t0, 2;\nselp.b32 %t1, 0f7F800000, %t1, %p0;\n"
                 "setp.eq.u32 %p0, %t0, 3;\nselp.b32 %t1, 0f7FC00000, %t1, %p0;\n" +
                     std::string(op) + " %r, %t1;",
                 "i", "f", Check::absolute, 0);
    add_plain(out, "tanh.approx.f32", "f", "f", Check::relative, std::ldexp(1.0, -11));
    add_plain(out, "copysign.f32", "ff", "f");
}

void double_(std::vector<Form>& out) {
    for (const char* round : kRoundings)
        for (const char* op : {"add", "sub", "mul"}) add_plain(out, std::string(op) + round + ".f64", "dd", "d");
    for (const char* round : kExplicit) {
        for (const char* op : {"fma", "mad"}) add_plain(out, std::string(op) + round + ".f64", "ddd", "d");
        add_plain(out, std::string("div") + round + ".f64", "dd", "d");
        add_plain(out, std::string("rcp") + round + ".f64", "d", "d");
        add_plain(out, std::string("sqrt") + round + ".f64", "d", "d");
    }
    for (const char* op : {"abs.f64", "neg.f64"}) add_plain(out, op, "d", "d");
    for (const char* op : {"min.f64", "max.f64", "copysign.f64"}) add_plain(out, op, "dd", "d");
    // These give the upper 32 bits of the approximation and a zero lower half; about 2^-20 by the ISA.
    add_plain(out, "rcp.approx.ftz.f64", "d", "d", Check::relative, std::ldexp(1.0, -19));
    add_plain(out, "rsqrt.approx.f64", "d", "d", Check::relative, std::ldexp(1.0, -19));
    add_plain(out, "rsqrt.approx.ftz.f64", "d", "d", Check::relative, std::ldexp(1.0, -19));
}

void classes(std::vector<Form>& out) {
    for (const char* what : {"finite", "infinite", "number", "notanumber", "normal", "subnormal"}) {
        add_plain(out, std::string("testp.") + what + ".f32", "f", "p");
        add_plain(out, std::string("testp.") + what + ".f64", "d", "p");
    }
}

}  // namespace

void add_float_forms(std::vector<Form>& out) {
    single(out);
    double_(out);
    classes(out);
}

}  // namespace oracle
