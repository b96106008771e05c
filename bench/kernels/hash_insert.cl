// The same kernel as hash_insert.cu.
__kernel void hash_insert(__global const uint* keys, __global uint* table, int slots) {
    uint key = keys[get_global_id(0)];
    uint at = key * 2654435761u >> 7 & slots - 1;
    while (true) {
        uint found = atomic_cmpxchg(&table[at], 0u, key);
        if (found == 0 || found == key) return;
        at = at + 1 & slots - 1;
    }
}
