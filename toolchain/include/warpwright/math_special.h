// The rarer functions of the CUDA math API: inverse error functions, the normal distribution, Bessel functions. Computed in
// double precision, by series, recurrences and Newton's method on the functions above; the float versions round once.
#pragma once

#define WW_PI 0x1.921fb54442d18p+1

WW_DEVICE_BODY double erfcx(double x) {
    if (x > 10.0) {
        // Asymptotic series: 1/(x sqrt(pi)) sum of (-1)^n (2n-1)!! / (2 x^2)^n
        double t = 0.5 / (x * x), term = 1.0, sum = 1.0;
#pragma nounroll
        for (int n = 1; n < 16; ++n) {
            term *= -(2 * n - 1) * t;
            sum += term;
        }
        return sum * 0x1.20dd750429b6dp-1 / x;
    }
    double square = x * x, lost = __builtin_fma(x, x, -square);
    double e = ww_exp(square);
    return __builtin_isinf(e) ? 2.0 * e : __builtin_fma(e, lost, e) * ww_erfc(x);
}
// The y with erf(y) = x, for x in (-1, 1); `rest` is 1 - |x|, which the tail needs exactly.
WW_DEVICE_BODY double ww_inverse_erf(double x, double rest) {
    double a = __builtin_fabs(x);
    // Winitzki's estimate, good to three digits, then Halley's method: each step triples the digits.
    double l = ww_log(rest * (1.0 + a)), u = 4.33075 + 0.5 * l;
    double y = __nvvm_sqrt_rn_d(__nvvm_sqrt_rn_d(u * u - 6.802721 * l) - u);
#pragma nounroll
    for (int i = 0; i < 3; ++i) {
        double error = a < 0.5 ? ww_erf(y) - a : rest - ww_erfc(y);
        double step = error / (0x1.20dd750429b6dp+0 * ww_exp(-y * y));
        y -= step / (1.0 + y * step);
    }
    return __builtin_copysign(y, x);
}
WW_DEVICE double erfinv(double x) {
    double a = __builtin_fabs(x);
    if (!(a < 1.0)) return a == 1.0 ? __builtin_copysign(__builtin_inf(), x) : __longlong_as_double(0x7fffffffffffffffll);
    // Next to zero erf is 2/sqrt(pi) x.
    return a < 0x1p-28 ? x * 0x1.c5bf891b4ef6bp-1 : ww_inverse_erf(x, 1.0 - a);
}
WW_DEVICE double erfcinv(double x) {
    if (!(x > 0.0 && x < 2.0))
        return x == 0.0 ? __builtin_inf() : x == 2.0 ? -__builtin_inf() : __longlong_as_double(0x7fffffffffffffffll);
    double rest = x > 1.0 ? 2.0 - x : x;
    double a = 1.0 - x;
    return __builtin_fabs(a) < 0x1p-28 ? a * 0x1.c5bf891b4ef6bp-1 : ww_inverse_erf(a, rest);
}
WW_DEVICE double normcdf(double x) {
    x = x < -38.6 ? -38.6 : x > 38.6 ? 38.6 : x;
    // x / sqrt(2) as a sum of two doubles: the tail magnifies the rounding of its argument.
    double h = x * -0x1.6a09e667f3bcdp-1, l = __builtin_fma(x, -0x1.6a09e667f3bcdp-1, -h) - x * -0x1.bdd3413b26456p-55;
    double y = ww_erfc(h);
    if (h > 1.0) y = __builtin_fma(-2.0 * h * y, l, y);
    return 0.5 * y;
}
WW_DEVICE double normcdfinv(double p) { return -0x1.6a09e667f3bcdp+0 * erfcinv(2.0 * p); }

struct ww_bessel {
    double j0, j1, y0, y1;
};
// J0, J1, Y0 and Y1 of x > 0.
WW_DEVICE_BODY ww_bessel ww_bessel_functions(double x) {
    ww_bessel r;
    if (x > 25.0) {
        // Hankel's expansion: P and Q of both orders.
        double p0 = 1, q0 = 0, p1 = 1, q1 = 0, a0 = 1, a1 = 1;
        double inverse = 0.125 / x;
#pragma nounroll
        for (int k = 1; k < 28; ++k) {
            double odd = (2 * k - 1) * (2 * k - 1);
            a0 *= (0.0 - odd) * inverse / k;
            a1 *= (4.0 - odd) * inverse / k;
            double sign = (k & 2) ? -1.0 : 1.0;
            if (k & 1) {
                q0 += sign * a0;
                q1 += sign * a1;
            } else {
                p0 += sign * a0;
                p1 += sign * a1;
            }
        }
        double s = sin(x), c = cos(x);
        double scale = __nvvm_sqrt_rn_d(1.0 / (WW_PI * x));  // sqrt(2 / (pi x)) with the 1/sqrt(2) of the phase
        double c0 = c + s, s0 = s - c, c1 = s - c, s1 = -(c + s);
        r.j0 = scale * (p0 * c0 - q0 * s0);
        r.y0 = scale * (p0 * s0 + q0 * c0);
        r.j1 = scale * (p1 * c1 - q1 * s1);
        r.y1 = scale * (p1 * s1 + q1 * c1);
        if (x == __builtin_inf()) r.j0 = r.j1 = r.y0 = r.y1 = 0.0;
        return r;
    }
    double l = ww_log(0.5 * x) + 0x1.2788cfc6fb619p-1;  // ln(x/2) + Euler's constant
    if (x < 1e-3) {
        double z = 0.25 * x * x;
        r.j0 = 1.0 - z + 0.25 * z * z;
        r.j1 = 0.5 * x * (1.0 - 0.5 * z);
        r.y0 = (2.0 / WW_PI) * (l * r.j0 + z);
        r.y1 = (2.0 / WW_PI) * (l * r.j1 - 1.0 / x - 0.25 * x);
        return r;
    }
    // Miller's backward recurrence, normalised by J0 + 2 (J2 + J4 + ...) = 1, and Neumann's series for Y on the way.
    int top = 2 * ((int)(x + 6.0 * ww_cbrt(x) + 20.0) / 2);
    double above = 0.0, here = 1e-250, norm = 0.0, sum0 = 0.0, sum1 = 0.0;
#pragma nounroll
    for (int n = top; n > 0; --n) {
        double below = 2.0 * n / x * here - above;
        if ((n & 1) == 0) {
            int k = n / 2;
            double sign = (k & 1) ? -1.0 : 1.0;
            norm += 2.0 * here;
            sum0 += sign * here / k;
            sum1 += sign * (below - above) / k;
        }
        above = here;
        here = below;
        if (__builtin_fabs(here) > 1e200) {
            above *= 1e-200, here *= 1e-200, norm *= 1e-200, sum0 *= 1e-200, sum1 *= 1e-200;
        }
    }
    norm = 1.0 / (norm + here);
    r.j0 = here * norm;
    r.j1 = above * norm;
    r.y0 = (2.0 / WW_PI) * (l * r.j0 - 2.0 * sum0 * norm);
    r.y1 = (2.0 / WW_PI) * (l * r.j1 - r.j0 / x + sum1 * norm);
    return r;
}
WW_DEVICE double j0(double x) { return x == 0.0 ? 1.0 : x != x ? x : ww_bessel_functions(__builtin_fabs(x)).j0; }
WW_DEVICE double j1(double x) {
    if (x == 0.0 || x != x) return x;
    double y = ww_bessel_functions(__builtin_fabs(x)).j1;
    return x < 0.0 ? -y : y;
}
WW_DEVICE double ww_y_special(double x) {
    return x == 0.0 ? -__builtin_inf() : __longlong_as_double(0x7fffffffffffffffll);
}
WW_DEVICE double y0(double x) { return x > 0.0 ? ww_bessel_functions(x).y0 : ww_y_special(x); }
WW_DEVICE double y1(double x) { return x > 0.0 ? ww_bessel_functions(x).y1 : ww_y_special(x); }
WW_DEVICE_BODY double jn(int n, double x) {
    if (n < 0) return __longlong_as_double(0x7fffffffffffffffll);
    double a = __builtin_fabs(x);
    if (x != x) return x;
    if (a == 0.0) return n == 0 ? 1.0 : 0.0;
    ww_bessel b = ww_bessel_functions(a);
    double y;
    if (n < 2) {
        y = n == 0 ? b.j0 : b.j1;
    } else if (n < a) {
        double below = b.j0;
        y = b.j1;
#pragma nounroll
        for (int k = 1; k < n; ++k) {
            double next = 2.0 * k / a * y - below;
            below = y;
            y = next;
        }
    } else {
        // Past its argument J falls with the order: downward from well above, scaled by the larger of J0 and J1.
        int top = n + (int)(6.0 * ww_cbrt((double)n) + 30.0);
        double above = 0.0, here = 1e-280, wanted = 0.0;
#pragma nounroll
        for (int k = top; k > 0; --k) {
            double below = 2.0 * k / a * here - above;
            above = here;
            here = below;
            if (k - 1 == n) wanted = here;
            if (__builtin_fabs(here) > 1e200) above *= 1e-200, here *= 1e-200, wanted *= 1e-200;
        }
        y = __builtin_fabs(b.j0) > __builtin_fabs(b.j1) ? wanted / here * b.j0 : wanted / above * b.j1;
    }
    return x < 0.0 && (n & 1) ? -y : y;
}
WW_DEVICE_BODY double yn(int n, double x) {
    if (n < 0) return __longlong_as_double(0x7fffffffffffffffll);
    if (!(x > 0.0)) return ww_y_special(x);
    ww_bessel b = ww_bessel_functions(x);
    if (n == 0) return b.y0;
    double below = b.y0, y = b.y1;
#pragma nounroll
    for (int k = 1; k < n && !__builtin_isinf(y); ++k) {
        double next = 2.0 * k / x * y - below;
        below = y;
        y = next;
    }
    return y;
}
// I0 (order 0) and I1 (order 1): the power series has only positive terms; further out the asymptotic one.
WW_DEVICE_BODY double ww_bessel_i(double a, int order) {
    double sum = 1.0, term = 1.0;
    if (a <= 20.0) {
        double z = 0.25 * a * a;
#pragma nounroll
        for (int k = 1; k < 60; ++k) {
            term *= z / ((double)k * (k + order));
            sum += term;
        }
        return order ? 0.5 * a * sum : sum;
    }
    double four = order ? 4.0 : 0.0, inverse = 0.125 / a;
#pragma nounroll
    for (int k = 1; k < 24; ++k) {
        double odd = (2 * k - 1) * (2 * k - 1);
        term *= (odd - four) * inverse / k;
        sum += term;
    }
    double half = ww_exp(0.5 * a);  // the whole exponential overflows first
    return half / __nvvm_sqrt_rn_d(2.0 * WW_PI * a) * sum * half;
}
WW_DEVICE double cyl_bessel_i0(double x) { return ww_bessel_i(__builtin_fabs(x), 0); }
WW_DEVICE double cyl_bessel_i1(double x) { return __builtin_copysign(ww_bessel_i(__builtin_fabs(x), 1), x); }

WW_DEVICE float erfinvf(float x) { return (float)erfinv((double)x); }
WW_DEVICE float erfcinvf(float x) { return (float)erfcinv((double)x); }
WW_DEVICE float erfcxf(float x) { return (float)erfcx((double)x); }
WW_DEVICE float normcdff(float x) { return (float)normcdf((double)x); }
WW_DEVICE float normcdfinvf(float x) { return (float)normcdfinv((double)x); }
WW_DEVICE float j0f(float x) { return (float)j0((double)x); }
WW_DEVICE float j1f(float x) { return (float)j1((double)x); }
WW_DEVICE float y0f(float x) { return (float)y0((double)x); }
WW_DEVICE float y1f(float x) { return (float)y1((double)x); }
WW_DEVICE float jnf(int n, float x) { return (float)jn(n, (double)x); }
WW_DEVICE float ynf(int n, float x) { return (float)yn(n, (double)x); }
WW_DEVICE float cyl_bessel_i0f(float x) { return (float)cyl_bessel_i0((double)x); }
WW_DEVICE float cyl_bessel_i1f(float x) { return (float)cyl_bessel_i1((double)x); }
#undef WW_PI
