// What the management library says of the emulated device, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "warpwright/nvml.h"

extern "C" int cudaMalloc(void**, std::size_t), cudaFree(void*), cudaMemGetInfo(std::size_t*, std::size_t*);

namespace nvml_test {

class Nvml : public ::testing::Test {
protected:
    void SetUp() override {
        ASSERT_EQ(nvmlInit_v2(), NVML_SUCCESS);
        ASSERT_EQ(nvmlDeviceGetHandleByIndex_v2(0, &device), NVML_SUCCESS);
    }
    void TearDown() override { EXPECT_EQ(nvmlShutdown(), NVML_SUCCESS); }
    nvmlDevice_t device = nullptr;
    nvmlDevice_t none = reinterpret_cast<nvmlDevice_t>(&device);
};

TEST(NvmlStart, NothingIsSaidBeforeAndAfter) {
    unsigned count = 7;
    EXPECT_EQ(nvmlDeviceGetCount_v2(&count), NVML_ERROR_UNINITIALIZED);
    EXPECT_EQ(nvmlShutdown(), NVML_ERROR_UNINITIALIZED);
    EXPECT_EQ(nvmlInit(), NVML_SUCCESS);
    EXPECT_EQ(nvmlInitWithFlags(0), NVML_SUCCESS);
    EXPECT_EQ(nvmlShutdown(), NVML_SUCCESS);
    EXPECT_EQ(nvmlDeviceGetCount(&count), NVML_SUCCESS);
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(nvmlShutdown(), NVML_SUCCESS);
    EXPECT_EQ(nvmlDeviceGetCount(&count), NVML_ERROR_UNINITIALIZED);
}

TEST_F(Nvml, TheDeviceIsTheEmulatedOne) {
    char text[96];
    int major = 0, minor = 0, version = 0;
    unsigned number = 9, architecture = 0;
    EXPECT_EQ(nvmlDeviceGetName(device, text, sizeof text), NVML_SUCCESS);
    EXPECT_THAT(std::string(text), ::testing::HasSubstr("H200"));
    EXPECT_THAT(std::string(text), ::testing::HasSubstr("emulated"));
    EXPECT_EQ(nvmlDeviceGetCudaComputeCapability(device, &major, &minor), NVML_SUCCESS);
    EXPECT_EQ(major * 10 + minor, 90);
    EXPECT_EQ(nvmlDeviceGetArchitecture(device, &architecture), NVML_SUCCESS);
    EXPECT_EQ(architecture, 9u);
    EXPECT_EQ(nvmlDeviceGetIndex(device, &number), NVML_SUCCESS);
    EXPECT_EQ(number, 0u);
    EXPECT_EQ(nvmlSystemGetCudaDriverVersion_v2(&version), NVML_SUCCESS);
    EXPECT_GE(version, 13000);
    EXPECT_EQ(nvmlSystemGetDriverVersion(text, sizeof text), NVML_SUCCESS);
    EXPECT_NE(std::string(text), "");
}

TEST_F(Nvml, ItsNamesLeadBackToIt) {
    char uuid[96];
    nvmlPciInfo_t pci;
    nvmlDevice_t found = nullptr;
    ASSERT_EQ(nvmlDeviceGetUUID(device, uuid, sizeof uuid), NVML_SUCCESS);
    EXPECT_EQ(std::string(uuid).size(), 40u);
    EXPECT_EQ(nvmlDeviceGetHandleByUUID(uuid, &found), NVML_SUCCESS);
    EXPECT_EQ(found, device);
    ASSERT_EQ(nvmlDeviceGetPciInfo_v3(device, &pci), NVML_SUCCESS);
    for (const char* id : {pci.busId, pci.busIdLegacy}) {
        found = nullptr;
        EXPECT_EQ(nvmlDeviceGetHandleByPciBusId_v2(id, &found), NVML_SUCCESS) << id;
        EXPECT_EQ(found, device);
    }
    uuid[5] = uuid[5] == 'a' ? 'b' : 'a';
    EXPECT_EQ(nvmlDeviceGetHandleByUUID(uuid, &found), NVML_ERROR_NOT_FOUND);
    EXPECT_EQ(nvmlDeviceGetHandleByPciBusId_v2("0000:FF:00.0", &found), NVML_ERROR_NOT_FOUND);
}

// Kernel Tuner takes the bytes for a text of 16 characters.
TEST_F(Nvml, TheUuidHasSixteenBytesAndNoZero) {
    char uuid[96];
    ASSERT_EQ(nvmlDeviceGetUUID(device, uuid, sizeof uuid), NVML_SUCCESS);
    std::string digits(uuid + 4);
    digits.erase(std::remove(digits.begin(), digits.end(), '-'), digits.end());
    ASSERT_EQ(digits.size(), 32u);
    for (std::size_t k = 0; k < digits.size(); k += 2) EXPECT_NE(digits.substr(k, 2), "00") << uuid;
}

TEST_F(Nvml, MemoryInUseIsWhatTheProcessHasAllocated) {
    nvmlMemory_t before, after;
    nvmlMemory_v2_t second;
    void* memory = nullptr;
    std::size_t free_bytes = 0, total = 0;
    ASSERT_EQ(nvmlDeviceGetMemoryInfo(device, &before), NVML_SUCCESS);
    ASSERT_EQ(cudaMalloc(&memory, 1 << 20), 0);
    ASSERT_EQ(nvmlDeviceGetMemoryInfo(device, &after), NVML_SUCCESS);
    EXPECT_EQ(after.used - before.used, 1ull << 20);
    EXPECT_EQ(after.total, after.used + after.free);
    ASSERT_EQ(cudaMemGetInfo(&free_bytes, &total), 0);
    EXPECT_EQ(after.total, total);
    EXPECT_EQ(after.free, free_bytes);
    second.version = sizeof second | 2u << 24;
    ASSERT_EQ(nvmlDeviceGetMemoryInfo_v2(device, &second), NVML_SUCCESS);
    EXPECT_EQ(second.used, after.used);
    second.version = 1;
    EXPECT_EQ(nvmlDeviceGetMemoryInfo_v2(device, &second), NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
    ASSERT_EQ(cudaFree(memory), 0);
}

TEST_F(Nvml, ThisProcessUsesTheDeviceOnceItHasMemory) {
    void* memory = nullptr;
    unsigned count = 0;
    nvmlProcessInfo_v1_t first{};
    nvmlProcessInfo_t process{};
    ASSERT_EQ(cudaMalloc(&memory, 1 << 20), 0);
    EXPECT_EQ(nvmlDeviceGetComputeRunningProcesses_v3(device, &count, nullptr), NVML_ERROR_INSUFFICIENT_SIZE);
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(nvmlDeviceGetComputeRunningProcesses_v3(device, &count, &process), NVML_SUCCESS);
    EXPECT_EQ(process.pid, static_cast<unsigned>(::getpid()));
    EXPECT_GE(process.usedGpuMemory, 1ull << 20);
    EXPECT_EQ(process.gpuInstanceId, ~0u);
    count = 1;
    EXPECT_EQ(nvmlDeviceGetComputeRunningProcesses(device, &count, &first), NVML_SUCCESS);
    EXPECT_EQ(first.usedGpuMemory, process.usedGpuMemory);
    EXPECT_EQ(nvmlDeviceGetComputeRunningProcesses(device, nullptr, &first), NVML_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(nvmlDeviceGetComputeRunningProcesses(none, &count, &first), NVML_ERROR_INVALID_ARGUMENT);
    ASSERT_EQ(cudaFree(memory), 0);
}

TEST_F(Nvml, TheLinkToTheHostIsTheModels) {
    unsigned generation = 0, lanes = 0, same = 0;
    EXPECT_EQ(nvmlDeviceGetMaxPcieLinkGeneration(device, &generation), NVML_SUCCESS);
    EXPECT_EQ(generation, 5u);
    EXPECT_EQ(nvmlDeviceGetMaxPcieLinkWidth(device, &lanes), NVML_SUCCESS);
    EXPECT_EQ(lanes, 16u);
    EXPECT_EQ(nvmlDeviceGetCurrPcieLinkGeneration(device, &same), NVML_SUCCESS);
    EXPECT_EQ(same, generation);
    EXPECT_EQ(nvmlDeviceGetCurrPcieLinkWidth(device, &same), NVML_SUCCESS);
    EXPECT_EQ(same, lanes);
    EXPECT_EQ(nvmlDeviceGetMaxPcieLinkWidth(none, &lanes), NVML_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(nvmlDeviceGetMaxPcieLinkWidth(device, nullptr), NVML_ERROR_INVALID_ARGUMENT);
}

TEST_F(Nvml, WhatADeviceDoesNotHaveIsNotSupported) {
    unsigned value[4] = {0};
    EXPECT_EQ(nvmlDeviceGetTemperature(device, 0, value), NVML_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(nvmlDeviceGetUtilizationRates(device, value), NVML_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(nvmlDeviceGetPowerUsage(device, value), NVML_ERROR_NOT_SUPPORTED);
    // PyTorch looks for this one before it says that the memory does not suffice.
    EXPECT_EQ(nvmlDeviceGetNvLinkRemoteDeviceType(device, 0, value), NVML_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(nvmlDeviceGetPowerUsage(none, value), NVML_ERROR_INVALID_ARGUMENT);
}

TEST_F(Nvml, WrongUsesAreRefused) {
    char text[8];
    int major = 0;
    nvmlDevice_t found = nullptr;
    EXPECT_EQ(nvmlDeviceGetName(device, text, sizeof text), NVML_ERROR_INSUFFICIENT_SIZE);
    EXPECT_EQ(nvmlDeviceGetName(device, nullptr, 96), NVML_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(nvmlDeviceGetName(nullptr, text, sizeof text), NVML_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(nvmlDeviceGetName(none, text, sizeof text), NVML_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(nvmlDeviceGetMemoryInfo(device, nullptr), NVML_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(nvmlDeviceGetMemoryInfo_v2(device, nullptr), NVML_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(nvmlDeviceGetCudaComputeCapability(device, &major, nullptr), NVML_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(nvmlDeviceGetHandleByIndex_v2(1, &found), NVML_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(nvmlDeviceGetHandleByIndex_v2(0, nullptr), NVML_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(nvmlDeviceGetHandleByUUID(nullptr, &found), NVML_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(nvmlDeviceGetCount_v2(nullptr), NVML_ERROR_INVALID_ARGUMENT);
    EXPECT_STREQ(nvmlErrorString(NVML_SUCCESS), "Success");
}

}  // namespace nvml_test
