// A program's own checks.
#pragma once
#include <cstdio>
#include <cstdlib>
#define CHECK(condition)                                                          \
    do {                                                                          \
        if (!(condition)) {                                                       \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);           \
            std::exit(1);                                                         \
        }                                                                         \
    } while (0)
#define OK(call) CHECK((call) == cudaSuccess)
