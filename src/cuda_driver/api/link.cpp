// Linking at run time (cuLink*): PTX texts become one, in which a symbol that one text defines is found by the others.
#include <memory>
#include <mutex>
#include <vector>

#include "cuda_driver/api/api.hpp"
#include "cuda_driver/state/jit_options.hpp"
#include "cudart/registry/program_code.hpp"
#include "cudart/registry/registry.hpp"
#include "cudart/state/runtime.hpp"
#include "support/handle_table.hpp"
#include "support/read_file.hpp"

namespace warpwright::cuda_driver::impl {
namespace {

/// A link that has begun. The image belongs to it.
struct Link {
    std::mutex mutex;
    std::vector<std::string> texts;
    std::string image;
    std::vector<CUjit_option> options;
    std::vector<void*> values;  ///< the caller's buffers, and their sizes
    /// Puts a message into the caller's buffer.
    void tell(const std::string& message) const {
        auto own = values;
        JitOptions{static_cast<unsigned>(options.size()), options.data(), own.data()}.tell(message);
    }
};

HandleTable<CUlinkState, Link>& links() {
    static auto* all = new HandleTable<CUlinkState, Link>;
    return *all;
}

CUresult refuse(const Link& link, const std::string& why) {
    cudart::Runtime::get().say(why);
    link.tell(why);
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

CUresult add(CUlinkState handle, CUjitInputType type, const void* data, size_t size, const std::string& name) {
    const auto link = links().find(handle);
    if (!link) return CUDA_ERROR_INVALID_HANDLE;
    const std::lock_guard lock(link->mutex);
    if (!data || size == 0) return CUDA_ERROR_INVALID_VALUE;
    if (type == CU_JIT_INPUT_OBJECT || type == CU_JIT_INPUT_LIBRARY) {
        auto ptx = cudart::object_ptx(data, size);
        if (!ptx) return refuse(*link, "cuLinkAddData: " + ptx.error().text());
        link->texts.insert(link->texts.end(), ptx->texts.begin(), ptx->texts.end());
        if (!ptx->texts.empty() || ptx->device_runtime) return CUDA_SUCCESS;
    }
    if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_FATBINARY)
        return refuse(
            *link, "cuLinkAddData: the emulated GPU links PTX, fat binaries with PTX, and objects of our compiler; " +
                       (name.empty() ? "this input" : name) + " is neither");
    auto text = cudart::loaded_ptx(data, size);
    if (!text) {
        link->tell(text.error().text());
        cudart::Runtime::get().say(text.error());
        return code_of(cudart::code_of_bad_image(text.error()));
    }
    link->texts.push_back(std::move(*text));
    return CUDA_SUCCESS;
}

}  // namespace

CUresult cuLinkCreate_v2(unsigned count, CUjit_option* options, void** values, CUlinkState* state) {
    if (!state || (count && (!options || !values))) return CUDA_ERROR_INVALID_VALUE;
    auto made = std::make_shared<Link>();
    made->options.assign(options, options + count);
    made->values.assign(values, values + count);
    *state = links().add(std::move(made));
    return CUDA_SUCCESS;
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void* data, size_t size, const char* name, unsigned,
                          CUjit_option*, void**) {
    return add(state, type, data, size, name ? name : "");
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char* file, unsigned, CUjit_option*, void**) {
    if (!file) return CUDA_ERROR_INVALID_VALUE;
    const auto bytes = read_file(file, file_limit::program);
    if (!bytes) return CUDA_ERROR_FILE_NOT_FOUND;
    return add(state, type, bytes->data(), bytes->size(), file);
}

CUresult cuLinkComplete(CUlinkState state, void** image, size_t* size) {
    const auto link = links().find(state);
    if (!link) return CUDA_ERROR_INVALID_HANDLE;
    const std::lock_guard lock(link->mutex);
    if (!image || link->texts.empty()) return CUDA_ERROR_INVALID_VALUE;
    auto linked = link->texts.size() == 1 ? Result<std::string>(link->texts.front()) : cudart::linked_ptx(link->texts);
    if (!linked) {
        link->tell(linked.error().text());
        cudart::Runtime::get().say(linked.error());
        return CUDA_ERROR_INVALID_PTX;
    }
    link->tell("");
    link->image = std::move(*linked);
    *image = link->image.data();
    if (size) *size = link->image.size() + 1;
    return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state) { return links().take(state) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE; }

}  // namespace warpwright::cuda_driver::impl
