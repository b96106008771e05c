// uncoalesced_load: bodies of eight floats are moved in place; mended: an array for each of the fields that are used.
struct Body {
    float x, y, z, vx, vy, vz, mass, charge;
};
extern "C" __global__ void planted_bodies(Body* out, const Body* in, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    out[i].x = in[i].x + in[i].vx * 0.1f;
    out[i].y = in[i].y + in[i].vy * 0.1f;
}
extern "C" __global__ void mended_bodies(float* out, const float* in, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    out[i] = in[i] + in[i + 3 * n] * 0.1f;
    out[i + n] = in[i + n] + in[i + 4 * n] * 0.1f;
}
