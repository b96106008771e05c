// Any bytes as a .npy file: an error, or an array whose data its shape accounts for.
// Run: ww_fuzz_npy tests/fuzz/corpus/npy
#include <span>

#include "fuzz_target.hpp"
#include "values/npy.hpp"

using namespace warpwright;

FUZZ_TARGET(npy) {
    auto array = values::parse_npy(std::as_bytes(std::span(text)), "fuzz.npy");
    if (!array) return fuzz::check(array.error());
    if (array->count() * values::element_size(array->element) != array->data.size())
        fuzz::complain("the shape does not account for the data");
}
