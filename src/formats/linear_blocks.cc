#include "formats/linear_blocks.h"

#include <cmath>
#include <vector>

#include "formats/block_codec.h"
#include "formats/linear_codec.h"

namespace preon {
namespace {

int UnitExponent(const BlockGrid& grid) { return grid.element ? 0 : -(grid.magnitude_bits - 1) - grid.max_shift; }

}  // namespace

Result<DataType> LinearBlockType(const BlockSpec& spec) {
  const BlockGrid grid = GridOf(spec);
  if (grid.element) {
    const MiniFloat& element = *grid.element;
    if (element.exponent_bits <= kE4M3.exponent_bits && element.mantissa_bits <= kE4M3.mantissa_bits) {
      return DataType::kFloat8E4M3FN;
    }
    if (element == kE5M2) return DataType::kFloat8E5M2;
    return Error(ErrorId::kFormatCombination, "elements of ", element.bits(), " bits have no type in ONNX");
  }
  const int bits = 1 + grid.magnitude_bits + grid.max_shift;
  if (bits <= 4) return DataType::kInt4;
  if (bits <= 8) return DataType::kInt8;
  if (bits <= 16) return DataType::kInt16;
  return Error(ErrorId::kFormatCombination, "codes need ", bits,
               " bits as integers, wanted at most 16: a sign, magnitude bits, shifts of sub-blocks");
}

Result<LinearBlocks> AsLinearBlocks(const BlockSpec& spec, const Tensor& values, int64_t axis) {
  PREON_ASSIGN_OR_RETURN(const DataType type, LinearBlockType(spec));
  const Shape& shape = values.shape();
  const auto rank = static_cast<int64_t>(shape.size());
  PREON_ASSIGN_OR_RETURN(const BlockCodes codes, Encode(spec, shape, axis, values.floats().data()));
  if (axis < 0) axis += rank;
  if (rank <= 1) axis = 0;

  std::vector<float> scales(codes.exponents.size());
  const int unit = UnitExponent(GridOf(spec));
  for (size_t block = 0; block < scales.size(); ++block) {
    if (codes.exponents[block] == BlockCodes::kNaN) {
      return Error(ErrorId::kNotRepresentable, "block ", block, " has values that are NaN or infinite");
    }
    scales[block] = std::ldexp(1.0f, codes.exponents[block] + unit);
  }
  // Values that are codes times a scale divide by it without rounding.
  std::vector<float> rounded(static_cast<size_t>(values.count()));
  PREON_RETURN_IF_ERROR(Decode(spec, shape, axis, codes, rounded.data()));
  Shape scale_shape = shape;
  // The runtime takes one scale of rank 1 for one of all, and refuses a block size beside it.
  const bool blocked = rank > 1 || (rank == 1 && scales.size() != 1);
  if (rank == 1 && !blocked) scale_shape = {};
  if (blocked) scale_shape[axis] = (shape[axis] + spec.block_size - 1) / spec.block_size;
  LinearBlocks result{.codes = Tensor::Allocate(type, shape),
                      .scales = Tensor::FromFloats(std::move(scale_shape), scales),
                      .axis = axis,
                      .block_size = blocked ? spec.block_size : 0};
  ParamLayout layout = ParamLayout::PerTensor(values.count());
  if (blocked) {
    PREON_ASSIGN_OR_RETURN(layout, ParamLayout::PerBlock(shape, axis, spec.block_size));
  }
  PREON_RETURN_IF_ERROR(QuantizeTensor({.type = type}, layout, {.scales = scales, .zero_points = {}}, rounded.data(),
                                       result.codes.MutableBytes().data()));
  return result;
}

}  // namespace preon
