// What the model does not give gets the value that is common to current GPUs. Attributes follow from the same structure
// by a list, so that the two queries cannot disagree.
#include "cudart/state/properties.hpp"

#include <cstdio>
#include <cstring>

#include "cudart/state/runtime.hpp"

namespace warpwright::cudart {

void fill_properties(cudaDeviceProp& p, int device) {
    fill_properties_of(p, Runtime::get().visible()[static_cast<unsigned>(device)]);
}

cudaUUID_t uuid_of(unsigned number) {
    // Clients read its bytes as a text of 16 characters, so none of them is zero.
    cudaUUID_t uuid;
    char text[sizeof uuid.bytes + 1];
    std::snprintf(text, sizeof text, "warpwright-%05u", number % 100000);
    std::memcpy(uuid.bytes, text, sizeof uuid.bytes);
    return uuid;
}

std::string text_of(const cudaUUID_t& uuid) {
    std::string text = "GPU";
    char digits[3];
    for (unsigned k = 0; k < sizeof uuid.bytes; ++k) {
        if (k == 0 || k == 4 || k == 6 || k == 8 || k == 10) text += '-';
        std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(uuid.bytes[k]));
        text += digits;
    }
    return text;
}

void fill_properties_of(cudaDeviceProp& p, unsigned number) {
    auto& runtime = Runtime::get();
    const auto& m = runtime.model();
    const auto& l = m.limits;
    std::memset(&p, 0, sizeof p);
    const auto or_else = [](auto value, auto other) {
        return static_cast<int>(value ? value : static_cast<decltype(value)>(other));
    };
    std::snprintf(p.name, sizeof p.name, "%s (emulated by Warpwright)", m.title.c_str());
    p.uuid = uuid_of(number);
    p.totalGlobalMem = runtime.memory_size();
    p.sharedMemPerBlock = l.shared_per_block ? l.shared_per_block : 48 * 1024;
    p.regsPerBlock = or_else(l.registers_per_block, 65536);
    p.warpSize = 32;
    p.memPitch = 2147483647;
    p.maxThreadsPerBlock = or_else(l.threads_per_block, 1024);
    const int block[3] = {or_else(l.block_x, 1024), or_else(l.block_y, 1024), or_else(l.block_z, 64)};
    const int grid[3] = {or_else(l.grid_x, 2147483647u), or_else(l.grid_y, 65535), or_else(l.grid_z, 65535)};
    for (int k = 0; k < 3; ++k) p.maxThreadsDim[k] = block[k], p.maxGridSize[k] = grid[k];
    p.totalConstMem = l.constant ? l.constant : 65536;
    p.major = m.compute_capability / 10, p.minor = m.compute_capability % 10;
    p.textureAlignment = 512, p.texturePitchAlignment = 32, p.surfaceAlignment = 512;
    p.multiProcessorCount = or_else(m.sm.multiprocessors, 132);
    p.canMapHostMemory = p.concurrentKernels = p.unifiedAddressing = p.managedMemory = 1;
    p.maxTexture1D = 131072, p.maxTexture1DMipmap = 32768, p.maxTexture1DLinear = 268435456;
    p.maxTexture2D[0] = 131072, p.maxTexture2D[1] = 65536;
    p.maxTexture2DLinear[0] = 131072, p.maxTexture2DLinear[1] = 65000, p.maxTexture2DLinear[2] = 2097120;
    p.maxTexture2DGather[0] = p.maxTexture2DGather[1] = 32768;
    for (int k = 0; k < 3; ++k) p.maxTexture3D[k] = 16384;
    p.maxTexture2DMipmap[0] = p.maxTexture2DMipmap[1] = 32768;
    p.maxTexture3DAlt[0] = p.maxTexture3DAlt[1] = 8192, p.maxTexture3DAlt[2] = 32768;
    p.maxTextureCubemap = p.maxTextureCubemapLayered[0] = p.maxSurfaceCubemap = p.maxSurfaceCubemapLayered[0] = 32768;
    p.maxTextureCubemapLayered[1] = p.maxSurfaceCubemapLayered[1] = 2046;
    p.maxSurface1DLayered[0] = p.maxSurface2DLayered[0] = p.maxSurface2DLayered[1] = 32768;
    p.maxSurface1DLayered[1] = p.maxSurface2DLayered[2] = 2048;
    p.maxTexture1DLayered[0] = 32768, p.maxTexture1DLayered[1] = 2048;
    p.maxTexture2DLayered[0] = p.maxTexture2DLayered[1] = 32768, p.maxTexture2DLayered[2] = 2048;
    p.maxSurface1D = 32768, p.maxSurface2D[0] = 131072, p.maxSurface2D[1] = 65536;
    for (int k = 0; k < 3; ++k) p.maxSurface3D[k] = 16384;
    p.pciBusID = static_cast<int>(number) + 1;
    p.asyncEngineCount = 3;
    p.memoryBusWidth = static_cast<int>(m.memory.bus);
    p.l2CacheSize = static_cast<int>(m.cache.l2);
    p.persistingL2CacheMaxSize = static_cast<int>(m.cache.l2 / 4 * 3);
    p.accessPolicyMaxWindowSize = 128 << 20;
    p.maxThreadsPerMultiProcessor = or_else(l.threads_per_sm, 2048);
    p.streamPrioritiesSupported = p.globalL1CacheSupported = p.localL1CacheSupported = 1;
    p.sharedMemPerMultiprocessor = l.shared_per_sm;
    p.regsPerMultiprocessor = or_else(l.registers_per_sm, 65536);
    p.multiGpuBoardGroupID = static_cast<int>(number);
    // Managed memory is the host's memory here: both sides may access it at any time.
    p.concurrentManagedAccess = p.computePreemptionSupported = p.canUseHostPointerForRegisteredMem =
        p.cooperativeLaunch = 1;
    p.directManagedMemAccessFromHost = 1;
    p.sharedMemPerBlockOptin = l.shared_per_block_optin ? l.shared_per_block_optin : p.sharedMemPerBlock;
    p.maxBlocksPerMultiProcessor = or_else(l.blocks_per_sm, 32);
    p.reservedSharedMemPerBlock = m.allocation.reserved_shared;
    p.hostRegisterSupported = p.memoryPoolsSupported = 1;
    p.clusterLaunch = m.compute_capability >= 90;
    p.hostNumaId = -1, p.deviceNumaId = -1;
    const double clock = m.clocks.boost > 0 ? m.clocks.boost : m.clocks.bound;
    p.clockRate = static_cast<int>(clock / 1e3);
    p.memoryClockRate = static_cast<int>(m.clocks.memory / 1e3);
    p.deviceOverlap = 1;
    p.singleToDoublePrecisionPerfRatio = m.units.fp64 > 0 ? static_cast<int>(m.units.fp32 / m.units.fp64) : 32;
}

bool attribute_of(cudaDeviceAttr attribute, int device, int& value) {
    cudaDeviceProp p;
    fill_properties(p, device);
    switch (static_cast<int>(attribute)) {
#define WW_ATTRIBUTE(name, member)          \
    case cudaDevAttr##name:                 \
        value = static_cast<int>(p.member); \
        return true;
#include "cudart/state/device_attributes.inc"
#undef WW_ATTRIBUTE
        case cudaDevAttrHostMemoryPoolsSupported:
        case cudaDevAttrHostNumaMemoryPoolsSupported:
            value = 1;
            return true;
        default:
            break;
    }
    // The other attributes are of no use here, so they are 0.
    value = 0;
    return attribute > 0 && attribute < cudaDevAttrMax;
}

}  // namespace warpwright::cudart
