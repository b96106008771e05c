// An atomic for the block only, used between blocks.
// check: --grid 4 --block 64 --arg i32[1]=zero
extern "C" __global__ void wrong(int* counter) {
    atomicAdd_block(counter, 1);  // FINDING race-global
}
extern "C" __global__ void right(int* counter) {
    atomicAdd(counter, 1);
}
