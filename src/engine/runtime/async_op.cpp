// The table from operations to their functions is a switch without a default, so that the compiler warns of an
// operation that has none.
#include "engine/runtime/async_op.hpp"

namespace warpwright::engine {

namespace {

AsyncFunction& function_of(AsyncOp op) {
    switch (op) {
        case AsyncOp::nothing:
            break;
        case AsyncOp::mbarrier:
            return run_mbarrier;
        case AsyncOp::cluster_arrive:
            return run_cluster_arrive;
        case AsyncOp::remote_store:
            return run_remote_store;
        case AsyncOp::bulk_copy:
            return run_bulk;
        case AsyncOp::tensor_copy:
            return run_tensor_copy;
        case AsyncOp::prefetch_tensor_map:
            return run_prefetch_tensor_map;
        case AsyncOp::copy_tensor_map:
            return run_copy_tensor_map;
        case AsyncOp::replace_in_tensor_map:
            return run_replace_in_tensor_map;
        case AsyncOp::texture:
            return run_texture;
        case AsyncOp::texture_query:
            return run_texture_query;
        case AsyncOp::is_type:
            return run_is_type;
        case AsyncOp::surface:
            return run_surface;
        case AsyncOp::surface_reduction:
            return run_surface_reduction;
        case AsyncOp::cache_policy:
            return run_cache_policy;
    }
    return run_nothing;
}

}  // namespace

bool run_async(BlockContext* c, WarpFrame* f, const AsyncForm& form, std::uint64_t mask, const std::uint64_t* in,
               std::uint64_t* out) {
    return function_of(form.op)(c, f, form, mask, in, out);
}

}  // namespace warpwright::engine
