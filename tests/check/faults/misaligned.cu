// A float4 that begins at any float.
// check: --grid 1 --block 32 --arg f32[132]=random --arg f32[32]=zero
struct alignas(16) F4 { float x, y, z, w; };
extern "C" __global__ void wrong(const float* in, float* out) {
    F4 v = *reinterpret_cast<const F4*>(in + 4 * threadIdx.x + 1);  // FINDING misaligned
    out[threadIdx.x] = v.x + v.y + v.z + v.w;
}
extern "C" __global__ void right(const float* in, float* out) {
    F4 v = *reinterpret_cast<const F4*>(in + 4 * threadIdx.x);
    out[threadIdx.x] = v.x + v.y + v.z + v.w;
}
