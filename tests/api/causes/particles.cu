// uncoalesced_load: one field of an array of structures; mended: an array for each field.
struct Particle { float x, y, z, vx, vy, vz, mass, charge; };
extern "C" __global__ void planted_particles(float* energy, const Particle* p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) energy[i] = 0.5f * p[i].mass * p[i].vx * p[i].vx;
}
extern "C" __global__ void mended_particles(float* energy, const float* in, int n) {
    const float *mass = in, *vx = in + n;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) energy[i] = 0.5f * mass[i] * vx[i] * vx[i];
}
