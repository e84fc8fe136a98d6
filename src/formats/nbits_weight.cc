#include "formats/nbits_weight.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "formats/bit_packing.h"
#include "formats/nbits_search.h"

namespace preon {
namespace {

constexpr int64_t kColumnsPerTask = 16;

// As the runtime's quantizer computes: in float, with the reciprocal, ties away from zero.
int DefaultCode(float value, const NBitsGrid& grid, int bits) {
  const float reciprocal = grid.scale == 0 ? 0 : 1 / grid.scale;
  const float code = std::roundf(value * reciprocal + static_cast<float>(grid.zero_point));
  if (std::isnan(code)) return grid.zero_point;  // 0 over a denormal scale
  return static_cast<int>(std::clamp(code, 0.0f, static_cast<float>((1 << bits) - 1)));
}

struct NBitsLayout {
  int64_t rows, columns, block, blocks;
  int bits;
  // Of one column.
  size_t codes() const { return static_cast<size_t>(blocks * block); }
  size_t code_bytes() const { return static_cast<size_t>(PackedBitsSize(blocks * block, bits)); }
  size_t zero_point_bytes() const { return static_cast<size_t>(PackedBitsSize(blocks, bits)); }
};

NBitsLayout NBitsLayoutOf(int64_t rows, int64_t columns, const NBitsOptions& options) {
  return {rows, columns, options.block_size, (rows + options.block_size - 1) / options.block_size, options.bits};
}

Status Check(const Tensor& weight, const NBitsOptions& options) {
  const auto fail = [](auto&&... what) { return Error(ErrorId::kQuantizeFailed, what...); };
  if (weight.type() != DataType::kFloat || weight.shape().size() != 2 || weight.count() == 0)
    return fail("got a weight of type ", DataTypeName(weight.type()), " and rank ", weight.shape().size(),
                ", wanted float [K, N]");
  if (options.bits != 2 && options.bits != 4 && options.bits != 8)
    return fail("got ", options.bits, " bits, wanted 2, 4 or 8");
  if (!IsNBitsBlockSize(options.block_size))
    return fail("got a block size of ", options.block_size, ", wanted 16, 32, 64, 128 or 256");
  if (!std::ranges::all_of(weight.floats(), [](float value) { return std::isfinite(value); }))
    return fail("the weight holds NaN or infinity");
  return Status::Ok();
}

}  // namespace

bool IsNBitsBlockSize(int64_t size) { return size >= 16 && size <= 256 && (size & (size - 1)) == 0; }

Result<NBitsWeight> EncodeNBits(const Tensor& weight, const NBitsOptions& options, const ParallelFor& parallel_for) {
  PREON_RETURN_IF_ERROR(Check(weight, options));
  const NBitsLayout layout = NBitsLayoutOf(weight.shape()[0], weight.shape()[1], options);
  NBitsWeight encoded{
      Tensor::Allocate(DataType::kUInt8, {layout.columns, layout.blocks, PackedBitsSize(layout.block, layout.bits)}),
      Tensor::Allocate(DataType::kFloat, {layout.columns * layout.blocks}), std::nullopt};
  if (!options.symmetric)
    encoded.zero_points =
        Tensor::Allocate(DataType::kUInt8, {layout.columns * PackedBitsSize(layout.blocks, layout.bits)});
  std::byte* codes = encoded.codes.MutableBytes().data();
  std::byte* zero_points = encoded.zero_points ? encoded.zero_points->MutableBytes().data() : nullptr;
  float* scales = encoded.scales.Mutable<float>().data();
  const std::span<const float> from = weight.floats();

  const auto encode_column = [&](int64_t column) {
    std::vector<float> values(static_cast<size_t>(layout.rows));
    for (int64_t row = 0; row < layout.rows; ++row)
      values[static_cast<size_t>(row)] = from[static_cast<size_t>(row * layout.columns + column)];
    std::vector<uint32_t> column_codes(layout.codes());  // 0 beyond the last row
    std::vector<uint32_t> column_zero_points;
    for (int64_t block = 0; block < layout.blocks; ++block) {
      const auto first = static_cast<size_t>(block * layout.block);
      const std::span<const float> taken =
          std::span(values).subspan(first, std::min(static_cast<size_t>(layout.block), values.size() - first));
      const NBitsGrid grid = options.least_squares ? LeastSquaresGrid(taken, options.bits, options.symmetric)
                                                   : MinMaxGrid(taken, options.bits, options.symmetric);
      scales[column * layout.blocks + block] = grid.scale;
      column_zero_points.push_back(static_cast<uint32_t>(grid.zero_point));
      for (size_t i = 0; i < taken.size(); ++i) {
        column_codes[first + i] = static_cast<uint32_t>(
            options.least_squares ? CodeOnGrid(taken[i], grid, layout.bits) : DefaultCode(taken[i], grid, layout.bits));
      }
    }
    std::ranges::copy(PackBits(column_codes, layout.bits), codes + static_cast<size_t>(column) * layout.code_bytes());
    if (zero_points == nullptr) return;
    std::ranges::copy(PackBits(column_zero_points, layout.bits),
                      zero_points + static_cast<size_t>(column) * layout.zero_point_bytes());
  };
  const int64_t tasks = (layout.columns + kColumnsPerTask - 1) / kColumnsPerTask;
  parallel_for(static_cast<size_t>(tasks), [&](size_t task) {
    const int64_t begin = static_cast<int64_t>(task) * kColumnsPerTask;
    for (int64_t column = begin; column < std::min(begin + kColumnsPerTask, layout.columns); ++column)
      encode_column(column);
  });
  return encoded;
}

}  // namespace preon
