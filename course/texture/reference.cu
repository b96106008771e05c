#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void blurred(cudaTextureObject_t in, float* out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float u = x + 0.5f, v = y + 0.5f;
    out[y * width + x] = (tex2D<float>(in, u, v) + tex2D<float>(in, u - 1, v) + tex2D<float>(in, u + 1, v) +
                          tex2D<float>(in, u, v - 1) + tex2D<float>(in, u, v + 1)) / 5;
}

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    const int width = atoi(argv[1]), height = atoi(argv[2]), seed = atoi(argv[3]);
    std::vector<float> picture(width * height), result(width * height);
    for (int i = 0; i < width * height; ++i) picture[i] = (i * 31 + seed) % 256;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaMallocArray(&array, &format, width, height);
    cudaMemcpy2DToArray(array, 0, 0, picture.data(), width * sizeof(float), width * sizeof(float), height,
                        cudaMemcpyHostToDevice);
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeArray;
    what.res.array.array = array;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModePoint;
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture = 0;
    cudaCreateTextureObject(&texture, &what, &how, nullptr);
    float* out;
    const size_t bytes = width * height * sizeof(float);
    cudaMalloc(&out, bytes);
    blurred<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(texture, out, width, height);
    cudaMemcpy(result.data(), out, bytes, cudaMemcpyDeviceToHost);
    cudaDestroyTextureObject(texture);
    cudaFreeArray(array);
    cudaFree(out);
    double sum = 0;
    for (int i = 0; i < width * height; ++i) sum += result[i] * (1 + i % 5);
    printf("%.1f\n", sum);
}
