#include "formats/nbits_weight.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "formats/bit_packing.h"
#include "formats/half_quadratic.h"
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
  if (options.method == WeightMethod::kHqq && options.symmetric)
    return fail("method hqq has zero points, wanted an unsigned type");
  if (!std::ranges::all_of(weight.floats(), [](float value) { return std::isfinite(value); }))
    return fail("the weight holds NaN or infinity");
  return Status::Ok();
}

void CopyColumn(std::span<const float> from, const NBitsLayout& layout, int64_t column, std::span<float> to) {
  for (int64_t row = 0; row < layout.rows; ++row)
    to[static_cast<size_t>(row)] = from[static_cast<size_t>(row * layout.columns + column)];
}

// Column by column, with zeros beyond the last row.
std::vector<float> WholeBlocks(std::span<const float> from, const NBitsLayout& layout) {
  std::vector<float> values(static_cast<size_t>(layout.columns) * layout.codes());
  for (int64_t column = 0; column < layout.columns; ++column)
    CopyColumn(from, layout, column, std::span(values).subspan(static_cast<size_t>(column) * layout.codes()));
  return values;
}

// The grid of a block, and its codes.
NBitsGrid EncodeBlock(std::span<const float> values, const NBitsOptions& options, std::span<const float> importance,
                      std::span<uint32_t> codes) {
  if (options.method == WeightMethod::kMinMse) {
    const NBitsGrid grid = LeastSquaresGrid(values, options.bits, options.symmetric, importance);
    CodesOnGrid(values, grid, options.bits, codes);
    return grid;
  }
  const NBitsGrid grid = MinMaxGrid(values, options.bits, options.symmetric);
  for (size_t i = 0; i < values.size(); ++i)
    codes[i] = static_cast<uint32_t>(DefaultCode(values[i], grid, options.bits));
  return grid;
}

}  // namespace

bool IsNBitsBlockSize(int64_t size) { return size >= 16 && size <= 256 && (size & (size - 1)) == 0; }

Result<NBitsWeight> EncodeNBits(const Tensor& weight, const NBitsOptions& options, const ParallelFor& parallel_for,
                                std::span<const float> importance) {
  PREON_RETURN_IF_ERROR(Check(weight, options));
  const NBitsLayout layout = NBitsLayoutOf(weight.shape()[0], weight.shape()[1], options);
  NBitsWeight encoded{
      Tensor::Allocate(DataType::kUInt8, {layout.columns, layout.blocks, PackedBitsSize(layout.block, layout.bits)}),
      Tensor::Allocate(DataType::kFloat, {layout.columns * layout.blocks}), std::nullopt};
  const bool half_quadratic = options.method == WeightMethod::kHqq;
  if (half_quadratic)
    encoded.zero_points = Tensor::Allocate(DataType::kFloat, {layout.columns * layout.blocks});
  else if (!options.symmetric)
    encoded.zero_points =
        Tensor::Allocate(DataType::kUInt8, {layout.columns * PackedBitsSize(layout.blocks, layout.bits)});
  std::byte* codes = encoded.codes.MutableBytes().data();
  std::byte* zero_points = encoded.zero_points ? encoded.zero_points->MutableBytes().data() : nullptr;
  float* scales = encoded.scales.Mutable<float>().data();
  float* float_zeros = half_quadratic ? encoded.zero_points->Mutable<float>().data() : nullptr;
  const bool whole_blocks = half_quadratic && options.hqq_as_quark;
  const std::vector<FloatGrid> quark_grids =
      whole_blocks ? QuarkHalfQuadraticGrids(WholeBlocks(weight.floats(), layout), static_cast<size_t>(layout.block),
                                             layout.bits, parallel_for)
                   : std::vector<FloatGrid>();

  const auto encode_column = [&](int64_t column) {
    std::vector<float> values(whole_blocks ? layout.codes() : static_cast<size_t>(layout.rows));
    CopyColumn(weight.floats(), layout, column, values);
    std::vector<uint32_t> column_codes(layout.codes());  // 0 beyond the last row
    std::vector<uint32_t> column_zero_points;
    for (int64_t block = 0; block < layout.blocks; ++block) {
      const auto first = static_cast<size_t>(block * layout.block);
      const std::span<const float> taken =
          std::span(values).subspan(first, std::min(static_cast<size_t>(layout.block), values.size() - first));
      const int64_t at = column * layout.blocks + block;
      const std::span<uint32_t> taken_codes = std::span(column_codes).subspan(first, taken.size());
      if (half_quadratic) {
        const FloatGrid grid =
            whole_blocks ? quark_grids[static_cast<size_t>(at)] : HalfQuadraticGrid(taken, layout.bits);
        scales[at] = grid.scale;
        float_zeros[at] = grid.zero_point;
        for (size_t i = 0; i < taken.size(); ++i)
          taken_codes[i] = static_cast<uint32_t>(CodeOnGrid(taken[i], grid, layout.bits));
        continue;
      }
      const std::span<const float> counts = importance.empty() ? importance : importance.subspan(first, taken.size());
      const NBitsGrid grid = EncodeBlock(taken, options, counts, taken_codes);
      scales[at] = grid.scale;
      column_zero_points.push_back(static_cast<uint32_t>(grid.zero_point));
    }
    std::ranges::copy(PackBits(column_codes, layout.bits), codes + static_cast<size_t>(column) * layout.code_bytes());
    if (zero_points == nullptr || half_quadratic) return;
    // The runtime's quantizer fills the last byte with middle codes.
    while (column_zero_points.size() * static_cast<size_t>(layout.bits) % 8 != 0)
      column_zero_points.push_back(uint32_t{1} << (layout.bits - 1));
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

Tensor UnpackNBitsCodes(const Tensor& codes, int64_t rows, int bits) {
  const int64_t columns = codes.shape()[0];
  const auto column_bytes = static_cast<size_t>(codes.shape()[1] * codes.shape()[2]);
  const auto row_bytes = static_cast<size_t>(PackedBitsSize(rows, bits));  // without the zeros behind
  Tensor values = Tensor::Allocate(DataType::kFloat, {rows, columns});
  const std::span<float> to = values.Mutable<float>();
  for (int64_t column = 0; column < columns; ++column) {
    const std::vector<uint32_t> unpacked = UnpackBits(
        codes.bytes().subspan(static_cast<size_t>(column) * column_bytes, row_bytes), static_cast<size_t>(rows), bits);
    for (int64_t row = 0; row < rows; ++row)
      to[static_cast<size_t>(row * columns + column)] = static_cast<float>(unpacked[static_cast<size_t>(row)]);
  }
  return values;
}

Tensor PackNBitsCodes(const Tensor& codes, int64_t block_size, int bits) {
  const int64_t rows = codes.shape()[0], columns = codes.shape()[1], blocks = (rows + block_size - 1) / block_size;
  const int64_t block_bytes = PackedBitsSize(block_size, bits);
  Tensor packed = Tensor::Allocate(DataType::kUInt8, {columns, blocks, block_bytes});
  const std::span<const float> from = codes.floats();
  for (int64_t column = 0; column < columns; ++column) {
    std::vector<uint32_t> of_column(static_cast<size_t>(blocks * block_size));
    for (int64_t row = 0; row < rows; ++row)
      of_column[static_cast<size_t>(row)] = static_cast<uint32_t>(from[static_cast<size_t>(row * columns + column)]);
    std::ranges::copy(PackBits(of_column, bits), packed.MutableBytes().data() + column * blocks * block_bytes);
  }
  return packed;
}

std::vector<QuantParams> UnpackNBitsParams(const Tensor& scales, const Tensor* zero_points, int64_t columns, int bits) {
  const auto blocks = static_cast<size_t>(scales.count() / columns);
  std::vector<QuantParams> params(blocks * static_cast<size_t>(columns));
  for (size_t column = 0; column < static_cast<size_t>(columns); ++column) {
    std::vector<uint32_t> zeros(blocks, uint32_t{1} << (bits - 1));
    if (zero_points != nullptr) {
      const auto bytes = static_cast<size_t>(PackedBitsSize(static_cast<int64_t>(blocks), bits));
      zeros = UnpackBits(zero_points->bytes().subspan(column * bytes, bytes), blocks, bits);
    }
    for (size_t block = 0; block < blocks; ++block) {
      params[block * static_cast<size_t>(columns) + column] = {scales.floats()[column * blocks + block],
                                                               static_cast<int64_t>(zeros[block])};
    }
  }
  return params;
}

}  // namespace preon
