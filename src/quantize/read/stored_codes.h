// StoredCodes: what QuantizeLinear and DequantizeLinear nodes of any tool say of the codes of a tensor.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/int_format.h"
#include "ir/graph.h"

namespace preon {

struct StoredCodes {
  /// "uint8"; of nodes that round to blocks their operator and attributes.
  std::string format;
  DataType type = DataType::kUndefined;  ///< kUndefined: blocks
  std::vector<QuantParams> params;       ///< in the order of ParamLayout; empty: computed when the model runs
  int axis = -1;                         ///< -1 = one scale for the tensor
  int64_t block_size = 0;                ///< as of EncodedTensor

  bool operator==(const StoredCodes&) const = default;
};

/// QuantizeLinear, of ONNX, ONNX Runtime and Quark.
bool QuantizesTensor(const Node& node);
bool DequantizesTensor(const Node& node);
/// Quark's nodes that round to blocks: quantizer and dequantizer in one.
bool RoundsToBlocks(const Node& node);

/// Of a node of these three kinds.
StoredCodes CodesAt(const Graph& graph, const Node& node);

/// The values of a constant that is stored as these codes; empty where there are no params to decode by, or not as many
/// as it has channels or blocks.
Tensor DecodedValues(const Tensor& stored, const StoredCodes& codes);

/// `numbers`, one for each of the codes' params, for every element of a tensor of this shape. Errors: kFormatAxis.
Result<Tensor> ForEachElement(const StoredCodes& codes, const Shape& shape, const std::vector<float>& numbers);

/// Values from the least code to the largest, over all scales; nullopt for types that are no integers of 16 bits or
/// fewer, and without constant scales.
std::optional<Range> RangeOfCodes(const StoredCodes& codes);

}  // namespace preon
