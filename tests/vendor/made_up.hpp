// What the made-up library writes down, and how it is told to behave. Taken from it with dlsym.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace warpwright::vendor::test {

struct MadeUp {
    std::vector<std::string> calls;
    std::vector<double> seconds;  ///< that the algorithms which cublasLt proposes take, in its order
    int failing = -1;             ///< of them, one that does not run
    int create_status = 0, propose_status = 0, sparse_status = 0, search_status = 0;
    std::size_t slow_copy = ~std::size_t{0};  ///< bytes above which a copy is ten times slower
    bool wrong = false;                       ///< cuBLAS multiplies wrongly
    int compute = 0;                          ///< the last compute type asked for
    unsigned handles = 0, descriptors = 0;    ///< alive
    double clock = 0;                         ///< seconds that the calls so far took
    int version = 9;                          ///< of cuSPARSELt, minor
};

}  // namespace warpwright::vendor::test

extern "C" warpwright::vendor::test::MadeUp* made_up();
