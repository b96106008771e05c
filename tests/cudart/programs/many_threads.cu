// Sixteen threads that call the library's functions in an order drawn for each, on objects of their own and on objects
// that all of them share. What each answers is right or an error; the process and what a thread owns stay whole. It is
// made to run under ThreadSanitizer as well.
#include <atomic>
#include <random>
#include <thread>
#include <vector>
#include "check.h"

constexpr int kThreads = 16, kSteps = 150;

__global__ void add(int* x) { atomicAdd(x, 1); }

/// What all threads have.
static std::atomic<cudaMemPool_t> shared_pool;
static std::atomic<cudaStream_t> shared_stream;
static std::atomic<cudaEvent_t> shared_event;
static std::atomic<cudaGraphExec_t> shared_exec;
static std::atomic<cudaUserObject_t> shared_object;
static std::atomic<int> destroyed{0};
static int* counter;
static std::atomic<int> added{0};

static cudaMemPool_t new_pool() {
    cudaMemPoolProps p = {};
    p.allocType = cudaMemAllocationTypePinned;
    p.location.type = cudaMemLocationTypeDevice;
    cudaMemPool_t pool;
    OK(cudaMemPoolCreate(&pool, &p));
    return pool;
}

static void step(unsigned which, cudaStream_t own, std::mt19937& random) {
    void* memory = nullptr;
    int value = 0;
    switch (which) {
        case 0:
            OK(cudaMallocAsync(&memory, 400, own));
            OK(cudaMemsetAsync(memory, 7, 400, own));
            OK(cudaFreeAsync(memory, own));
            break;
        case 1:
            OK(cudaMalloc(&memory, 64));
            value = 5;
            OK(cudaMemcpy(memory, &value, sizeof value, cudaMemcpyHostToDevice));
            value = 0;
            OK(cudaMemcpy(&value, memory, sizeof value, cudaMemcpyDeviceToHost));
            CHECK(value == 5);
            OK(cudaFree(memory));
            break;
        case 2:
            if (cudaMallocFromPoolAsync(&memory, 100, shared_pool, own) == cudaSuccess) OK(cudaFreeAsync(memory, own));
            break;
        case 3:  // whoever comes first destroys it; the others' handles are stale
            if (auto pool = shared_pool.load(); random() % 8 == 0 && cudaMemPoolDestroy(pool) == cudaSuccess)
                shared_pool = new_pool();
            break;
        case 4: {
            unsigned long long bytes;
            (void)cudaMemPoolGetAttribute(shared_pool, cudaMemPoolAttrUsedMemCurrent, &bytes);
            cudaMemPool_t pool;
            OK(cudaDeviceGetDefaultMemPool(&pool, 0));
            OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &bytes));
            break;
        }
        case 5:
            (void)cudaGetLastError();  // of calls with pools that another thread has destroyed
            add<<<1, 1, 0, own>>>(counter);
            OK(cudaGetLastError());
            ++added;
            break;
        case 6: {
            cudaEvent_t event;
            OK(cudaEventCreate(&event));
            OK(cudaEventRecord(event, own));
            OK(cudaStreamWaitEvent(own, event, 0));
            OK(cudaEventSynchronize(event));
            OK(cudaEventDestroy(event));
            CHECK(cudaEventDestroy(event) != cudaSuccess);
            break;
        }
        case 7:
            (void)cudaEventRecord(shared_event, own);
            (void)cudaEventQuery(shared_event);
            if (auto event = shared_event.load(); random() % 8 == 0 && cudaEventDestroy(event) == cudaSuccess) {
                cudaEvent_t next;
                OK(cudaEventCreate(&next));
                shared_event = next;
            }
            break;
        case 8: {
            cudaStream_t stream;
            OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
            OK(cudaStreamQuery(stream));  // nothing is queued in it
            OK(cudaStreamDestroy(stream));
            break;
        }
        case 9:
            (void)cudaMemsetAsync(counter + 1, 0, 4, shared_stream);
            if (auto s = shared_stream.load(); random() % 8 == 0 && cudaStreamDestroy(s) == cudaSuccess) {
                cudaStream_t next;
                OK(cudaStreamCreate(&next));
                shared_stream = next;
            }
            break;
        case 10: {
            cudaGraph_t graph;
            cudaGraphNode_t node;
            cudaGraphExec_t exec;
            OK(cudaGraphCreate(&graph, 0));
            OK(cudaGraphAddEmptyNode(&node, graph, nullptr, 0));
            OK(cudaGraphInstantiate(&exec, graph, 0));
            OK(cudaGraphLaunch(exec, own));
            if (auto old = shared_exec.exchange(exec)) OK(cudaGraphExecDestroy(old));
            OK(cudaGraphDestroy(graph));
            break;
        }
        case 11:
            (void)cudaGraphLaunch(shared_exec, own);
            break;
        case 12:
            if (cudaUserObjectRetain(shared_object, 1) == cudaSuccess) OK(cudaUserObjectRelease(shared_object, 1));
            break;
        case 13:
            OK(cudaStreamSynchronize(own));
            break;
        case 14: {
            cudaFuncAttributes attributes;
            OK(cudaFuncGetAttributes(&attributes, add));
            size_t free, total;
            OK(cudaMemGetInfo(&free, &total));
            break;
        }
        case 15: {
            cudaArray_t array;
            const auto format = cudaCreateChannelDesc<float>();
            OK(cudaMallocArray(&array, &format, 16, 16));
            OK(cudaFreeArray(array));
            CHECK(cudaFreeArray(array) != cudaSuccess);
            (void)cudaGetLastError();
            break;
        }
    }
}

int main() {
    OK(cudaMalloc(&counter, 8));
    OK(cudaMemset(counter, 0, 8));
    shared_pool = new_pool();
    cudaStream_t stream;
    cudaEvent_t event;
    cudaUserObject_t object;
    OK(cudaStreamCreate(&stream));
    OK(cudaEventCreate(&event));
    OK(cudaUserObjectCreate(&object, nullptr, [](void*) { ++destroyed; }, 1, cudaUserObjectNoDestructorSync));
    shared_stream = stream, shared_event = event, shared_object = object;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
        threads.emplace_back([t] {
            std::mt19937 random(1234u + static_cast<unsigned>(t));
            cudaStream_t own;
            OK(cudaStreamCreate(&own));
            for (int k = 0; k < kSteps; ++k) step(random() % 16, own, random);
            OK(cudaStreamSynchronize(own));
            OK(cudaStreamDestroy(own));
        });
    for (auto& t : threads) t.join();
    OK(cudaDeviceSynchronize());
    int sum = 0;
    OK(cudaMemcpy(&sum, counter, sizeof sum, cudaMemcpyDeviceToHost));
    CHECK(sum == added);
    OK(cudaUserObjectRelease(shared_object, 1));
    CHECK(destroyed == 1);
    std::puts("passed");
}
