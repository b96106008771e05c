// Texture and surface references, as programs had them until CUDA 11.
#include "check.h"
texture<float, cudaTextureType1D, cudaReadModeElementType> line;
texture<float, 2> image;
static texture<uchar4, 2, cudaReadModeNormalizedFloat> pixels;
texture<int2, 3> volume;
texture<float, cudaTextureType2DLayered> stack(0, cudaFilterModePoint, cudaAddressModeClamp);
surface<void, cudaSurfaceType2D> canvas;
__global__ void read_line(float* out) { out[threadIdx.x] = tex1Dfetch(line, threadIdx.x); }
__global__ void read_image(float x, float y, float* out) { *out = tex2D(image, x, y); }
__global__ void read_pixels(float4* out) { *out = tex2D(pixels, 1.5f, 0.5f); }
__global__ void read_volume(int2* out) { *out = tex3D(volume, 1.0f, 1.0f, 1.0f); }
__global__ void read_stack(float* out) { *out = tex2DLayered(stack, 1.5f, 1.5f, 1); }
__global__ void gather(float4* out) { *out = tex2Dgather(image, 1.0f, 1.0f); }
__global__ void paint() {
    float v;
    surf2Dread(&v, canvas, threadIdx.x * (int)sizeof(float), threadIdx.y);
    surf2Dwrite(2 * v, canvas, threadIdx.x * (int)sizeof(float), threadIdx.y);
}
int main() {
    float *out, *memory, host[64], got[64];
    for (int i = 0; i < 64; ++i) host[i] = i;
    OK(cudaMalloc(&out, 256));
    OK(cudaMalloc(&memory, 1024));
    OK(cudaMemcpy(memory, host, 256, cudaMemcpyHostToDevice));
    size_t offset = 99;
    OK(cudaBindTexture(&offset, line, memory, 256));
    CHECK(offset == 0);
    read_line<<<1, 64>>>(out);
    OK(cudaMemcpy(got, out, 256, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; ++i) CHECK(got[i] == i);
    // An address between aligned ones: the offset is the program's to add.
    OK(cudaBindTexture(&offset, line, memory + 4, 128));
    CHECK(offset == 16);
    OK(cudaGetTextureAlignmentOffset(&offset, line));
    CHECK(offset == 16);
    CHECK(cudaBindTexture(nullptr, line, memory + 4, 128) == cudaErrorInvalidValue);
    read_line<<<1, 64>>>(out);
    OK(cudaMemcpy(got, out, 256, cudaMemcpyDeviceToHost));
    CHECK(got[0] == 0 && got[35] == 35 && got[36] == 0);
    // Bound again while a kernel with the old one may still run: each has its own.
    OK(cudaBindTexture(nullptr, line, memory));
    read_line<<<1, 64>>>(out);
    OK(cudaBindTexture(nullptr, line, out, cudaCreateChannelDesc<float>()));
    OK(cudaMemcpy(got, out, 256, cudaMemcpyDeviceToHost));
    CHECK(got[63] == 63);
    OK(cudaUnbindTexture(line));
    CHECK(cudaGetTextureAlignmentOffset(&offset, line) == cudaErrorInvalidTextureBinding);

    image.addressMode[0] = image.addressMode[1] = cudaAddressModeClamp;
    image.filterMode = cudaFilterModeLinear;
    image.normalized = false;
    // 4 x 3 of rows of 8.
    OK(cudaBindTexture2D(nullptr, image, memory, image.channelDesc, 4, 3, 32));
    read_image<<<1, 1>>>(1.0f, 1.0f, out);
    OK(cudaMemcpy(got, out, 4, cudaMemcpyDeviceToHost));
    CHECK(got[0] == (0 + 1 + 8 + 9) / 4.0f);
    gather<<<1, 1>>>((float4*)out);
    OK(cudaMemcpy(got, out, 16, cudaMemcpyDeviceToHost));
    CHECK(got[0] == 8 && got[1] == 9 && got[2] == 1 && got[3] == 0);

    const cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    OK(cudaMallocArray(&array, &f, 4, 4, cudaArraySurfaceLoadStore));
    OK(cudaMemcpyToArray(array, 0, 0, host, 64, cudaMemcpyHostToDevice));
    image.normalized = true;
    OK(cudaBindTextureToArray(image, array));
    read_image<<<1, 1>>>(0.5f, 0.25f, out);
    OK(cudaMemcpy(got, out, 4, cudaMemcpyDeviceToHost));
    CHECK(got[0] == (1 + 2 + 5 + 6) / 4.0f);
    OK(cudaBindSurfaceToArray(canvas, array));
    paint<<<1, dim3(4, 4)>>>();
    read_image<<<1, 1>>>(0.125f, 0.375f, out);
    OK(cudaMemcpy(got, out, 4, cudaMemcpyDeviceToHost));
    CHECK(got[0] == 8);
    const cudaChannelFormatDesc wide = cudaCreateChannelDesc<float2>();
    CHECK(cudaBindTextureToArray(image, array, wide) == cudaErrorInvalidChannelDescriptor);
    OK(cudaUnbindTexture(image));
    OK(cudaFreeArray(array));

    uchar4 two[2] = {make_uchar4(0, 0, 0, 0), make_uchar4(255, 51, 0, 102)};
    const cudaChannelFormatDesc bytes = cudaCreateChannelDesc<uchar4>();
    OK(cudaMallocArray(&array, &bytes, 2, 1));
    OK(cudaMemcpyToArray(array, 0, 0, two, 8, cudaMemcpyHostToDevice));
    OK(cudaBindTextureToArray(pixels, array, bytes));
    read_pixels<<<1, 1>>>((float4*)out);
    OK(cudaMemcpy(got, out, 16, cudaMemcpyDeviceToHost));
    CHECK(got[0] == 1 && got[1] == 51 / 255.0f && got[2] == 0 && got[3] == 102 / 255.0f);
    OK(cudaFreeArray(array));

    int2 cells[8];
    for (int i = 0; i < 8; ++i) cells[i] = make_int2(i, -i);
    const cudaChannelFormatDesc pairs = cudaCreateChannelDesc<int2>();
    cudaMemcpy3DParms p = {};
    OK(cudaMalloc3DArray(&array, &pairs, make_cudaExtent(2, 2, 2)));
    p.srcPtr = make_cudaPitchedPtr(cells, 16, 2, 2), p.dstArray = array, p.extent = make_cudaExtent(2, 2, 2), p.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&p));
    OK(cudaBindTextureToArray(volume, array));
    read_volume<<<1, 1>>>((int2*)out);
    int2 pair;
    OK(cudaMemcpy(&pair, out, 8, cudaMemcpyDeviceToHost));
    CHECK(pair.x == 7 && pair.y == -7);
    volume.filterMode = cudaFilterModeLinear;
    CHECK(cudaBindTextureToArray(volume, array) == cudaErrorInvalidFilterSetting);
    OK(cudaFreeArray(array));

    OK(cudaMalloc3DArray(&array, &f, make_cudaExtent(2, 2, 2), cudaArrayLayered));
    p.srcPtr = make_cudaPitchedPtr(host, 8, 2, 2), p.dstArray = array;
    OK(cudaMemcpy3D(&p));
    const textureReference* found;
    OK(cudaGetTextureReference(&found, &stack));
    OK(cudaBindTextureToArray(found, array, &f));
    read_stack<<<1, 1>>>(out);
    OK(cudaMemcpy(got, out, 4, cudaMemcpyDeviceToHost));
    CHECK(got[0] == 7);
    CHECK(cudaGetTextureReference(&found, host) == cudaErrorInvalidTexture);
    cudaGetLastError();
    // Nothing is bound: said, and an error.
    read_line<<<1, 1>>>(out);
    CHECK(cudaDeviceSynchronize() != cudaSuccess);
    std::puts("passed");
}
