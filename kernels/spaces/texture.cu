// Reads a picture through a texture object: coordinates of the hardware's own, values between the pixels, and an edge that
// needs no test. The same is computed on the host and compared.
//   warpwright run texture.cu
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void half_a_pixel_further(cudaTextureObject_t picture, float* out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    // The middle of a pixel is at .5: a whole further lies between two pixels, and their mean is read.
    if (x < width && y < height) out[y * width + x] = tex2D<float>(picture, x + 1.0f, y + 0.5f);
}

void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
}

int main() {
    const int width = 76, height = 62;
    std::vector<float> in(width * height), out(width * height);
    for (int i = 0; i < width * height; ++i) in[i] = float(i % 31);

    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    check(cudaMallocArray(&array, &format, width, height), "cudaMallocArray");
    check(cudaMemcpy2DToArray(array, 0, 0, in.data(), width * sizeof(float), width * sizeof(float), height,
                              cudaMemcpyHostToDevice),
          "cudaMemcpy2DToArray");
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description{};
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
    description.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t picture;
    check(cudaCreateTextureObject(&picture, &resource, &description, nullptr), "cudaCreateTextureObject");
    float* device;
    check(cudaMalloc(&device, out.size() * sizeof(float)), "cudaMalloc");

    half_a_pixel_further<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(picture, device, width, height);
    check(cudaGetLastError(), "half_a_pixel_further");
    check(cudaMemcpy(out.data(), device, out.size() * sizeof(float), cudaMemcpyDeviceToHost), "cudaMemcpy");

    int wrong = 0;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const float here = in[y * width + x], next = in[y * width + std::min(x + 1, width - 1)];
            wrong += std::fabs(out[y * width + x] - 0.5f * (here + next)) > 1e-3f;
        }
    std::printf("%d of %d values differ from the host's\n", wrong, width * height);
    check(cudaDestroyTextureObject(picture), "cudaDestroyTextureObject");
    check(cudaFreeArray(array), "cudaFreeArray");
    check(cudaFree(device), "cudaFree");
    return wrong != 0;
}
