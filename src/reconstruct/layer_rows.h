// LayerRows: what a linear layer reads and gives, as rows of matrices, at some of its places.
#pragma once

#include <cstdint>
#include <vector>

#include "base/tensor.h"
#include "formats/int_format.h"
#include "ir/graph.h"
#include "reconstruct/coded_layer.h"
#include "solver/matrix.h"

namespace preon {

/// Places of a layer in one run: sample (index along axis 0) and place in it (of a convolution: of its output).
struct Place {
  int64_t sample, at;
};

/// At most `most` places of each sample, one out of each of as many equal parts, drawn by the sample's index alone.
/// @param output  shape of what the layer gives: [samples, channels, places…] of Conv, else [samples, …, channels]
std::vector<Place> PlacesOf(const Node& node, const Shape& output, int64_t first_sample, int64_t most);

/// What a layer reads: floats, or codes and what they mean.
struct LayerInput {
  const Tensor& stored;
  QuantParams params;
};

/// A row per place and group: those of group g begin at row g · `per_group`.
struct GroupedRows {
  MatrixView rows;
  size_t per_group;
};

/// What the layer reads there, in the first `form.inputs` columns. Padding is zeros.
void InputRows(const Node& node, const LayerForm& form, const LayerInput& input, const std::vector<Place>& places,
               const Shape& output, const GroupedRows& to);
/// What the layer gives there, all groups: [places, outputs].
Matrix OutputRows(const Node& node, const Tensor& output, const std::vector<Place>& places);

}  // namespace preon
