// Checks of programs that run on their own, against our libraries: each prints the line of what does not hold, and the
// program ends with `failed`.
#pragma once

#include <stdio.h>

static int failed;

/// Two whole numbers (enumerators, pointers) are the same.
#define SAME(a, b)                                                                                 \
    do {                                                                                           \
        long long a_ = (long long)(a), b_ = (long long)(b);                                        \
        if (a_ != b_) printf("line %d: %s is %lld, not %lld\n", __LINE__, #a, a_, b_), failed = 1; \
    } while (0)

#define HOLDS(x)                                                             \
    do {                                                                     \
        if (!(x)) printf("line %d: not so: %s\n", __LINE__, #x), failed = 1; \
    } while (0)
