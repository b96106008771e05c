// Each key, none of them 0, into a table of `slots` words (a power of two, zeros at first) by linear probing. Blocks of 256.
extern "C" __global__ void hash_insert(const unsigned* keys, unsigned* table, int slots) {
    unsigned key = keys[blockIdx.x * 256 + threadIdx.x];
    unsigned at = key * 2654435761u >> 7 & slots - 1;
    while (true) {
        unsigned found = atomicCAS(&table[at], 0u, key);
        if (found == 0 || found == key) return;
        at = at + 1 & slots - 1;
    }
}
