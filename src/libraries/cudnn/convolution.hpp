// The sizes of a convolution.
#pragma once

#include "libraries/cudnn/work.hpp"

namespace warpwright::libraries::dnn {

/// What a convolution of x by the filter w gives; nothing where they do not go together.
std::optional<Shape> filtered(const Filtering& f, const Shape& x, const Shape& w);

}  // namespace warpwright::libraries::dnn
