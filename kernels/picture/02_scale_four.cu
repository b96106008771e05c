// Each value of a picture times a factor, at most 255. A thread makes four neighbours, which it reads and writes as one
// word of 4 bytes; the picture is taken as one long line of `count` values.
__device__ unsigned char scaled(unsigned char value, float factor) {
    float result = factor * value;
    return result < 255.0f ? (unsigned char)(result + 0.5f) : 255;
}

extern "C" __global__ void picture_scale_four(const unsigned char* in, unsigned char* out, int count, float factor) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i + 3 < count) {
        uchar4 v = *reinterpret_cast<const uchar4*>(in + i);
        *reinterpret_cast<uchar4*>(out + i) =
            make_uchar4(scaled(v.x, factor), scaled(v.y, factor), scaled(v.z, factor), scaled(v.w, factor));
    } else {
        for (; i < count; ++i) out[i] = scaled(in[i], factor);
    }
}
