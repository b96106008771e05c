// memcpy_async() to shared memory by a whole group, and wait(). Each member copies the pieces of its rank: by cp.async
// where source, target and size allow 16, 8 or 4 bytes at a time, by plain stores for what is left.
#pragma once
#include "warpwright/hide_names.h"

#include "../cooperative_groups.h"
#include "../cuda_pipeline_primitives.h"

namespace cooperative_groups {

namespace details {
template <unsigned int Piece, class Group>
WW_DEVICE void copy_pieces(const Group& g, char* to, const char* from, size_t bytes) {
    size_t whole = bytes / Piece;
    for (size_t i = g.thread_rank(); i < whole; i += g.size()) __pipeline_memcpy_async(to + i * Piece, from + i * Piece, Piece);
    for (size_t i = whole * Piece + g.thread_rank(); i < bytes; i += g.size()) to[i] = from[i];
}
}  // namespace details

template <class Group> WW_DEVICE void memcpy_async(const Group& g, void* to, const void* from, size_t bytes) {
    size_t both = (size_t)to | (size_t)from;
    if (both % 16 == 0)
        details::copy_pieces<16>(g, (char*)to, (const char*)from, bytes);
    else if (both % 8 == 0)
        details::copy_pieces<8>(g, (char*)to, (const char*)from, bytes);
    else if (both % 4 == 0)
        details::copy_pieces<4>(g, (char*)to, (const char*)from, bytes);
    else
        for (size_t i = g.thread_rank(); i < bytes; i += g.size()) ((char*)to)[i] = ((const char*)from)[i];
    __pipeline_commit();
}
template <class Group, class T>
WW_DEVICE void memcpy_async(const Group& g, T* to, size_t to_count, const T* from, size_t from_count) {
    memcpy_async(g, (void*)to, (const void*)from, (to_count < from_count ? to_count : from_count) * sizeof(T));
}
template <class Group> WW_DEVICE void wait(const Group& g) {
    __pipeline_wait_prior(0);
    g.sync();
}
template <unsigned int Stages, class Group> WW_DEVICE void wait_prior(const Group& g) {
    __pipeline_wait_prior(Stages);
    g.sync();
}

}  // namespace cooperative_groups
#include "warpwright/restore_names.h"
