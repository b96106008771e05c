// Texture and surface references of modules; captures that the legacy stream would break; memory shared by a
// descriptor.
#include <string.h>
#include <unistd.h>

#include "driver_program.hpp"

static const char* const kReader =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .global .texref picture;\n.visible .global .surfref canvas;\n.visible .global .align 8 .b64 other;\n"
    ".visible .entry sample(.param .u64 out, .param .f32 x, .param .f32 y) {\n"
    "  .reg .b64 %rd<3>; .reg .f32 %f<7>;\n"
    "  ld.param.u64 %rd1, [out]; ld.param.f32 %f1, [x]; ld.param.f32 %f2, [y];\n"
    "  tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [picture, {%f1, %f2}];\n"
    "  st.global.v4.f32 [%rd1], {%f3, %f4, %f5, %f6}; ret;\n}\n"
    ".visible .entry fetch(.param .u64 out) {\n"
    "  .reg .b64 %rd<4>; .reg .b32 %r<8>;\n"
    "  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;\n"
    "  tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [picture, {%r1}];\n"
    "  mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r2; ret;\n}\n"
    ".visible .entry paint() {\n  .reg .b32 %r<4>;\n"
    "  mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, %tid.y;\n"
    "  sust.b.2d.b32.trap [canvas, {%r2, %r3}], {%r1}; ret;\n}\n";

enum { kWide = 4, kHigh = 2 };

static CUarray float_array(const float* values, unsigned flags) {
    CUDA_ARRAY3D_DESCRIPTOR shape = {kWide, kHigh, 0, CU_AD_FORMAT_FLOAT, 1, flags};
    CUarray array = 0;
    OK(cuArray3DCreate(&array, &shape));
    CUDA_MEMCPY2D copy;
    memset(&copy, 0, sizeof copy);
    copy.srcMemoryType = CU_MEMORYTYPE_HOST, copy.srcHost = values, copy.srcPitch = sizeof(float) * kWide;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY, copy.dstArray = array;
    copy.WidthInBytes = sizeof(float) * kWide, copy.Height = kHigh;
    OK(cuMemcpy2D(&copy));
    return array;
}

struct Reader {
    CUmodule module;
    CUfunction sample, fetch;
    CUdeviceptr out;
    float at(float x, float y, int channel = 0) const {
        float got[4] = {-1, -1, -1, -1};
        void* parameters[] = {(void*)&out, &x, &y};
        OK(cuLaunchKernel(sample, 1, 1, 1, 1, 1, 1, 0, 0, parameters, 0));
        OK(cuMemcpyDtoH(got, out, sizeof got));
        return got[channel];
    }
    unsigned element(unsigned k) const {
        unsigned got[32] = {0};
        void* parameters[] = {(void*)&out};
        OK(cuLaunchKernel(fetch, 1, 1, 1, 32, 1, 1, 0, 0, parameters, 0));
        OK(cuMemcpyDtoH(got, out, sizeof got));
        return got[k];
    }
};

static void of_arrays(const Reader& reader, CUtexref picture) {
    const float values[kWide * kHigh] = {0, 1, 2, 3, 10, 11, 12, 13};
    CUarray array = float_array(values, 0), got = 0;
    CUmipmappedArray mipmap;
    CUaddress_mode mode;
    CUfilter_mode filter;
    CUarray_format format;
    unsigned flags = 9;
    int channels = 0;
    SAME(cuTexRefGetArray(&got, picture), CUDA_ERROR_INVALID_VALUE);
    SAME(cuTexRefSetArray(picture, array, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuTexRefSetArray(picture, array, CU_TRSA_OVERRIDE_FORMAT));
    OK(cuTexRefGetArray(&got, picture));
    SAME(got, array);
    SAME(cuTexRefGetMipmappedArray(&mipmap, picture), CUDA_ERROR_INVALID_VALUE);
    CUdeviceptr address;
    SAME(cuTexRefGetAddress(&address, picture), CUDA_ERROR_INVALID_VALUE);
    HOLDS(reader.at(1.5f, 1.5f) == 11 && reader.at(9, 1.5f) == 13);
    // Each setting is what the next kernel reads by.
    OK(cuTexRefSetFilterMode(picture, CU_TR_FILTER_MODE_LINEAR));
    HOLDS(reader.at(2, 1) == (1 + 2 + 11 + 12) / 4.0f);
    OK(cuTexRefSetFilterMode(picture, CU_TR_FILTER_MODE_POINT));
    const float border[4] = {7, 0, 0, 0};
    float colour[4] = {0};
    OK(cuTexRefSetAddressMode(picture, 0, CU_TR_ADDRESS_MODE_BORDER));
    OK(cuTexRefSetBorderColor(picture, (float*)border));
    HOLDS(reader.at(-3, 0.5f) == 7 && reader.at(3.5f, 0.5f) == 3);
    OK(cuTexRefSetAddressMode(picture, 0, CU_TR_ADDRESS_MODE_WRAP));
    OK(cuTexRefSetAddressMode(picture, 1, CU_TR_ADDRESS_MODE_WRAP));
    OK(cuTexRefSetFlags(picture, CU_TRSF_NORMALIZED_COORDINATES));
    HOLDS(reader.at(0.375f, 0.75f) == 11 && reader.at(1.375f, 2.75f) == 11);
    OK(cuTexRefGetAddressMode(&mode, picture, 0));
    SAME(mode, CU_TR_ADDRESS_MODE_WRAP);
    OK(cuTexRefGetAddressMode(&mode, picture, 2));
    SAME(mode, CU_TR_ADDRESS_MODE_CLAMP);
    OK(cuTexRefGetFilterMode(&filter, picture));
    SAME(filter, CU_TR_FILTER_MODE_POINT);
    OK(cuTexRefGetFlags(&flags, picture));
    SAME(flags, CU_TRSF_NORMALIZED_COORDINATES);
    OK(cuTexRefGetFormat(&format, &channels, picture));
    HOLDS(format == CU_AD_FORMAT_FLOAT && channels == 1);
    OK(cuTexRefGetBorderColor(colour, picture));
    SAME(memcmp(colour, border, sizeof colour), 0);
    SAME(cuTexRefSetAddressMode(picture, 3, CU_TR_ADDRESS_MODE_WRAP), CUDA_ERROR_INVALID_VALUE);
    SAME(cuTexRefSetFlags(picture, 0x4000), CUDA_ERROR_INVALID_VALUE);
    SAME(cuTexRefSetFilterMode(picture, (CUfilter_mode)5), CUDA_ERROR_INVALID_VALUE);
    OK(cuTexRefSetFlags(picture, 0));
    for (int k = 0; k < 2; ++k) OK(cuTexRefSetAddressMode(picture, k, CU_TR_ADDRESS_MODE_CLAMP));
    OK(cuArrayDestroy(array));
}

/// What belongs to levels and to gradients is kept, whether or not the memory has levels.
static void of_levels(CUtexref picture) {
    CUfilter_mode filter;
    float one = 0, two = 0;
    int most = 0;
    OK(cuTexRefSetMipmapFilterMode(picture, CU_TR_FILTER_MODE_LINEAR));
    OK(cuTexRefSetMipmapLevelBias(picture, 0.5f));
    OK(cuTexRefSetMipmapLevelClamp(picture, 1, 3));
    OK(cuTexRefSetMaxAnisotropy(picture, 4));
    OK(cuTexRefGetMipmapFilterMode(&filter, picture));
    SAME(filter, CU_TR_FILTER_MODE_LINEAR);
    OK(cuTexRefGetMipmapLevelBias(&one, picture));
    HOLDS(one == 0.5f);
    OK(cuTexRefGetMipmapLevelClamp(&one, &two, picture));
    HOLDS(one == 1 && two == 3);
    OK(cuTexRefGetMaxAnisotropy(&most, picture));
    SAME(most, 4);
    CUDA_ARRAY3D_DESCRIPTOR shape = {4, 4, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    CUmipmappedArray levels, got;
    OK(cuMipmappedArrayCreate(&levels, &shape, 2));
    OK(cuTexRefSetFlags(picture, CU_TRSF_NORMALIZED_COORDINATES));
    OK(cuTexRefSetMipmappedArray(picture, levels, CU_TRSA_OVERRIDE_FORMAT));
    OK(cuTexRefGetMipmappedArray(&got, picture));
    SAME(got, levels);
    OK(cuTexRefSetFlags(picture, 0));
    OK(cuMipmappedArrayDestroy(levels));
}

static void of_memory(const Reader& reader, CUtexref picture) {
    CUdeviceptr memory, got;
    size_t offset = 99;
    unsigned numbers[256];
    for (unsigned k = 0; k < 256; ++k) numbers[k] = k;
    OK(cuMemAlloc(&memory, sizeof numbers));
    OK(cuMemcpyHtoD(memory, numbers, sizeof numbers));
    OK(cuTexRefSetFormat(picture, CU_AD_FORMAT_UNSIGNED_INT32, 1));
    OK(cuTexRefSetFlags(picture, CU_TRSF_READ_AS_INTEGER));
    OK(cuTexRefSetAddress(&offset, picture, memory, sizeof numbers));
    SAME(offset, 0);
    SAME(reader.element(17), 17);
    // An address between aligned ones: the offset is the program's to add. Past the end there is nothing.
    OK(cuTexRefSetAddress(&offset, picture, memory + 16, 40));
    SAME(offset, 16);
    HOLDS(reader.element(13) == 13 && reader.element(14) == 0);
    SAME(cuTexRefSetAddress(0, picture, memory + 16, 40), CUDA_ERROR_INVALID_VALUE);
    SAME(cuTexRefSetAddress(&offset, picture, 64, 40), CUDA_ERROR_INVALID_VALUE);
    OK(cuTexRefGetAddress(&got, picture));
    SAME(got, memory + 16);
    // Single bytes of the same memory.
    OK(cuTexRefSetFormat(picture, CU_AD_FORMAT_UNSIGNED_INT8, 1));
    OK(cuTexRefSetAddress(&offset, picture, memory, sizeof numbers));
    HOLDS(reader.element(4) == 1 && reader.element(5) == 0);
    SAME(cuTexRefSetFormat(picture, CU_AD_FORMAT_UNSIGNED_INT8, 3), CUDA_ERROR_INVALID_VALUE);
    // Rows, of bytes that are read as numbers from 0 to 1.
    unsigned char rows[256] = {0};
    rows[1] = 255, rows[128 + 1] = 51;
    OK(cuMemcpyHtoD(memory, rows, sizeof rows));
    CUDA_ARRAY_DESCRIPTOR shape = {4, 2, CU_AD_FORMAT_UNSIGNED_INT8, 1};
    OK(cuTexRefSetFlags(picture, 0));
    OK(cuTexRefSetAddress2D(picture, &shape, memory, 128));
    HOLDS(reader.at(1.5f, 0.5f) == 1 && reader.at(1.5f, 1.5f) == 51 / 255.0f);
    SAME(cuTexRefSetAddress2D(picture, &shape, memory + 16, 128), CUDA_ERROR_INVALID_VALUE);
    SAME(cuTexRefSetAddress2D(picture, &shape, memory, 100), CUDA_ERROR_INVALID_VALUE);
    SAME(cuTexRefSetFormat(picture, CU_AD_FORMAT_FLOAT, 1), CUDA_ERROR_INVALID_VALUE);
    HOLDS(reader.at(1.5f, 0.5f) == 1);
    OK(cuMemFree(memory));
}

static void of_surfaces(CUmodule module) {
    float values[kWide * kHigh] = {0};
    CUarray plain = float_array(values, 0), array = float_array(values, cudaArraySurfaceLoadStore), got = 0;
    CUsurfref canvas;
    CUfunction paint;
    OK(cuModuleGetSurfRef(&canvas, module, "canvas"));
    OK(cuModuleGetFunction(&paint, module, "paint"));
    SAME(cuSurfRefGetArray(&got, canvas), CUDA_ERROR_INVALID_VALUE);
    SAME(cuSurfRefSetArray(canvas, plain, 0), CUDA_ERROR_INVALID_VALUE);
    SAME(cuSurfRefSetArray(canvas, array, 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuSurfRefSetArray(canvas, array, 0));
    OK(cuSurfRefGetArray(&got, canvas));
    SAME(got, array);
    OK(cuLaunchKernel(paint, 1, 1, 1, kWide, kHigh, 1, 0, 0, 0, 0));
    CUDA_MEMCPY2D copy;
    memset(&copy, 0, sizeof copy);
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY, copy.srcArray = array;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST, copy.dstHost = values, copy.dstPitch = sizeof(float) * kWide;
    copy.WidthInBytes = sizeof(float) * kWide, copy.Height = kHigh;
    OK(cuMemcpy2D(&copy));
    int third = 0;
    memcpy(&third, &values[kWide + 3], sizeof third);
    SAME(third, 3);
    OK(cuArrayDestroy(array));
    OK(cuArrayDestroy(plain));
}

static void of_objects(void) {
    const float values[kWide * kHigh] = {0};
    CUDA_RESOURCE_DESC resource, got;
    CUDA_TEXTURE_DESC sampling, read;
    CUDA_RESOURCE_VIEW_DESC view;
    CUtexObject texture;
    CUsurfObject surface;
    memset(&resource, 0, sizeof resource), memset(&sampling, 0, sizeof sampling);
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = float_array(values, cudaArraySurfaceLoadStore);
    sampling.addressMode[1] = CU_TR_ADDRESS_MODE_MIRROR, sampling.filterMode = CU_TR_FILTER_MODE_LINEAR;
    sampling.flags = CU_TRSF_NORMALIZED_COORDINATES, sampling.maxAnisotropy = 3, sampling.borderColor[2] = 5;
    OK(cuTexObjectCreate(&texture, &resource, &sampling, 0));
    OK(cuTexObjectGetTextureDesc(&read, texture));
    SAME(memcmp(&read, &sampling, sizeof read), 0);
    SAME(cuTexObjectGetResourceViewDesc(&view, texture), CUDA_ERROR_INVALID_VALUE);
    OK(cuTexObjectDestroy(texture));
    SAME(cuTexObjectGetTextureDesc(&read, texture), CUDA_ERROR_INVALID_VALUE);
    OK(cuSurfObjectCreate(&surface, &resource));
    OK(cuSurfObjectGetResourceDesc(&got, surface));
    SAME(got.res.array.hArray, resource.res.array.hArray);
    OK(cuSurfObjectDestroy(surface));
    OK(cuArrayDestroy(resource.res.array.hArray));
}

/// A handle that is none, or no longer one, is refused wherever an array stands.
static void no_arrays(const Reader& reader, CUtexref picture, CUsurfref canvas) {
    const float values[kWide * kHigh] = {0};
    CUarray gone = float_array(values, cudaArraySurfaceLoadStore), level;
    CUmipmappedArray levels;
    CUDA_ARRAY3D_DESCRIPTOR shape = {4, 4, 0, CU_AD_FORMAT_FLOAT, 1, 0}, got;
    OK(cuMipmappedArrayCreate(&levels, &shape, 2));
    OK(cuMipmappedArrayGetLevel(&level, levels, 1));
    OK(cuArray3DGetDescriptor(&got, level));
    SAME(cuArrayDestroy(level), CUDA_ERROR_INVALID_VALUE);
    OK(cuMipmappedArrayDestroy(levels));
    SAME(cuMipmappedArrayDestroy(levels), CUDA_ERROR_INVALID_HANDLE);
    SAME(cuMipmappedArrayGetLevel(&level, levels, 0), CUDA_ERROR_INVALID_HANDLE);
    SAME(cuArray3DGetDescriptor(&got, level), CUDA_ERROR_INVALID_HANDLE);
    SAME(cuTexRefSetMipmappedArray(picture, levels, CU_TRSA_OVERRIDE_FORMAT), CUDA_ERROR_INVALID_HANDLE);
    OK(cuArrayDestroy(gone));
    CUarray none[] = {gone, (CUarray)&reader, (CUarray)(size_t)8};
    for (CUarray array : none) {
        CUDA_RESOURCE_DESC resource;
        CUDA_TEXTURE_DESC sampling;
        CUtexObject object;
        char bytes[16] = {0};
        memset(&resource, 0, sizeof resource), memset(&sampling, 0, sizeof sampling);
        resource.resType = CU_RESOURCE_TYPE_ARRAY, resource.res.array.hArray = array;
        SAME(cuTexObjectCreate(&object, &resource, &sampling, 0), CUDA_ERROR_INVALID_HANDLE);
        SAME(cuSurfObjectCreate(&object, &resource), CUDA_ERROR_INVALID_HANDLE);
        SAME(cuArrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
        SAME(cuTexRefSetArray(picture, array, CU_TRSA_OVERRIDE_FORMAT), CUDA_ERROR_INVALID_HANDLE);
        SAME(cuSurfRefSetArray(canvas, array, 0), CUDA_ERROR_INVALID_HANDLE);
        SAME(cuMemcpyHtoA(array, 0, bytes, 4), CUDA_ERROR_INVALID_VALUE);
        SAME(cuMemcpyAtoH(bytes, array, 0, 4), CUDA_ERROR_INVALID_VALUE);
        CUDA_MEMCPY2D copy;
        memset(&copy, 0, sizeof copy);
        copy.srcMemoryType = CU_MEMORYTYPE_HOST, copy.srcHost = bytes;
        copy.dstMemoryType = CU_MEMORYTYPE_ARRAY, copy.dstArray = array, copy.WidthInBytes = 4, copy.Height = 1;
        SAME(cuMemcpy2D(&copy), CUDA_ERROR_INVALID_VALUE);
    }
    SAME(cuSurfRefSetArray((CUsurfref)picture, gone, 0), CUDA_ERROR_INVALID_HANDLE);
    SAME(cuTexRefDestroy((CUtexref)canvas), CUDA_ERROR_INVALID_VALUE);
    SAME(cuModuleGetTexRef(&picture, (CUmodule)&reader, "picture"), CUDA_ERROR_INVALID_HANDLE);
    SAME(cuModuleGetTexRef(0, reader.module, "picture"), CUDA_ERROR_INVALID_VALUE);
    SAME(cuModuleGetTexRef(&picture, reader.module, 0), CUDA_ERROR_INVALID_VALUE);
}

static void lines_in_streams(void) {
    CUDA_ARRAY_DESCRIPTOR shape = {8, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1};
    CUarray line;
    CUstream stream;
    char text[] = "abcdefg", back[8] = {0};
    OK(cuArrayCreate(&line, &shape));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuMemcpyHtoAAsync(line, 0, text, 8, stream));
    OK(cuMemcpyAtoHAsync(back, line, 2, 6, stream));
    OK(cuStreamSynchronize(stream));
    SAME(strcmp(back, "cdefg"), 0);
    SAME(cuMemcpyHtoAAsync(line, 4, text, 8, stream), CUDA_ERROR_INVALID_VALUE);
    OK(cuStreamDestroy(stream));
    OK(cuArrayDestroy(line));
}

static void captures(void) {
    CUstream stream;
    CUstreamCaptureStatus status;
    CUgraph graph;
    CUdeviceptr word, more;
    OK(cuMemAlloc(&word, 4));
    OK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    OK(cuStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    SAME(cuStreamIsCapturing(0, &status), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    SAME(cuMemsetD32(word, 1, 1), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    SAME(cuMemsetD32Async(word, 1, 1, stream), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    SAME(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    SAME(graph, 0);
    OK(cuStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    SAME(cuMemAlloc(&more, 4), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    SAME(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    OK(cuStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    SAME(cuCtxSynchronize(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    SAME(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    OK(cuMemsetD32(word, 1, 1));
    OK(cuStreamDestroy(stream));
    OK(cuMemFree(word));
}

/// Memory that is imported from its descriptor is the same memory.
static void shared_memory(void) {
    CUmemAllocationProp p;
    CUmemGenericAllocationHandle made, imported;
    CUmemAccessDesc access;
    CUdeviceptr range;
    size_t step = 0;
    int descriptor = -1, value = 0;
    memset(&p, 0, sizeof p);
    p.type = cudaMemAllocationTypePinned, p.location.type = cudaMemLocationTypeDevice;
    OK(cuMemGetAllocationGranularity(&step, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    OK(cuMemCreate(&made, step, &p, 0));
    SAME(cuMemExportToShareableHandle(&descriptor, made, cudaMemHandleTypePosixFileDescriptor, 0),
         CUDA_ERROR_INVALID_VALUE);
    OK(cuMemRelease(made));
    p.requestedHandleTypes = cudaMemHandleTypePosixFileDescriptor;
    OK(cuMemCreate(&made, step, &p, 0));
    SAME(cuMemExportToShareableHandle(&descriptor, made, cudaMemHandleTypeFabric, 0), CUDA_ERROR_NOT_SUPPORTED);
    OK(cuMemExportToShareableHandle(&descriptor, made, cudaMemHandleTypePosixFileDescriptor, 0));
    OK(cuMemImportFromShareableHandle(&imported, (void*)(size_t)descriptor, cudaMemHandleTypePosixFileDescriptor));
    SAME(close(descriptor), 0);
    OK(cuMemAddressReserve(&range, 2 * step, 0, 0, 0));
    OK(cuMemMap(range, step, 0, made, 0));
    OK(cuMemMap(range + step, step, 0, imported, 0));
    access.location = p.location, access.flags = cudaMemAccessFlagsProtReadWrite;
    OK(cuMemSetAccess(range, 2 * step, &access, 1));
    OK(cuMemsetD32(range + 8, 123, 1));
    OK(cuMemcpyDtoH(&value, range + step + 8, sizeof value));
    SAME(value, 123);
    OK(cuMemUnmap(range, 2 * step));
    OK(cuMemRelease(made));
    OK(cuMemRelease(imported));
    OK(cuMemAddressFree(range, 2 * step));
    SAME(cuMemImportFromShareableHandle(&imported, (void*)(size_t)0, cudaMemHandleTypePosixFileDescriptor),
         CUDA_ERROR_INVALID_VALUE);
}

/// What a map of pixels may say. (Copies with such maps have their own test.)
static void pixel_maps(void) {
    alignas(64) CUtensorMap map;
    CUdeviceptr images;
    const cuuint64_t size[5] = {16, 7, 5, 3, 1}, pitch[4] = {64, 448, 2240, 6720};
    const cuuint32_t one[5] = {1, 1, 1, 1, 1};
    const int low[3] = {-1, -1, 0}, high[3] = {-1, -1, 0}, far[3] = {-200, 0, 0};
    OK(cuMemAlloc(&images, 6720));
    const auto encode = [&](cuuint32_t rank, const int* lower, cuuint32_t channels, cuuint32_t pixels) {
        return cuTensorMapEncodeIm2col(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, rank, (void*)images, size, pitch, lower,
                                       high, channels, pixels, one, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                       CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                       CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    };
    for (cuuint32_t rank = 3; rank <= 5; ++rank) OK(encode(rank, low, 8, 64));
    const cuuint32_t wrong_ranks[] = {0, 2, 6};
    for (cuuint32_t rank : wrong_ranks) SAME(encode(rank, low, 8, 64), CUDA_ERROR_INVALID_VALUE);
    SAME(encode(4, 0, 8, 64), CUDA_ERROR_INVALID_VALUE);
    SAME(encode(4, far, 8, 64), CUDA_ERROR_INVALID_VALUE);
    OK(encode(3, far, 8, 64));
    SAME(encode(4, low, 8, 0), CUDA_ERROR_INVALID_VALUE);
    SAME(encode(4, low, 8, 1025), CUDA_ERROR_INVALID_VALUE);
    SAME(encode(4, low, 0, 64), CUDA_ERROR_INVALID_VALUE);
    // Another array in the same map is the map that would have been made of it.
    alignas(64) CUtensorMap moved;
    OK(encode(4, low, 8, 64));
    moved = map;
    images += 64;
    OK(encode(4, low, 8, 64));
    HOLDS(memcmp(&map, &moved, sizeof map) != 0);
    OK(cuTensorMapReplaceAddress(&moved, (void*)images));
    SAME(memcmp(&map, &moved, sizeof map), 0);
    SAME(cuTensorMapReplaceAddress(&moved, (void*)(images + 8)), CUDA_ERROR_INVALID_VALUE);
    SAME(cuTensorMapReplaceAddress(0, (void*)images), CUDA_ERROR_INVALID_VALUE);
    memset(&moved, 0, sizeof moved);
    SAME(cuTensorMapReplaceAddress(&moved, (void*)images), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(images - 64));
}

int references(void) {
    Reader reader;
    CUtexref picture, same, own;
    CUsurfref surface;
    OK(cuModuleLoadData(&reader.module, kReader));
    OK(cuModuleGetFunction(&reader.sample, reader.module, "sample"));
    OK(cuModuleGetFunction(&reader.fetch, reader.module, "fetch"));
    OK(cuMemAlloc(&reader.out, 256));
    OK(cuModuleGetTexRef(&picture, reader.module, "picture"));
    OK(cuModuleGetTexRef(&same, reader.module, "picture"));
    SAME(same, picture);
    SAME(cuModuleGetTexRef(&same, reader.module, "nothing"), CUDA_ERROR_NOT_FOUND);
    SAME(cuModuleGetTexRef(&same, reader.module, "other"), CUDA_ERROR_NOT_FOUND);
    SAME(cuModuleGetTexRef(&same, reader.module, "canvas"), CUDA_ERROR_NOT_FOUND);
    SAME(cuModuleGetSurfRef(&surface, reader.module, "picture"), CUDA_ERROR_NOT_FOUND);
    SAME(cuTexRefDestroy(picture), CUDA_ERROR_INVALID_VALUE);
    SAME(cuTexRefSetFlags((CUtexref)&reader, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuParamSetTexRef(reader.sample, CU_PARAM_TR_DEFAULT, picture));
    SAME(cuParamSetTexRef(reader.sample, 3, picture), CUDA_ERROR_INVALID_VALUE);
    of_arrays(reader, picture);
    of_memory(reader, picture);
    of_levels(picture);
    of_surfaces(reader.module);
    OK(cuModuleGetSurfRef(&surface, reader.module, "canvas"));
    no_arrays(reader, picture, surface);
    OK(cuTexRefCreate(&own));
    OK(cuTexRefSetFlags(own, CU_TRSF_READ_AS_INTEGER));
    OK(cuTexRefDestroy(own));
    SAME(cuTexRefDestroy(own), CUDA_ERROR_INVALID_VALUE);
    void* unified = 0;
    SAME(cuLibraryGetUnifiedFunction(&unified, (CUlibrary)reader.module, "sample"), CUDA_ERROR_NOT_FOUND);
    size_t count = 0;
    OK(cuFuncGetParamCount(reader.sample, &count));
    SAME(count, 3);
    int supported = 1;
    OK(cuDeviceGetExecAffinitySupport(&supported, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 0));
    SAME(supported, 0);
    OK(cuModuleUnload(reader.module));
    SAME(cuTexRefSetFlags(picture, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(reader.out));
    of_objects();
    lines_in_streams();
    captures();
    shared_memory();
    pixel_maps();
    return failed;
}
