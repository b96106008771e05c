// Linking at run time (cuLink*): PTX texts become one, in which a symbol that one text defines is found by the others.
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "cuda_driver/api/api.hpp"
#include "cuda_driver/state/jit_options.hpp"
#include "cudart/registry/program_code.hpp"
#include "cudart/registry/registry.hpp"
#include "cudart/state/runtime.hpp"

/// A link that has begun. The image belongs to it.
struct CUlinkState_st {
    std::vector<std::string> texts;
    std::string image;
    std::vector<CUjit_option> options;
    std::vector<void*> values;  ///< the caller's buffers, and their sizes
    /// Puts a message into the caller's buffer.
    void tell(const std::string& message) const {
        auto own = values;
        warpwright::cuda_driver::JitOptions{static_cast<unsigned>(options.size()), options.data(), own.data()}.tell(
            message);
    }
};

namespace warpwright::cuda_driver::impl {
namespace {

std::mutex states_mutex;
std::set<CUlinkState>& states() {
    static auto* all = new std::set<CUlinkState>;
    return *all;
}
bool known(CUlinkState state) {
    std::lock_guard lock(states_mutex);
    return states().count(state) != 0;
}

CUresult refuse(CUlinkState state, const std::string& why) {
    cudart::Runtime::get().say(why);
    state->tell(why);
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

CUresult add(CUlinkState state, CUjitInputType type, const void* data, size_t size, const std::string& name) {
    if (!known(state)) return CUDA_ERROR_INVALID_HANDLE;
    if (!data || size == 0) return CUDA_ERROR_INVALID_VALUE;
    if (type == CU_JIT_INPUT_OBJECT || type == CU_JIT_INPUT_LIBRARY) {
        auto ptx = cudart::object_ptx(data, size);
        if (!ptx) return refuse(state, "cuLinkAddData: " + ptx.error().text());
        state->texts.insert(state->texts.end(), ptx->texts.begin(), ptx->texts.end());
        if (!ptx->texts.empty() || ptx->device_runtime) return CUDA_SUCCESS;
    }
    if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_FATBINARY)
        return refuse(
            state, "cuLinkAddData: the emulated GPU links PTX, fat binaries with PTX, and objects of our compiler; " +
                       (name.empty() ? "this input" : name) + " is neither");
    auto text = cudart::loaded_ptx(data, size);
    if (!text) {
        state->tell(text.error().text());
        cudart::Runtime::get().say(text.error());
        return code_of(cudart::code_of_bad_image(text.error()));
    }
    state->texts.push_back(std::move(*text));
    return CUDA_SUCCESS;
}

}  // namespace

CUresult cuLinkCreate_v2(unsigned count, CUjit_option* options, void** values, CUlinkState* state) {
    if (!state || (count && (!options || !values))) return CUDA_ERROR_INVALID_VALUE;
    auto made = std::make_unique<CUlinkState_st>();
    made->options.assign(options, options + count);
    made->values.assign(values, values + count);
    *state = made.release();
    std::lock_guard lock(states_mutex);
    states().insert(*state);
    return CUDA_SUCCESS;
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void* data, size_t size, const char* name, unsigned,
                          CUjit_option*, void**) {
    return add(state, type, data, size, name ? name : "");
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char* file, unsigned, CUjit_option*, void**) {
    if (!file) return CUDA_ERROR_INVALID_VALUE;
    std::ifstream in(file, std::ios::binary);
    if (!in) return CUDA_ERROR_FILE_NOT_FOUND;
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    return add(state, type, bytes.data(), bytes.size(), file);
}

CUresult cuLinkComplete(CUlinkState state, void** image, size_t* size) {
    if (!known(state)) return CUDA_ERROR_INVALID_HANDLE;
    if (!image || state->texts.empty()) return CUDA_ERROR_INVALID_VALUE;
    auto linked =
        state->texts.size() == 1 ? Result<std::string>(state->texts.front()) : cudart::linked_ptx(state->texts);
    if (!linked) {
        state->tell(linked.error().text());
        cudart::Runtime::get().say(linked.error());
        return CUDA_ERROR_INVALID_PTX;
    }
    state->tell("");
    state->image = std::move(*linked);
    *image = state->image.data();
    if (size) *size = state->image.size() + 1;
    return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state) {
    {
        std::lock_guard lock(states_mutex);
        if (!states().erase(state)) return CUDA_ERROR_INVALID_HANDLE;
    }
    delete state;
    return CUDA_SUCCESS;
}

}  // namespace warpwright::cuda_driver::impl
