// The descriptors of cuDNN's graphs: each is a set of attributes, which the table of them all describes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libraries/cudnn/functions.hpp"

namespace warpwright::libraries::dnn {

struct Plan;
struct Descriptor;
using Part = std::shared_ptr<Descriptor>;

/// An attribute's elements. Numbers are kept in 64 bits: floats and doubles as the bits of a double, a fraction as two
/// integers; descriptors as what they stand for.
struct Value {
    int type = 0;
    std::vector<std::int64_t> numbers;
    std::vector<Part> parts;
};
struct Descriptor {
    int kind = 0;
    bool finalized = false;
    int depth = 0;                     ///< of the descriptors that it is made of
    std::map<int, Value> values;       ///< by the attributes' numbers
    std::shared_ptr<const Plan> plan;  ///< of an execution plan
};

/// A number of an attribute, or `otherwise` where it is not set.
std::int64_t integer(const Descriptor& of, int attribute, std::int64_t otherwise);
double real(const Descriptor& of, int attribute, double otherwise);
const std::vector<std::int64_t>& integers(const Descriptor& of, int attribute);
/// Descriptors are made of others to this depth at most.
inline constexpr int kMostDepth = 24;
/// The first descriptor of an attribute; null where there is none.
Part part(const Descriptor& of, int attribute);

Status create_descriptor(cudnnBackendDescriptorType_t kind, cudnnBackendDescriptor_t* desc);
Status destroy_descriptor(cudnnBackendDescriptor_t desc);
Status set_attribute(cudnnBackendDescriptor_t desc, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                     std::int64_t count, const void* elements);
Status get_attribute(cudnnBackendDescriptor_t desc, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                     std::int64_t wanted, std::int64_t* count, void* elements);
Status finalize(cudnnBackendDescriptor_t desc);
Status execute(Handle h, cudnnBackendDescriptor_t plan, cudnnBackendDescriptor_t pack);

/// An operation graph as a text, and back; the text may be anybody's.
std::string text_of(const Part& graph);
Part graph_of(const std::vector<std::int64_t>& text);

/// What an attribute's elements are, and how many there may be; nothing where there is no such attribute.
struct AttributeShape {
    int kind, type;
    std::int64_t most;
};
std::optional<AttributeShape> shape_of_attribute(int name);

}  // namespace warpwright::libraries::dnn
