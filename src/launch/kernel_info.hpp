// What is known of a kernel before it runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "record/extent.hpp"
#include "record/record.hpp"

namespace warpwright::launch {

using record::Extent;

/// One parameter of a kernel, as its declaration gives it.
struct Parameter {
    std::string name;
    std::uint32_t offset = 0;  ///< bytes from the start of the parameter block
    std::uint32_t size = 0;    ///< bytes
    std::uint32_t align = 0;   ///< bytes
    std::string type;          ///< PTX type: "u64", "f32", "b8" (structs and arrays)
};

struct KernelInfo {
    std::string name;  ///< mangled
    std::vector<Parameter> parameters;
    std::uint64_t static_shared = 0;  ///< bytes
    std::uint64_t local = 0;          ///< bytes per thread
    std::uint64_t constant = 0;       ///< bytes of the constant variables of its module
    std::uint32_t registers = 0;      ///< 32-bit registers per thread
    std::string registers_source = std::string(record::kEstimated);
    Extent required_block{0, 0, 0};    ///< .reqntid; 0 = free
    std::uint32_t max_threads = 0;     ///< .maxntid product; 0 = free
    Extent required_cluster{0, 0, 0};  ///< .reqnctapercluster; 0 = free
    bool explicit_cluster = false;     ///< .explicitcluster: the launch must name a cluster
    std::uint32_t max_cluster = 0;     ///< .maxclusterrank; 0 = free
    bool has_line_information = false;
};

}  // namespace warpwright::launch
