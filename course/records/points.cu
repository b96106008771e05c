// n points with four fields each. `points` has 4 n floats, and how they lie there is up to these three kernels,
// which are launched one after the other, each with one thread for each point in blocks of 256.
struct Point {
    float x, v, mass, charge;
};

__global__ void store(const float* x, const float* v, const float* mass, const float* charge, float* points, int n) {
    Point* point = reinterpret_cast<Point*>(points);
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    point[i].x = x[i];
    point[i].v = v[i];
    point[i].mass = mass[i];
    point[i].charge = charge[i];
}

__global__ void move(float* points, int n) {
    Point* point = reinterpret_cast<Point*>(points);
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) point[i].x += 0.5f * point[i].v;
}

__global__ void fetch(const float* points, float* y, int n) {
    const Point* point = reinterpret_cast<const Point*>(points);
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = point[i].x * point[i].mass + point[i].charge;
}
