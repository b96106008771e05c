// Cooperative groups' tiles of 64 to 512 threads: several warps of one block. They meet at a named barrier, one for each tile,
// and exchange values through shared memory: the program's own (block_tile_memory) or a small array of ours.
#pragma once

namespace cooperative_groups {

/// What a program sets aside in shared memory for such tiles; one word of 8 bytes for each warp is used.
template <unsigned int MaxBlockSize = 1024> struct __attribute__((aligned(8))) block_tile_memory {
    unsigned long long ww_words[(MaxBlockSize + 31) / 32];
};
template <unsigned int MaxBlockSize> WW_DEVICE thread_block this_thread_block(block_tile_memory<MaxBlockSize>& memory) {
    return thread_block(&memory);
}

namespace details {
WW_DEVICE unsigned long long* tile_words(void* scratch) {
    __shared__ unsigned long long own[32];
    return scratch ? static_cast<unsigned long long*>(scratch) : own;
}

template <unsigned int Size, class Parent> class large_tile {
    static_assert(Size == 64 || Size == 128 || Size == 256 || Size == 512,
                  "a tile has 1, 2, 4, 8, 16, 32, 64, 128, 256 or 512 threads");

public:
    WW_MEMBER explicit large_tile(void* scratch) : scratch_(scratch) {}
    static WW_MEMBER unsigned int thread_rank() { return block_rank() & (Size - 1); }
    static constexpr WW_MEMBER unsigned int num_threads() { return Size; }
    static constexpr WW_MEMBER unsigned int size() { return Size; }
    static WW_MEMBER unsigned int meta_group_rank() { return block_rank() / Size; }
    static WW_MEMBER unsigned int meta_group_size() { return (block_size() + Size - 1) / Size; }
    static WW_MEMBER void sync() {
        // Barrier 0 is __syncthreads(); of the 16 that a block has 15 are left.
        const unsigned int barrier = meta_group_rank() + 1;
        if (barrier > 15) __trap();
        __asm__ volatile("bar.sync %0, %1;" ::"r"(barrier), "n"(Size) : "memory");
    }
    template <class T> WW_MEMBER T shfl(T value, unsigned int rank) const {
        unsigned long long* word = tile_words(scratch_) + meta_group_rank() * (Size / 32);
        static_assert(sizeof(T) <= sizeof *word, "values of more than 8 bytes do not fit the tile's memory");
        if (thread_rank() == rank) __builtin_memcpy(word, &value, sizeof value);
        sync();
        __builtin_memcpy(&value, word, sizeof value);
        sync();
        return value;
    }
    /// What `combine` makes of one value of each warp, in the order of the warps, in all threads.
    template <class T, class Combine> WW_MEMBER T ww_across_warps(T value, Combine combine) const {
        unsigned long long* words = tile_words(scratch_) + meta_group_rank() * (Size / 32);
        static_assert(sizeof(T) <= sizeof *words, "values of more than 8 bytes do not fit the tile's memory");
        if (lane() == 0) __builtin_memcpy(words + thread_rank() / 32, &value, sizeof value);
        sync();
        __builtin_memcpy(&value, words, sizeof value);
        for (unsigned int warp = 1; warp < Size / 32; ++warp) {
            T other;
            __builtin_memcpy(&other, words + warp, sizeof other);
            value = combine(value, other);
        }
        sync();
        return value;
    }
    WW_MEMBER int any(int p) const {
        return ww_across_warps(__any_sync(0xffffffffu, p), [](int a, int b) { return a | b; });
    }
    WW_MEMBER int all(int p) const {
        return ww_across_warps(__all_sync(0xffffffffu, p), [](int a, int b) { return a & b; });
    }
    WW_MEMBER void* ww_scratch() const { return scratch_; }

private:
    void* scratch_;
};
}  // namespace details

#define WW_LARGE_TILE(n)                                                                                        \
    template <class Parent> class thread_block_tile<n, Parent> : public details::large_tile<n, Parent> {       \
    public:                                                                                                     \
        WW_MEMBER explicit thread_block_tile(const Parent& g) : details::large_tile<n, Parent>(g.ww_scratch()) {} \
    };                                                                                                          \
    template <> class thread_block_tile<n, void> : public details::large_tile<n, void> {                       \
    public:                                                                                                     \
        template <class Parent>                                                                                 \
        WW_MEMBER thread_block_tile(const thread_block_tile<n, Parent>& g)                                      \
            : details::large_tile<n, void>(g.ww_scratch()) {}                                                   \
    };
WW_LARGE_TILE(64)
WW_LARGE_TILE(128)
WW_LARGE_TILE(256)
WW_LARGE_TILE(512)
#undef WW_LARGE_TILE

}  // namespace cooperative_groups
