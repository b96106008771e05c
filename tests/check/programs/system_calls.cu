// Memory that a kernel or a copy may be using, handed to the system: by correct programs, whose calls all succeed, and by those that
// forget to wait. Each part of these has a repaired twin.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#ifdef RIGHT
    #define IF_RIGHT(...) __VA_ARGS__
#else
    #define IF_RIGHT(...)
#endif
#define MUST(condition)                                                    \
    do {                                                                   \
        if (!(condition)) {                                                \
            std::printf("line %d: %s (%m)\n", __LINE__, #condition);       \
            std::exit(9);                                                  \
        }                                                                  \
    } while (0)
constexpr int kBytes = 1 << 16, kInts = kBytes / 4;
static int ends[2];  // of a pipe that holds all of kBytes
static char* managed() {
    char* p = nullptr;
    cudaMallocManaged(&p, kBytes);
    std::memset(p, 1, kBytes);
    return p;
}
__global__ void fill(int* p, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = i;
}
__global__ void total(const int* p, int n, int* out) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(out, p[i]);
}

__attribute__((noinline)) static void result_written_at_once() {
    char *p = managed(), *copy = static_cast<char*>(std::malloc(kBytes));
    fill<<<1, 256>>>(reinterpret_cast<int*>(p), kInts);
    IF_RIGHT(cudaDeviceSynchronize();)
    MUST(write(ends[1], p, kBytes) == kBytes);  // FINDING race-host
    MUST(read(ends[0], copy, kBytes) == kBytes);
    cudaDeviceSynchronize();
    std::free(copy), cudaFree(p);
}

__attribute__((noinline)) static void input_read_meanwhile(int* out) {
    char *p = managed(), from[4096] = {};
    total<<<1, 256>>>(reinterpret_cast<int*>(p), kInts, out);
    MUST(write(ends[1], from, sizeof from) == sizeof from);
    IF_RIGHT(cudaDeviceSynchronize();)
    MUST(read(ends[0], p, kBytes) == sizeof from);  // FINDING race-host
    cudaDeviceSynchronize();
    cudaFree(p);
}

__attribute__((noinline)) static void copy_written_to_a_file(std::FILE* file) {
    char *p = nullptr, *device = nullptr;
    cudaMallocHost(&p, kBytes);
    cudaMalloc(&device, kBytes);
    cudaMemset(device, 2, kBytes);
    cudaMemcpyAsync(p, device, kBytes, cudaMemcpyDeviceToHost);
    IF_RIGHT(cudaDeviceSynchronize();)
    MUST(std::fwrite(p, 1, kBytes, file) == kBytes);  // FINDING race-host
    cudaDeviceSynchronize();
    cudaFreeHost(p), cudaFree(device);
}

static void in_a_host_function(void* p) { MUST(pwrite(ends[0], p, 16, 0) == -1); }
__attribute__((noinline)) static void several_buffers(int* out) {
    char *p = managed(), *q = managed();
    total<<<1, 256>>>(reinterpret_cast<int*>(q), kInts, out);
    fill<<<1, 256>>>(reinterpret_cast<int*>(p), 16);
    const iovec both[] = {{q, 256}, {p, 256}};
    IF_RIGHT(cudaDeviceSynchronize();)
    MUST(writev(ends[1], both, 2) == 512);  // FINDING race-host
    char back[512];
    MUST(read(ends[0], back, 512) == 512);
    cudaDeviceSynchronize();
    cudaFree(p), cudaFree(q);
}

// All of this is in order, with and without RIGHT: the kernel uses other parts of the memory than the system, or reads too.
static void in_order(int* out, std::FILE* file, const std::string& name) {
    constexpr int kHalf = kBytes / 2;
    char *p = managed(), *q = managed(), *copy = static_cast<char*>(std::malloc(kBytes));
    int sockets[2];
    MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
    // Queued kernels use the lower half; the calls the upper one.
    fill<<<1, 256>>>(reinterpret_cast<int*>(p), kInts / 2);
    MUST(write(ends[1], p + kHalf, kHalf) == kHalf);
    MUST(read(ends[0], p + kHalf, kHalf) == kHalf);
    MUST(send(sockets[0], p + kHalf, 4096, 0) == 4096);
    MUST(recv(sockets[1], p + kHalf, 4096, MSG_WAITALL) == 4096);
    fill<<<1, 256>>>(reinterpret_cast<int*>(p), kInts / 2);
    std::rewind(file);
    MUST(std::fwrite(p + kHalf, 1, kHalf, file) == kHalf && std::fflush(file) == 0);
    std::rewind(file);
    MUST(std::fread(p + kHalf, 1, kHalf, file) == kHalf);
    fill<<<1, 256>>>(reinterpret_cast<int*>(p), kInts / 2);
    MUST(syscall(SYS_pwrite64, fileno(file), p + kHalf, 100, 0) == 100);
    MUST(pread(fileno(file), p + kHalf, 100, 0) == 100);
    {
        std::ofstream stream(name, std::ios::binary);
        stream.write(p + kHalf, kHalf);
        MUST(stream.good());
    }
    cudaDeviceSynchronize();
    // Both read.
    total<<<1, 256>>>(reinterpret_cast<int*>(q), kInts, out);
    MUST(write(ends[1], q, kBytes) == kBytes);
    cudaDeviceSynchronize();
    MUST(read(ends[0], copy, kBytes) == kBytes && std::memcmp(copy, q, kBytes) == 0);
    // Fewer bytes come than there is room for: the rest was not written.
    MUST(write(ends[1], copy, 8) == 8);
    total<<<1, 256>>>(reinterpret_cast<int*>(q + 4096), 1024, out);
    MUST(read(ends[0], q, kBytes) == 8);
    cudaDeviceSynchronize();
    // A thread waits for input while kernels come and go.
    std::thread reader([&] { MUST(read(ends[0], q, 64) == 64); });
    for (int k = 0; k < 3; ++k) {
        fill<<<1, 64>>>(reinterpret_cast<int*>(p), 64);
        total<<<1, 64>>>(reinterpret_cast<int*>(p), 64, out);
        cudaDeviceSynchronize();
    }
    fill<<<1, 64>>>(reinterpret_cast<int*>(p), 64);
    MUST(write(ends[1], copy, 64) == 64);
    reader.join();
    cudaDeviceSynchronize();
    // What a host function hands over is behind the kernels of its stream.
    fill<<<1, 64>>>(reinterpret_cast<int*>(p), 64);
    cudaLaunchHostFunc(0, in_a_host_function, p);
    cudaDeviceSynchronize();
    close(sockets[0]), close(sockets[1]);
    std::free(copy), cudaFree(p), cudaFree(q);
}

int main() {
    int* out = nullptr;
    cudaMalloc(&out, 4);
    cudaMemset(out, 0, 4);
    char name[] = "/tmp/ww-system-calls-XXXXXX";
    const int descriptor = mkstemp(name);
    std::FILE* file = descriptor < 0 ? nullptr : fdopen(descriptor, "w+b");
    MUST(file && pipe(ends) == 0 && fcntl(ends[1], F_SETPIPE_SZ, 2 * kBytes) >= kBytes);
    result_written_at_once(), input_read_meanwhile(out), copy_written_to_a_file(file), several_buffers(out);
    in_order(out, file, name);
    std::fclose(file), unlink(name);
    return cudaFree(out);
}
