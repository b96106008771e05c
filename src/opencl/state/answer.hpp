// How questions are answered: into the program's memory, or only the bytes that the answer needs.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "opencl/state/cl.hpp"

namespace warpwright::opencl {

/// Where a program wants an answer.
struct Asked {
    std::size_t size;
    void* value;
    std::size_t* needed;

    cl_int bytes(const void* from, std::size_t count) const {
        if (value && size < count) return CL_INVALID_VALUE;
        if (value && count) std::memcpy(value, from, count);
        if (needed) *needed = count;
        return CL_SUCCESS;
    }
    template <class T>
    cl_int number(T answer) const {
        return bytes(&answer, sizeof answer);
    }
    cl_int flag(bool answer) const { return number(cl_bool{answer}); }
    cl_int text(const std::string& answer) const { return bytes(answer.c_str(), answer.size() + 1); }
    template <class T>
    cl_int list(const std::vector<T>& answer) const {
        return bytes(answer.data(), answer.size() * sizeof(T));
    }
};

/// Handles in a list of at most `count`, and how many there are.
template <class Handle>
cl_int give_list(const std::vector<Handle>& from, cl_uint count, Handle* list, cl_uint* found) {
    if ((list && count == 0) || (!list && !found)) return CL_INVALID_VALUE;
    for (std::size_t k = 0; list && k < from.size() && k < count; ++k) list[k] = from[k];
    if (found) *found = static_cast<cl_uint>(from.size());
    return CL_SUCCESS;
}

/// The result of a function that makes an object: its code goes where the program wants it, if anywhere.
template <class T>
T given(cl_int* code, cl_int result, T object = {}) {
    if (code) *code = result;
    return result == CL_SUCCESS ? object : T{};
}

}  // namespace warpwright::opencl
