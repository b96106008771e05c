// What running captures of streams forbid, to whom, and what becomes of a capture whose rules were broken.
#include <thread>

#include "check.h"

__global__ void add(int* x, int v) { *x += v; }

static int* x;
static cudaStream_t blocking, apart;

static cudaError_t end(cudaStream_t s) {
    cudaGraph_t graph = (cudaGraph_t)1;
    const cudaError_t e = cudaStreamEndCapture(s, &graph);
    CHECK(e == cudaSuccess || graph == nullptr);
    if (e == cudaSuccess) OK(cudaGraphDestroy(graph));
    (void)cudaGetLastError();
    return e;
}
static cudaStreamCaptureStatus status_of(cudaStream_t s) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    OK(cudaStreamIsCapturing(s, &status));
    return status;
}
static cudaError_t launch(cudaStream_t s) {
    add<<<1, 1, 0, s>>>(x, 1);
    return cudaGetLastError();
}

// The legacy stream would wait for the captured one, whatever the mode and the thread.
static void legacy_stream() {
    int host = 0;
    const cudaStreamCaptureMode modes[] = {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
                                           cudaStreamCaptureModeRelaxed};
    for (auto mode : modes) {
        OK(cudaStreamBeginCapture(blocking, mode));
        OK(launch(blocking));
        CHECK(status_of(blocking) == cudaStreamCaptureStatusActive);
        cudaStreamCaptureStatus status;
        CHECK(cudaStreamIsCapturing(cudaStreamLegacy, &status) == cudaErrorStreamCaptureImplicit);
        CHECK(status_of(blocking) == cudaStreamCaptureStatusActive);
        CHECK(launch(0) == cudaErrorStreamCaptureImplicit);
        CHECK(status_of(blocking) == cudaStreamCaptureStatusInvalidated);
        CHECK(launch(blocking) == cudaErrorStreamCaptureInvalidated);
        CHECK(end(blocking) == cudaErrorStreamCaptureInvalidated);
        CHECK(status_of(blocking) == cudaStreamCaptureStatusNone);
        OK(launch(0));

        OK(cudaStreamBeginCapture(blocking, mode));
        std::thread([&] { CHECK(cudaMemcpy(&host, x, 4, cudaMemcpyDeviceToHost) == cudaErrorStreamCaptureImplicit); })
            .join();
        CHECK(end(blocking) == cudaErrorStreamCaptureInvalidated);

        // A stream that never waits for the legacy one may be captured beside it.
        OK(cudaStreamBeginCapture(apart, mode));
        OK(launch(apart));
        OK(launch(0));
        OK(cudaMemsetAsync(x, 0, 4, 0));
        CHECK(status_of(0) == cudaStreamCaptureStatusNone);
        CHECK(end(apart) == cudaSuccess);
    }
    OK(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed));
    cudaEvent_t event;
    OK(cudaEventCreate(&event));
    CHECK(cudaEventRecord(event, 0) == cudaErrorStreamCaptureImplicit);
    CHECK(end(blocking) == cudaErrorStreamCaptureInvalidated);
    OK(cudaEventDestroy(event));
}

static cudaError_t allocate() {
    int* p = nullptr;
    const cudaError_t e = cudaMalloc(&p, 16);
    if (e == cudaSuccess) OK(cudaFree(p));
    (void)cudaGetLastError();
    return e;
}

// Who may allocate while a capture of each mode runs: its own thread, and others of each mode of their own.
static void unsafe_calls() {
    const cudaStreamCaptureMode global = cudaStreamCaptureModeGlobal, local = cudaStreamCaptureModeThreadLocal,
                                relaxed = cudaStreamCaptureModeRelaxed;
    struct {
        cudaStreamCaptureMode capture, thread;
        bool own, allowed;
    } cases[] = {{global, global, true, false},    {local, global, true, false},   {relaxed, global, true, true},
                 {global, local, true, false},     {local, local, true, false},    {relaxed, local, true, true},
                 {global, relaxed, true, true},    {local, relaxed, true, true},   {relaxed, relaxed, true, true},
                 {global, global, false, false},   {local, global, false, true},   {relaxed, global, false, true},
                 {global, local, false, true},     {local, local, false, true},    {relaxed, local, false, true},
                 {global, relaxed, false, true},   {local, relaxed, false, true},  {relaxed, relaxed, false, true}};
    for (const auto& c : cases) {
        OK(cudaStreamBeginCapture(apart, c.capture));
        OK(launch(apart));
        cudaError_t got = cudaErrorUnknown;
        const auto work = [&] {
            cudaStreamCaptureMode mode = c.thread;
            OK(cudaThreadExchangeStreamCaptureMode(&mode));
            CHECK(mode == global);
            got = allocate();
            OK(cudaThreadExchangeStreamCaptureMode(&mode));
            CHECK(mode == c.thread);
        };
        if (c.own)
            work();
        else
            std::thread(work).join();
        CHECK(got == (c.allowed ? cudaSuccess : cudaErrorStreamCaptureUnsupported));
        CHECK(end(apart) == (c.allowed ? cudaSuccess : cudaErrorStreamCaptureInvalidated));
    }
    // So are a copy that waits, and a question about an event.
    cudaEvent_t event;
    int host = 0;
    OK(cudaEventCreate(&event));
    OK(cudaEventRecord(event, 0));
    OK(cudaStreamBeginCapture(apart, global));
    CHECK(cudaEventQuery(event) == cudaErrorStreamCaptureUnsupported);
    CHECK(end(apart) == cudaErrorStreamCaptureInvalidated);
    OK(cudaStreamBeginCapture(apart, global));
    CHECK(cudaMemcpy(&host, x, 4, cudaMemcpyDeviceToHost) == cudaErrorStreamCaptureUnsupported);
    CHECK(end(apart) == cudaErrorStreamCaptureInvalidated);
    OK(cudaEventDestroy(event));
    cudaStreamCaptureMode none = (cudaStreamCaptureMode)7;
    CHECK(cudaThreadExchangeStreamCaptureMode(&none) == cudaErrorInvalidValue);
    CHECK(cudaStreamBeginCapture(apart, none) == cudaErrorInvalidValue);
}

// What cannot be captured in any mode.
static void conflicts() {
    cudaEvent_t inside, outside;
    OK(cudaEventCreate(&inside));
    OK(cudaEventCreate(&outside));
    OK(cudaEventRecord(outside, 0));
    for (int k = 0; k < 5; ++k) {
        OK(cudaStreamBeginCapture(apart, cudaStreamCaptureModeRelaxed));
        OK(cudaEventRecord(inside, apart));
        if (k == 0) CHECK(cudaDeviceSynchronize() == cudaErrorStreamCaptureUnsupported);
        if (k == 1) CHECK(cudaStreamSynchronize(apart) == cudaErrorStreamCaptureUnsupported);
        if (k == 2) CHECK(cudaStreamQuery(apart) == cudaErrorStreamCaptureUnsupported);
        if (k == 3) CHECK(cudaEventQuery(inside) == cudaErrorCapturedEvent);
        if (k == 4) CHECK(cudaStreamWaitEvent(apart, outside, 0) == cudaErrorStreamCaptureIsolation);
        CHECK(status_of(apart) == cudaStreamCaptureStatusInvalidated);
        CHECK(cudaEventRecord(inside, apart) == cudaErrorStreamCaptureInvalidated);
        CHECK(end(apart) == cudaErrorStreamCaptureInvalidated);
        OK(cudaDeviceSynchronize());
    }
    // Two captures do not become one.
    OK(cudaStreamBeginCapture(apart, cudaStreamCaptureModeRelaxed));
    OK(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed));
    OK(cudaEventRecord(inside, apart));
    CHECK(cudaStreamWaitEvent(blocking, inside, 0) == cudaErrorStreamCaptureMerge);
    CHECK(end(apart) == cudaErrorStreamCaptureInvalidated);
    CHECK(end(blocking) == cudaErrorStreamCaptureInvalidated);
    // Only a relaxed capture may end in another thread than that where it began.
    OK(cudaStreamBeginCapture(apart, cudaStreamCaptureModeThreadLocal));
    std::thread([] { CHECK(end(apart) == cudaErrorStreamCaptureWrongThread); }).join();
    CHECK(end(apart) == cudaSuccess);
    OK(cudaStreamBeginCapture(apart, cudaStreamCaptureModeRelaxed));
    std::thread([] { CHECK(end(apart) == cudaSuccess); }).join();
    // A capture is over with its stream.
    cudaStream_t gone;
    OK(cudaStreamCreate(&gone));
    OK(cudaStreamBeginCapture(gone, cudaStreamCaptureModeGlobal));
    OK(cudaStreamDestroy(gone));
    CHECK(allocate() == cudaSuccess);
    OK(launch(0));
    // A stream that joined a capture may go, before it was waited for as well as after.
    for (bool joined : {true, false}) {
        OK(cudaStreamCreateWithFlags(&gone, cudaStreamNonBlocking));
        OK(cudaStreamBeginCapture(apart, cudaStreamCaptureModeGlobal));
        OK(cudaEventRecord(inside, apart));
        OK(cudaStreamWaitEvent(gone, inside, 0));
        OK(launch(gone));
        OK(cudaEventRecord(inside, gone));
        if (joined) OK(cudaStreamWaitEvent(apart, inside, 0));
        OK(cudaStreamDestroy(gone));
        CHECK(status_of(apart) == cudaStreamCaptureStatusActive);
        CHECK(end(apart) == (joined ? cudaSuccess : cudaErrorStreamCaptureUnjoined));
    }
    OK(cudaEventDestroy(inside));
    OK(cudaEventDestroy(outside));
}

int main() {
    OK(cudaMalloc(&x, 4));
    OK(cudaMemset(x, 0, 4));
    OK(cudaStreamCreate(&blocking));
    OK(cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking));
    legacy_stream();
    unsafe_calls();
    conflicts();
    OK(cudaStreamSynchronize(apart));
    OK(cudaDeviceSynchronize());
    std::puts("passed");
}
