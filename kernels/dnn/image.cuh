// Places in images.
#pragma once

#include "numbers.cuh"

namespace ww_dnn {

/// A number taken apart by the sizes of channels (or images), depth, rows and columns.
struct Parts {
    int first, d, h, w;
};
__device__ inline Parts parts_of(unsigned index, const int* size) {
    const unsigned of_w = index / size[4], of_h = of_w / size[3], of_d = of_h / size[2];
    return {(int)of_d, (int)(of_h - of_d * size[2]), (int)(of_w - of_h * size[3]), (int)(index - of_w * size[4])};
}
__device__ inline i64 offset(const Image& image, int n, int c, int d, int h, int w) {
    return n * image.apart[0] + c * image.apart[1] + d * image.apart[2] + h * image.apart[3] + w * image.apart[4];
}
template <class A>
__device__ A element(const Image& image, int n, int c, int d, int h, int w) {
    return load<A>(image.at, image.type, offset(image, n, c, d, h, w));
}

}  // namespace ww_dnn
