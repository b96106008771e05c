// A loop around a compare-and-swap whose first load is plain: lanes that are ahead change what it reads.
// check: --grid 1 --block 64 --arg i32[1]=zero
extern "C" __global__ void wrong(int* largest) {
    const int mine = static_cast<int>(threadIdx.x);
    int before = *largest;  // FINDING race-global
    while (before < mine) {
        const int there = atomicCAS(largest, before, mine);
        if (there == before) break;
        before = there;
    }
}
extern "C" __global__ void right(int* largest) {
    const int mine = static_cast<int>(threadIdx.x);
    int before = *reinterpret_cast<volatile int*>(largest);
    while (before < mine) {
        const int there = atomicCAS(largest, before, mine);
        if (there == before) break;
        before = there;
    }
}
