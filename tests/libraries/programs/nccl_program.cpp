// A program of NCCL that checks itself: each exchange between two devices of one process, and between two processes
// with a device each, against sums by the host. It passes with NVIDIA's library on two GPUs too.
#include <cuda_runtime_api.h>
#include <nccl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

static int failures;
static void expect(bool good, const char* what, long a = 0, long b = 0) {
    if (!good) printf("failed: %s (%ld, %ld)\n", what, a, b), ++failures;
}
#define OK(call)                                                \
    do {                                                        \
        const ncclResult_t got = (call);                        \
        if (got != ncclSuccess) {                               \
            printf("%s: %s\n", #call, ncclGetErrorString(got)); \
            exit(1);                                            \
        }                                                       \
    } while (0)
#define CUDA(call)                                              \
    do {                                                        \
        const cudaError_t got = (call);                         \
        if (got != cudaSuccess) {                               \
            printf("%s: %s\n", #call, cudaGetErrorString(got)); \
            exit(1);                                            \
        }                                                       \
    } while (0)

constexpr int kRanks = 2;
constexpr size_t kCount = 1000;
constexpr size_t kMany = 300001;  // more than is handed over at a time

/// What one rank has: its communicator, its two streams, two buffers.
struct Rank {
    int device = 0, rank = 0;
    ncclComm_t comm = nullptr;
    cudaStream_t stream = nullptr, other = nullptr;
    char *in = nullptr, *out = nullptr;
    static constexpr size_t kBytes = 2 * kMany * 4;
    static_assert(kBytes >= kRanks * kCount * 8);

    void start() {
        CUDA(cudaSetDevice(device));
        CUDA(cudaStreamCreate(&stream));
        CUDA(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
        CUDA(cudaMalloc((void**)&in, kBytes));
        CUDA(cudaMalloc((void**)&out, kBytes));
        CUDA(cudaMemset(out, 0, kBytes));
        CUDA(cudaDeviceSynchronize());
    }
    void end() {
        CUDA(cudaSetDevice(device));
        CUDA(cudaFree(in));
        CUDA(cudaFree(out));
        CUDA(cudaStreamDestroy(stream));
        CUDA(cudaStreamDestroy(other));
    }
    template <class T>
    void give(const std::vector<T>& data) {
        CUDA(cudaSetDevice(device));
        CUDA(cudaMemcpy(in, data.data(), data.size() * sizeof(T), cudaMemcpyHostToDevice));
        CUDA(cudaMemset(out, 0, kRanks * data.size() * sizeof(T)));
        CUDA(cudaDeviceSynchronize());
    }
    template <class T>
    std::vector<T> take(size_t count, bool in_place = false) {
        std::vector<T> data(count);
        CUDA(cudaSetDevice(device));
        CUDA(cudaStreamSynchronize(stream));
        CUDA(cudaMemcpy(data.data(), in_place ? in : out, count * sizeof(T), cudaMemcpyDeviceToHost));
        return data;
    }
};

/// Small whole numbers, so that sums and products are exact in every type.
template <class T>
T element(int rank, size_t i) {
    return T(1 + (i * 7 + size_t(rank) * 3) % 5);
}

template <class T>
T combined(ncclRedOp_t op, T a, T b) {
    switch (op) {
        case ncclSum:
            return T(a + b);
        case ncclProd:
            return T(a * b);
        case ncclMax:
            return a < b ? b : a;
        case ncclMin:
            return a < b ? a : b;
        default:
            return T((a + b) / 2);
    }
}

using Ranks = std::vector<Rank>;
static void all(Ranks& ranks, const std::function<ncclResult_t(Rank&)>& call) {
    OK(ncclGroupStart());
    for (Rank& r : ranks) {
        CUDA(cudaSetDevice(r.device));
        OK(call(r));
    }
    OK(ncclGroupEnd());
}

template <class T>
static std::vector<T> numbers(int rank, size_t count) {
    std::vector<T> out;
    for (size_t i = 0; i < count; ++i) out.push_back(element<T>(rank, i));
    return out;
}

template <class T>
static void reductions(Ranks& ranks, ncclDataType_t type) {
    for (ncclRedOp_t op : {ncclSum, ncclProd, ncclMax, ncclMin, ncclAvg}) {
        for (Rank& r : ranks) r.give(numbers<T>(r.rank, kCount));
        all(ranks, [&](Rank& r) { return ncclAllReduce(r.in, r.out, kCount, type, op, r.comm, r.stream); });
        for (Rank& r : ranks) {
            const auto got = r.take<T>(kCount);
            long wrong = 0;
            for (size_t i = 0; i < kCount; ++i) wrong += got[i] != combined(op, element<T>(0, i), element<T>(1, i));
            expect(wrong == 0, "all_reduce", type, op);
        }
        all(ranks, [&](Rank& r) { return ncclReduce(r.in, r.out, kCount, type, op, 1, r.comm, r.stream); });
        all(ranks, [&](Rank& r) { return ncclReduceScatter(r.in, r.out, kCount / 2, type, op, r.comm, r.stream); });
        for (Rank& r : ranks) {
            const auto got = r.take<T>(kCount / 2);
            long wrong = 0;
            for (size_t i = 0; i < kCount / 2; ++i) {
                const size_t j = i + size_t(r.rank) * kCount / 2;
                wrong += got[i] != combined(op, element<T>(0, j), element<T>(1, j));
            }
            expect(wrong == 0, "reduce_scatter", type, op);
        }
        // In place, and to one rank alone.
        all(ranks, [&](Rank& r) { return ncclReduce(r.in, r.in, kCount, type, op, 1, r.comm, r.stream); });
        for (Rank& r : ranks) {
            const auto got = r.take<T>(kCount, true);
            long wrong = 0;
            for (size_t i = 0; i < kCount && r.rank == 1; ++i)
                wrong += got[i] != combined(op, element<T>(0, i), element<T>(1, i));
            expect(wrong == 0, "reduce in place", type, op);
        }
    }
}

static void moves(Ranks& ranks) {
    using T = int32_t;
    for (Rank& r : ranks) r.give(numbers<T>(r.rank, kCount));
    all(ranks, [&](Rank& r) { return ncclBroadcast(r.in, r.out, kCount, ncclInt32, 1, r.comm, r.stream); });
    for (Rank& r : ranks) expect(r.take<T>(kCount) == numbers<T>(1, kCount), "broadcast", r.rank);
    all(ranks, [&](Rank& r) { return ncclAllGather(r.in, r.out, kCount, ncclInt32, r.comm, r.stream); });
    auto both = numbers<T>(0, kCount);
    const auto second = numbers<T>(1, kCount);
    both.insert(both.end(), second.begin(), second.end());
    for (Rank& r : ranks) expect(r.take<T>(2 * kCount) == both, "all_gather", r.rank);
    // Parts for each rank, and parts of one that is the root.
    constexpr size_t kPart = kCount / 2;
    all(ranks, [&](Rank& r) { return ncclAlltoAll(r.in, r.out, kPart, ncclInt32, r.comm, r.stream); });
    for (Rank& r : ranks) {
        std::vector<T> wanted;
        for (int from = 0; from < kRanks; ++from)
            for (size_t k = 0; k < kPart; ++k) wanted.push_back(element<T>(from, size_t(r.rank) * kPart + k));
        expect(r.take<T>(kRanks * kPart) == wanted, "all to all", r.rank);
    }
    all(ranks, [&](Rank& r) { return ncclGather(r.in, r.out, kCount, ncclInt32, 1, r.comm, r.stream); });
    for (Rank& r : ranks)
        if (r.rank == 1) expect(r.take<T>(2 * kCount) == both, "gather", r.rank);
    all(ranks, [&](Rank& r) { return ncclScatter(r.in, r.out, kPart, ncclInt32, 1, r.comm, r.stream); });
    for (Rank& r : ranks) {
        const auto first = second.begin() + long(size_t(r.rank) * kPart);
        expect(r.take<T>(kPart) == std::vector<T>(first, first + long(kPart)), "scatter", r.rank);
    }
    // Each sends to the other and receives from it, and to itself.
    OK(ncclGroupStart());
    for (Rank& r : ranks) {
        OK(ncclSend(r.in, kCount, ncclInt32, 1 - r.rank, r.comm, r.stream));
        OK(ncclRecv(r.out, kCount, ncclInt32, 1 - r.rank, r.comm, r.stream));
        OK(ncclSend(r.in, kCount, ncclInt32, r.rank, r.comm, r.stream));
        OK(ncclRecv(r.out + kCount * sizeof(T), kCount, ncclInt32, r.rank, r.comm, r.stream));
    }
    OK(ncclGroupEnd());
    for (Rank& r : ranks) {
        auto wanted = numbers<T>(1 - r.rank, kCount);
        const auto own = numbers<T>(r.rank, kCount);
        wanted.insert(wanted.end(), own.begin(), own.end());
        expect(r.take<T>(2 * kCount) == wanted, "send and recv", r.rank);
    }
}

static void halves(Ranks& ranks) {
    // 1.5 and 0.25 in half and in bfloat16.
    const uint16_t of_half[] = {0x3E00, 0x3400, 0x3F00}, of_bfloat[] = {0x3FC0, 0x3E80, 0x3FE0};
    for (const auto& [type, word] : {std::pair{ncclFloat16, of_half}, {ncclBfloat16, of_bfloat}}) {
        for (Rank& r : ranks) r.give(std::vector<uint16_t>(kCount, word[r.rank]));
        all(ranks,
            [&, type = type](Rank& r) { return ncclAllReduce(r.in, r.out, kCount, type, ncclSum, r.comm, r.stream); });
        for (Rank& r : ranks)
            expect(r.take<uint16_t>(kCount) == std::vector<uint16_t>(kCount, word[2]), "halves", type);
    }
}

/// Counts that are handed over in pieces; one communicator in two streams.
static void many(Ranks& ranks) {
    using T = int32_t;
    std::vector<T> sums, products;
    for (size_t i = 0; i < kMany; ++i) {
        sums.push_back(element<T>(0, i) + element<T>(1, i));
        products.push_back(element<T>(0, i) * element<T>(1, i));
    }
    // One after the other without a wait in between.
    for (Rank& r : ranks) r.give(numbers<T>(r.rank, kMany));
    all(ranks, [](Rank& r) { return ncclAllReduce(r.in, r.out, kMany, ncclInt32, ncclSum, r.comm, r.stream); });
    all(ranks, [](Rank& r) {
        return ncclAllReduce(r.in, r.out + kMany * sizeof(T), kMany, ncclInt32, ncclProd, r.comm, r.other);
    });
    auto wanted = sums;
    wanted.insert(wanted.end(), products.begin(), products.end());
    for (Rank& r : ranks) {
        CUDA(cudaSetDevice(r.device));
        CUDA(cudaStreamSynchronize(r.other));
        expect(r.take<T>(2 * kMany) == wanted, "all_reduce in two streams", r.rank);
    }
    // A group in two streams: each of them goes on behind all of it.
    for (Rank& r : ranks) r.give(numbers<T>(r.rank, kMany));
    OK(ncclGroupStart());
    for (Rank& r : ranks) {
        CUDA(cudaSetDevice(r.device));
        OK(ncclSend(r.in, kMany, ncclInt32, 1 - r.rank, r.comm, r.stream));
        OK(ncclRecv(r.out, kMany, ncclInt32, 1 - r.rank, r.comm, r.other));
    }
    OK(ncclGroupEnd());
    for (Rank& r : ranks)
        expect(r.take<T>(kMany) == numbers<T>(1 - r.rank, kMany), "send and recv in two streams", r.rank);
}

/// Exchanges of all ranks here that are captured into one graph, whose launches repeat them.
static void in_graphs(Ranks& ranks) {
    using T = int32_t;
    for (Rank& r : ranks) r.give(numbers<T>(r.rank, kCount));
    Rank& first = ranks.front();
    std::vector<cudaEvent_t> events;
    const auto follow = [&](Rank& from, Rank& to) {
        CUDA(cudaSetDevice(from.device));
        CUDA(cudaEventCreateWithFlags(&events.emplace_back(), cudaEventDisableTiming));
        CUDA(cudaEventRecord(events.back(), from.stream));
        CUDA(cudaSetDevice(to.device));
        CUDA(cudaStreamWaitEvent(to.stream, events.back(), 0));
    };
    CUDA(cudaSetDevice(first.device));
    CUDA(cudaStreamBeginCapture(first.stream, cudaStreamCaptureModeRelaxed));
    for (Rank& r : ranks)
        if (&r != &first) follow(first, r);
    // The sum, and then the sum of sums.
    all(ranks, [](Rank& r) { return ncclAllReduce(r.in, r.out, kCount, ncclInt32, ncclSum, r.comm, r.stream); });
    all(ranks, [](Rank& r) { return ncclAllReduce(r.out, r.in, kCount, ncclInt32, ncclSum, r.comm, r.stream); });
    for (Rank& r : ranks)
        if (&r != &first) follow(r, first);
    CUDA(cudaSetDevice(first.device));
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA(cudaStreamEndCapture(first.stream, &graph));
    for (Rank& r : ranks)
        expect(r.take<T>(kCount, true) == numbers<T>(r.rank, kCount), "nothing before it is launched");
    CUDA(cudaSetDevice(first.device));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    for (int launches = 1; launches <= 2; ++launches) {
        CUDA(cudaSetDevice(first.device));
        CUDA(cudaGraphLaunch(exec, first.stream));
        CUDA(cudaStreamSynchronize(first.stream));
        std::vector<T> wanted;
        for (size_t i = 0; i < kCount; ++i)
            wanted.push_back((launches == 1 ? 2 : 8) * (element<T>(0, i) + element<T>(1, i)));
        for (Rank& r : ranks) expect(r.take<T>(kCount, true) == wanted, "a graph's exchanges", launches, r.rank);
    }
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    for (auto event : events) CUDA(cudaEventDestroy(event));
}

static void everything(Ranks& ranks) {
    reductions<int8_t>(ranks, ncclInt8);
    reductions<uint8_t>(ranks, ncclUint8);
    reductions<int32_t>(ranks, ncclInt32);
    reductions<uint32_t>(ranks, ncclUint32);
    reductions<int64_t>(ranks, ncclInt64);
    reductions<uint64_t>(ranks, ncclUint64);
    reductions<float>(ranks, ncclFloat32);
    reductions<double>(ranks, ncclFloat64);
    halves(ranks);
    moves(ranks);
    many(ranks);
    in_graphs(ranks);
}

static void facts(const Rank& r, int device) {
    int value = -1;
    OK(ncclCommCount(r.comm, &value));
    expect(value == kRanks, "count", value);
    OK(ncclCommUserRank(r.comm, &value));
    expect(value == r.rank, "rank", value);
    OK(ncclCommCuDevice(r.comm, &value));
    expect(value == device, "device", value);
    ncclResult_t state = ncclInternalError;
    OK(ncclCommGetAsyncError(r.comm, &state));
    expect(state == ncclSuccess, "state");
}

static int one_process() {
    Ranks ranks(kRanks);
    ncclComm_t comms[kRanks];
    OK(ncclCommInitAll(comms, kRanks, nullptr));
    for (int k = 0; k < kRanks; ++k) {
        ranks[size_t(k)].device = ranks[size_t(k)].rank = k, ranks[size_t(k)].comm = comms[k];
        ranks[size_t(k)].start();
        facts(ranks[size_t(k)], k);
    }
    everything(ranks);
    Rank& r = ranks[0];
    CUDA(cudaSetDevice(0));
    expect(ncclAllReduce(r.in, r.out, 1, ncclInt32, ncclSum, nullptr, r.stream) == ncclInvalidArgument,
           "no communicator");
    expect(ncclBroadcast(r.in, r.out, 1, ncclInt32, 2, r.comm, r.stream) == ncclInvalidArgument, "no such root");
    expect(ncclAllReduce(r.in, r.out, 1, ncclDataType_t(99), ncclSum, r.comm, r.stream) == ncclInvalidArgument,
           "no such type");
    for (Rank& each : ranks) {
        OK(ncclCommDestroy(each.comm));
        each.end();
    }
    return failures;
}

/// One of two processes, which has the identifier from a pipe.
static int one_rank(int rank, const ncclUniqueId& id) {
    Ranks ranks(1);
    Rank& r = ranks[0];
    r.device = r.rank = rank;
    CUDA(cudaSetDevice(rank));
    OK(ncclCommInitRank(&r.comm, kRanks, id, rank));
    r.start();
    facts(r, rank);
    everything(ranks);
    OK(ncclCommDestroy(r.comm));
    r.end();
    return failures;
}

static int start_rank(const char* program, int rank, const ncclUniqueId& id) {
    int ends[2];
    if (pipe(ends) != 0) exit(1);
    const int child = fork();
    if (child == 0) {
        dup2(ends[0], 0);
        close(ends[1]);
        const char number[2] = {char('0' + rank), 0};
        execl(program, program, number, nullptr);
        _exit(127);
    }
    close(ends[0]);
    if (write(ends[1], &id, sizeof id) != ssize_t(sizeof id)) exit(1);
    close(ends[1]);
    return child;
}

int main(int words, char** word) {
    if (words > 1) {
        ncclUniqueId id;
        if (read(0, &id, sizeof id) != ssize_t(sizeof id)) return 1;
        return one_rank(atoi(word[1]), id);
    }
    int version = 0;
    OK(ncclGetVersion(&version));
    expect(version >= 22000, "version", version);
    const int failed = one_process();
    ncclUniqueId id;
    OK(ncclGetUniqueId(&id));
    int children[kRanks];
    for (int rank = 0; rank < kRanks; ++rank) children[rank] = start_rank("/proc/self/exe", rank, id);
    bool good = failed == 0;
    // Whichever ends first: where one fails the other may wait for it without end.
    for (int left = kRanks; left > 0;) {
        int status = 0;
        const int ended = wait(&status);
        if (ended < 0) return 1;
        for (int& child : children) {
            if (child != ended) continue;
            child = 0, --left;
            if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
            good = false;
            for (int other : children)
                if (other) kill(other, SIGKILL);
        }
    }
    printf(good ? "passed\n" : "failed\n");
    return good ? 0 : 1;
}
