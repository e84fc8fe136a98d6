#include "formats/nbits_weight.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "formats/nbits_search.h"

namespace preon {
namespace {

constexpr int64_t kColumnsPerTask = 16;

// Codes side by side in bytes, the first in the lowest bits.
class PackedCodes {
 public:
  PackedCodes(std::byte* bytes, int bits) : bytes_(bytes), bits_(bits) {}
  void Set(int64_t index, int code) {
    const int64_t bit = index * bits_;
    bytes_[bit / 8] |= static_cast<std::byte>(code << (bit % 8));
  }

 private:
  std::byte* bytes_;
  int bits_;
};

int CodeAt(std::span<const std::byte> bytes, int64_t index, int bits) {
  const int64_t bit = index * bits;
  return static_cast<int>(bytes[static_cast<size_t>(bit / 8)]) >> (bit % 8) & ((1 << bits) - 1);
}

// As the runtime's quantizer computes: in float, with the reciprocal, ties away from zero.
int DefaultCode(float value, const NBitsGrid& grid, int bits) {
  const float reciprocal = grid.scale == 0 ? 0 : 1 / grid.scale;
  const float code = std::roundf(value * reciprocal + static_cast<float>(grid.zero_point));
  if (std::isnan(code)) return grid.zero_point;  // 0 over a denormal scale
  return static_cast<int>(std::clamp(code, 0.0f, static_cast<float>((1 << bits) - 1)));
}

struct Layout {
  int64_t rows, columns, block, blocks;
  int bits;
  int64_t block_bytes() const { return block * bits / 8; }
  int64_t zero_point_bytes() const { return (blocks * bits + 7) / 8; }
};

Layout LayoutOf(int64_t rows, int64_t columns, const NBitsOptions& options) {
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
  const Layout layout = LayoutOf(weight.shape()[0], weight.shape()[1], options);
  NBitsWeight encoded{Tensor::Allocate(DataType::kUInt8, {layout.columns, layout.blocks, layout.block_bytes()}),
                      Tensor::Allocate(DataType::kFloat, {layout.columns * layout.blocks}), std::nullopt};
  if (!options.symmetric)
    encoded.zero_points = Tensor::Allocate(DataType::kUInt8, {layout.columns * layout.zero_point_bytes()});
  std::byte* codes = encoded.codes.MutableBytes().data();
  std::byte* zero_points = encoded.zero_points ? encoded.zero_points->MutableBytes().data() : nullptr;
  float* scales = encoded.scales.Mutable<float>().data();
  const std::span<const float> from = weight.floats();

  const auto encode_column = [&](int64_t column) {
    std::vector<float> values(static_cast<size_t>(layout.block));
    for (int64_t block = 0; block < layout.blocks; ++block) {
      const int64_t first = block * layout.block, count = std::min(layout.block, layout.rows - first);
      for (int64_t i = 0; i < count; ++i)
        values[static_cast<size_t>(i)] = from[static_cast<size_t>((first + i) * layout.columns + column)];
      const std::span<const float> taken(values.data(), static_cast<size_t>(count));
      const NBitsGrid grid = options.least_squares ? LeastSquaresGrid(taken, options.bits, options.symmetric)
                                                   : MinMaxGrid(taken, options.bits, options.symmetric);
      const int64_t place = column * layout.blocks + block;
      scales[place] = grid.scale;
      if (zero_points != nullptr)
        PackedCodes(zero_points + column * layout.zero_point_bytes(), layout.bits).Set(block, grid.zero_point);
      PackedCodes packed(codes + place * layout.block_bytes(), layout.bits);
      for (int64_t i = 0; i < count; ++i) {
        const float value = taken[static_cast<size_t>(i)];
        packed.Set(
            i, options.least_squares ? CodeOnGrid(value, grid, layout.bits) : DefaultCode(value, grid, layout.bits));
      }
    }
  };
  const int64_t tasks = (layout.columns + kColumnsPerTask - 1) / kColumnsPerTask;
  parallel_for(static_cast<size_t>(tasks), [&](size_t task) {
    const int64_t begin = static_cast<int64_t>(task) * kColumnsPerTask;
    for (int64_t column = begin; column < std::min(begin + kColumnsPerTask, layout.columns); ++column)
      encode_column(column);
  });
  return encoded;
}

Tensor DecodeNBits(const NBitsWeight& encoded, int64_t rows, const NBitsOptions& options) {
  const Layout layout = LayoutOf(rows, encoded.codes.shape()[0], options);
  Tensor weight = Tensor::Allocate(DataType::kFloat, {layout.rows, layout.columns});
  const std::span<float> to = weight.Mutable<float>();
  for (int64_t column = 0; column < layout.columns; ++column) {
    for (int64_t row = 0; row < layout.rows; ++row) {
      const int64_t block = row / layout.block, place = column * layout.blocks + block;
      const auto zero_points =
          encoded.zero_points
              ? encoded.zero_points->bytes().subspan(static_cast<size_t>(column * layout.zero_point_bytes()))
              : std::span<const std::byte>();
      const int zero_point = zero_points.empty() ? 1 << (layout.bits - 1) : CodeAt(zero_points, block, layout.bits);
      const int code = CodeAt(encoded.codes.bytes().subspan(static_cast<size_t>(place * layout.block_bytes())),
                              row % layout.block, layout.bits);
      to[static_cast<size_t>(row * layout.columns + column)] =
          static_cast<float>(code - zero_point) * encoded.scales.floats()[static_cast<size_t>(place)];
    }
  }
  return weight;
}

}  // namespace preon
