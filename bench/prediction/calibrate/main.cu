// Measures what a model of a GPU's multiprocessor and memory needs: latencies and throughputs of operations, of shared
// and global memory, of atomics, of launches. Writes a JSON object a line to standard output.
//   calibrate             everything
//   calibrate PART        one part: operations, shared, matrix, atomics, contention, joining, memory, textures,
//                         bulk, launches, copies
//   calibrate floor       only empty kernels, to be run under Nsight Compute
#include <cstring>

#include "calibrate.hpp"

int main(int argc, char** argv) {
    if (argc > 1 && std::strcmp(argv[1], "floor") == 0) {
        launch_empty_kernels();
        return 0;
    }
    struct Part {
        const char* name;
        void (*measure)(Rows&);
    };
    const Part parts[] = {{"operations", measure_operations},
                          {"shared", measure_shared},
                          {"matrix", measure_tensor},
                          {"atomics", measure_atomics},
                          {"contention", measure_contention},
                          {"joining", measure_joining},
                          {"memory", measure_memory},
                          {"textures", measure_textures},
                          {"bulk", measure_bulk},
                          {"launches", measure_launches},
                          {"copies", measure_copies}};
    cudaDeviceProp properties;
    CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
    int clock_khz = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, 0));
    Rows rows(stdout);
    rows.begin("device").field("name", properties.name).field("multiprocessors", properties.multiProcessorCount);
    rows.field("clock_mhz", clock_khz * 1e-3).field("l2_bytes", properties.l2CacheSize).end();
    bool any = false;
    for (const Part& part : parts) {
        if (argc > 1 && std::strcmp(argv[1], part.name) != 0) continue;
        part.measure(rows);
        any = true;
    }
    if (!any) {
        std::fprintf(stderr, "calibrate: no part is called %s\n", argv[1]);
        return 2;
    }
    return 0;
}
