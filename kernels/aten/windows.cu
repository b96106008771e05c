// The greatest of each window of an image, and where it stands.
#include "element.cuh"

namespace aten {

typedef Reckoned<WW_ELEMENT> X;

/// Of n outputs, one behind the other as (image, row, column); each image has height x width elements.
struct Windows {
    void* to;
    i64* index;
    const void* from;
    i64 n;
    int height, width, rows, columns, kernel[2], stride[2], padding[2], dilation[2];
};

}  // namespace aten
using namespace aten;

extern "C" __global__ void WW_NAME(max_pool)(Windows p) {
    const i64 i = element();
    if (i >= p.n) return;
    const unsigned line = static_cast<unsigned>(i) / p.columns, image = line / p.rows;
    const int column = static_cast<int>(static_cast<unsigned>(i) - line * p.columns), row = static_cast<int>(line - image * p.rows);
    const i64 first = static_cast<i64>(image) * p.height * p.width;
    const int top = row * p.stride[0] - p.padding[0], left = column * p.stride[1] - p.padding[1];
    X greatest = -infinity_of(X());
    i64 found = -1;
    for (int a = 0; a < p.kernel[0]; ++a) {
        const int y = top + a * p.dilation[0];
        if (y < 0 || y >= p.height) continue;
        for (int b = 0; b < p.kernel[1]; ++b) {
            const int x = left + b * p.dilation[1];
            if (x < 0 || x >= p.width) continue;
            const i64 place = static_cast<i64>(y) * p.width + x;
            const X value = read<WW_ELEMENT>(p.from, first + place);
            if (found < 0 || value > greatest || not_number(value)) greatest = value, found = place;
        }
    }
    Write<WW_ELEMENT>::to(p.to, i, greatest);
    p.index[i] = found;
}
