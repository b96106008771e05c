// The extensions are those that clang knows for this target and the functions of the loader's protocol.
#include "opencl/state/versions.hpp"

#include <cstring>

namespace warpwright::opencl {
namespace {

constexpr const char* kExtensions[] = {"cl_khr_global_int32_base_atomics",
                                       "cl_khr_global_int32_extended_atomics",
                                       "cl_khr_local_int32_base_atomics",
                                       "cl_khr_local_int32_extended_atomics",
                                       "cl_khr_byte_addressable_store",
                                       "cl_khr_fp64",
                                       "cl_khr_icd",
                                       "cl_khr_extended_versioning",
                                       "cl_khr_device_uuid",
                                       "cl_nv_device_attribute_query"};

cl_name_version named(const char* name, cl_uint number) {
    cl_name_version out{number, {}};
    std::strncpy(out.name, name, sizeof out.name - 1);
    return out;
}

}  // namespace

std::string extensions() {
    std::string all;
    for (const char* name : kExtensions) all += (all.empty() ? "" : " ") + std::string(name);
    return all;
}

std::vector<cl_name_version> extension_versions() {
    std::vector<cl_name_version> all;
    for (const char* name : kExtensions) all.push_back(named(name, version(1, 0)));
    return all;
}

std::vector<cl_name_version> language_versions() {
    std::vector<cl_name_version> all;
    for (const cl_uint minor : {0, 1, 2}) all.push_back(named("OpenCL C", version(1, minor)));
    all.push_back(named("OpenCL C", version(3, 0)));
    return all;
}

std::vector<cl_name_version> language_features() {
    return {named("__opencl_c_fp64", version(3, 0)), named("__opencl_c_int64", version(3, 0))};
}

}  // namespace warpwright::opencl
