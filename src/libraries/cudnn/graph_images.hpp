// Tensors of images in graphs.
#pragma once

#include <vector>

#include "libraries/cudnn/graph.hpp"

namespace warpwright::libraries::dnn {

/// A tensor of images as the kernels of convolutions take it; sizes fit, since elements are fewer than 2^31.
ww_dnn::Image image_of(const Tensor& t, void* at);
/// Whether kernels of convolutions and pooling compute with such elements.
bool is_float(int type);
/// Takes one to three numbers of at least `least` into the last places of three.
bool into_three(const std::vector<i64>& from, i64 dims, i64 least, int (&to)[3], int otherwise);

}  // namespace warpwright::libraries::dnn
