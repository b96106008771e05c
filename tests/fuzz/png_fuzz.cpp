// Any bytes as a PNG file: an error, or as many values as width, height and channels say.
// Run: ww_fuzz_png tests/fuzz/corpus/png
#include "fuzz_target.hpp"
#include "values/png.hpp"

using namespace warpwright;

FUZZ_TARGET(png) {
    auto picture = values::parse_png(text, "fuzz.png");
    if (!picture) return fuzz::check(picture.error());
    const std::uint64_t pixels = std::uint64_t{picture->width} * picture->height;
    if (picture->values.size() != pixels * picture->channels) fuzz::complain("values are missing");
    if (!picture->opacity.empty() && picture->opacity.size() != pixels) fuzz::complain("opacity is missing");
}
