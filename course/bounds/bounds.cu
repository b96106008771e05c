// y[i] = 2 * x[i] + 1 for all i from 0 to n - 1.
// The kernel is launched with blocks of 256 threads, and with as many blocks as are needed for n elements.
__global__ void twice_plus_one(const float* x, float* y, int n) {
    // Write here: which element belongs to this thread, and is there one?
}
