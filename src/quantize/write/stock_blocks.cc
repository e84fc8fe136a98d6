#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "quantize/write/stock_form.h"
#include "quantize/write/stock_nodes.h"

namespace preon {
namespace {

// From this many neighbours on whose steps are neighbours too, the runtime's broadcast is as fast as a step for each.
constexpr int64_t kLongRun = 64;

/// How a tensor is cut into blocks: `outer` dimensions, D along the axis, `inner` dimensions. Without a rank the
/// dimensions on the axis' side are counted, and nothing else is known.
class BlockShape {
 public:
  static Result<BlockShape> Of(const std::optional<Shape>& shape, int64_t axis) {
    BlockShape result;
    result.axis_ = axis;
    if (!shape) return result;
    const auto rank = static_cast<int64_t>(shape->size());
    if (rank > 1 && (axis < -rank || axis >= rank)) {
      return Error(ErrorId::kFormatAxis, "axis: got ", axis, " for shape ", ShapeToString(*shape), ", wanted ", -rank,
                   " to ", rank - 1);
    }
    result.shape_ = shape;
    result.axis_ = rank <= 1 ? 0 : axis < 0 ? axis + rank : axis;
    if (rank > 0) {
      result.extent_ = (*shape)[result.axis_];
      result.inner_.assign(shape->begin() + result.axis_ + 1, shape->end());
    } else {
      result.extent_ = 1;
    }
    return result;
  }

  const std::optional<Shape>& shape() const { return shape_; }
  bool scalar() const { return shape_ && shape_->empty(); }
  bool empty() const { return shape_ && std::ranges::count(*shape_, 0) > 0; }
  int64_t axis() const { return axis_; }
  int64_t extent() const { return extent_; }  ///< kDynamicDim where it is not known
  const Shape& inner() const { return inner_; }
  bool inner_known() const { return shape_ && IsStatic(inner_); }
  bool from_back() const { return axis_ < 0; }  ///< only without a rank
  /// Neighbours along the dimensions behind the axis, or kDynamicDim.
  int64_t run() const {
    if (shape_) return ElementCount(inner_);
    return axis_ == -1 ? 1 : kDynamicDim;
  }

 private:
  std::optional<Shape> shape_;
  int64_t axis_ = 0, extent_ = kDynamicDim;
  Shape inner_;
};

class BlocksWriter {
 public:
  BlocksWriter(Graph& graph, const RoundTripNames& names, const BlockSpec& spec, BlockShape shape)
      : nodes_(graph, names.base), names_(names), spec_(spec), grid_(GridOf(spec)), shape_(std::move(shape)) {
    block_ = grid_.block_size;
    sub_block_ = grid_.sub_block_size;
    if (shape_.extent() == kDynamicDim || shape_.extent() >= block_) return;
    // What is behind a short block counts as zeros, and so does nothing.
    if (shape_.extent() < sub_block_) sub_block_ = shape_.extent();
    block_ = sub_block_ == 0 ? shape_.extent() : (shape_.extent() + sub_block_ - 1) / sub_block_ * sub_block_;
  }

  void Write() {
    std::string x = names_.x;
    if (spec_.bfloat_first) x = nodes_.Cast(nodes_.Cast(x, DataType::kBFloat16), DataType::kFloat);
    const bool stays = spec_.numerics == Numerics::kCompat && shape_.shape() && ElementCount(*shape_.shape()) == 1;
    const std::string y = stays || shape_.empty() ? nodes_.Add("Identity", {x}) : Slice(Unblock(Round(Block(Pad(x)))));
    nodes_.Finish(y, names_.y);
  }

 private:
  bool extent_known() const { return shape_.extent() != kDynamicDim; }
  bool padded() const { return extent_known() ? shape_.extent() % block_ != 0 : block_ > 1; }
  bool one_block() const { return extent_known() && shape_.extent() <= block_; }
  /// Blocks lie in contiguous memory. They become the last dimension, with their sub-blocks, and steps are spread over
  /// them by a product with a matrix of ones: the runtime's broadcast takes a call for each block there.
  bool contiguous() const { return shape_.run() == 1; }
  /// x has a dimension of blocks already.
  bool needs_no_reshape() const {
    if (contiguous() && !shape_.inner().empty()) return false;
    return one_block() && (sub_block_ == 0 || contiguous()) && !shape_.scalar();
  }

  /// What D becomes: blocks, where there may be several, sub-blocks, where there are, and their elements.
  std::vector<int64_t> BlockDims() const {
    std::vector<int64_t> dims;
    if (!one_block()) {
      dims.push_back(extent_known() ? (shape_.extent() + block_ - 1) / block_ : kDynamicDim);
    }
    const bool split = sub_block_ > 0 && !contiguous();
    if (split) dims.push_back(block_ / sub_block_);
    dims.push_back(split ? sub_block_ : block_);
    return dims;
  }
  /// The axis of the elements of (sub-)blocks, or of the sub-blocks of a block: where they lie after Block().
  std::string BlockAxis(const std::string& ending, int64_t outwards) {
    int64_t axis = shape_.axis() - outwards;
    if (contiguous()) {
      axis =
          static_cast<int64_t>(dims_.size()) - 1;  // from the front: from the back the runtime fails with empty tensors
      if (sub_block_ > 0 && outwards == 0) ++axis;
    } else if (!shape_.from_back()) {
      axis += static_cast<int64_t>(BlockDims().size()) - 1;
    }
    return nodes_.Ints(ending, {axis});
  }

  std::string Extent() {
    if (!extent_.empty()) return extent_;
    if (extent_known()) return extent_ = nodes_.Ints("_extent", {shape_.extent()});
    return extent_ = ShapePart(source_, shape_.axis(), shape_.axis() + 1);
  }
  /// Dimensions from `begin` to before `end`, which is the last one's for 0.
  std::string ShapePart(const std::string& x, int64_t begin, int64_t end) {
    std::map<std::string, AttributeValue> attributes;
    if (begin != 0) attributes["start"] = begin;
    if (end != 0) attributes["end"] = end;
    return nodes_.Add("Shape", {x}, attributes);
  }

  std::string Pad(const std::string& x) {
    source_ = x;
    if (!padded()) return x;
    axes_ = nodes_.Ints("_axis", {shape_.axis()});
    std::string pads;
    if (extent_known()) {
      pads = nodes_.Ints("_pads", {0, BlocksUp(shape_.extent()) - shape_.extent()});
    } else {
      // The remainder has the divisor's sign: D missing to the next multiple of the block.
      const std::string missing = nodes_.Add("Mul", {Extent(), nodes_.Ints("_signs", {0, -1})});
      pads = nodes_.Add("Mod", {missing, nodes_.Ints("_block_size", {block_})});
    }
    return source_ = nodes_.Add("Pad", {x, pads, "", axes_});
  }
  int64_t BlocksUp(int64_t extent) const { return (extent + block_ - 1) / block_ * block_; }

  std::string Slice(const std::string& y) {
    if (!padded()) return y;
    return nodes_.Add("Slice", {y, nodes_.Ints("_start", {0}), Extent(), axes_});
  }

  std::string Block(const std::string& x) {
    dims_ = BlockDims();
    const bool counts_blocks = std::ranges::count(dims_, kDynamicDim) == 0;
    if (contiguous() && shape_.from_back()) {
      dims_ = {kDynamicDim, block_};
    } else if (!shape_.from_back()) {
      dims_.insert(dims_.begin(), static_cast<size_t>(shape_.axis()), 0);
    }
    if (needs_no_reshape()) return x;
    if (contiguous() || (shape_.shape() && (shape_.inner_known() || counts_blocks))) {
      std::vector<int64_t> dims = dims_;
      if (!contiguous()) dims.push_back(shape_.run());
      return nodes_.Add("Reshape", {x, nodes_.Ints("_blocks", dims)});
    }
    std::vector<std::string> parts = {nodes_.Ints("_blocks", dims_)};
    if (shape_.from_back()) parts.insert(parts.begin(), ShapePart(source_, 0, shape_.axis()));
    parts.push_back(ShapePart(source_, shape_.axis() + 1, 0));
    return nodes_.Add("Reshape", {x, nodes_.Add("Concat", parts, {{"axis", int64_t{0}}})});
  }

  std::string Unblock(const std::string& y) {
    if (needs_no_reshape()) return y;
    if (!shape_.shape()) return nodes_.Add("Reshape", {y, ShapePart(source_, 0, 0)});
    Shape dims = *shape_.shape();
    if (extent_known() && !shape_.scalar()) dims[shape_.axis()] = BlocksUp(shape_.extent());
    std::fill_n(dims.begin(), shape_.axis(), 0);
    if (std::ranges::count(dims, kDynamicDim) > 1) return nodes_.Add("Reshape", {y, ShapePart(source_, 0, 0)});
    return nodes_.Add("Reshape", {y, nodes_.Ints("_shape", dims)});
  }

  /// The largest of each (sub-)block, in double.
  std::string LargestOf(std::string magnitude) {
    if (contiguous() && sub_block_ > 0) {
      std::vector<int64_t> dims = dims_;
      dims.back() = block_ / sub_block_;
      dims.push_back(sub_block_);
      magnitude = nodes_.Add("Reshape", {magnitude, nodes_.Ints("_sub_blocks", dims)});
    }
    // The runtime is slow with dimensions of 1 at the end.
    const std::string largest =
        nodes_.Add("ReduceMax", {magnitude, BlockAxis("_element_axis", 0)}, {{"keepdims", int64_t{!contiguous()}}});
    return nodes_.Cast(largest, DataType::kDouble);
  }
  /// The smallest that a sub-block's largest counts as: the block's, times 2^-max_shift.
  std::string LeastOf(const std::string& largest) {
    const double share = std::ldexp(1.0, -grid_.max_shift);
    const std::string of_block = nodes_.Add("ReduceMax", {largest, BlockAxis("_sub_block_axis", 1)});
    if (!contiguous()) return nodes_.Add("Mul", {of_block, nodes_.Double("_least_share", share)});
    const std::vector<double> shares(static_cast<size_t>(block_ / sub_block_), share);
    const Shape row = {1, static_cast<int64_t>(shares.size())};
    return nodes_.Add(
        "MatMul", {of_block, nodes_.Constant("_least_share", Tensor::From<double>(DataType::kDouble, row, shares))});
  }

  /// The unit of elements in float, 2^(e - (m - 1)) or the scale, in a shape that fits what Block() gives.
  std::string Step(const std::string& magnitude) {
    const int unit = grid_.element ? -grid_.element->max_exponent() : 1 - grid_.magnitude_bits;
    int smallest = -127;
    if (grid_.element) smallest = std::max(smallest, grid_.min_scale_exponent + grid_.element->max_exponent());
    if (grid_.flush_denormals) smallest = -126;
    std::vector<std::string> bounds = {LargestOf(magnitude)};
    if (sub_block_ > 0) bounds.push_back(LeastOf(bounds[0]));
    bounds.push_back(nodes_.Double("_smallest", std::ldexp(1.0, smallest)));
    const std::string largest = nodes_.Add("Max", bounds);
    const double scale = std::ldexp(1 + 0x1p-28, 52 + unit);
    const std::string scaled = nodes_.Add("Mul", {largest, nodes_.Double("_last_place", scale)});
    const std::string less = nodes_.Add("Mul", {largest, nodes_.Double("_half_place", scale * 0x1p-53)});
    const std::string before = nodes_.Add("Sub", {scaled, less});
    return Spread(nodes_.Cast(nodes_.Add("Sub", {scaled, before}), DataType::kFloat));
  }

  /// Steps of (sub-)blocks to where a broadcast is fast.
  std::string Spread(const std::string& step) {
    const int64_t run = shape_.run();
    if (contiguous()) {
      const int64_t steps = sub_block_ > 0 ? block_ / sub_block_ : 1, share = block_ / steps;
      std::vector<float> ones(static_cast<size_t>(steps * block_), 0);
      for (int64_t i = 0; i < block_; ++i) ones[static_cast<size_t>(i / share * block_ + i)] = 1;
      const std::string rows = sub_block_ > 0 ? step : nodes_.Add("Unsqueeze", {step, nodes_.Ints("_last_axis", {-1})});
      return nodes_.Add("MatMul", {rows, nodes_.Constant("_ones", Tensor::FromFloats({steps, block_}, ones))});
    }
    if (run == kDynamicDim || run >= kLongRun) return step;
    Shape target(needs_no_reshape() ? shape_.inner().size() + 1 : 2, 1);
    target[0] = BlockDims().back();
    return nodes_.Add("Expand", {step, nodes_.Ints("_expanded", target)});
  }

  /// A step that makes a zero of denormal values, with their signs.
  std::string WithoutDenormals(const std::string& magnitude, const std::string& step) {
    const std::string denormal = nodes_.Add("Less", {magnitude, nodes_.Float("_smallest_normal", 0x1p-126f)});
    return nodes_.Add("Where", {denormal, nodes_.Float("_beyond_all", 0x1p127f), step});
  }
  /// Steps are never 0, but for sessions that take denormals for zeros, where 0 / 0 must not be.
  std::string WithoutZeros(const std::string& step) {
    return nodes_.Add("Where", {nodes_.Cast(step, DataType::kBool), step, nodes_.Float("_one", 1)});
  }

  std::string Round(const std::string& x) {
    const std::string magnitude = nodes_.Add("Abs", {x});
    const std::string step = Step(magnitude);
    const std::string divisor = grid_.flush_denormals ? WithoutDenormals(magnitude, step) : WithoutZeros(step);
    const std::string units = nodes_.Add("Div", {x, divisor});
    const std::string rounded = grid_.element ? RoundedToFloating(units) : RoundedToWhole(units);
    const float low = grid_.element ? -grid_.element->largest() : static_cast<float>(grid_.q_min);
    const float high = grid_.element ? grid_.element->largest() : static_cast<float>(grid_.q_max);
    const std::string clipped =
        nodes_.Add("Clip", {rounded, nodes_.Float("_smallest_unit", low), nodes_.Float("_largest_unit", high)});
    return nodes_.Add("Mul", {clipped, step});
  }

  std::string AddAndSubtract(const std::string& x, const std::string& large) {
    return nodes_.Add("Sub", {nodes_.Add("Add", {x, large}), large});
  }

  std::string RoundedToFloating(const std::string& x) {
    const int dropped_bits = 23 - grid_.element->mantissa_bits;
    const float factor = std::ldexp(1.0f, dropped_bits) - 1;
    const float smallest = std::ldexp(1.5f, grid_.element->min_exponent() + dropped_bits);
    const std::string large = nodes_.Add("Mul", {nodes_.Add("Abs", {x}), nodes_.Float("_dropped_bits", factor)});
    return AddAndSubtract(x, nodes_.Add("Clip", {large, nodes_.Float("_denormals", smallest)}));
  }

  std::string RoundedToWhole(const std::string& x) {
    switch (spec_.rounding) {
      case Rounding::kHalfEven:
        if (grid_.zero_sign == ZeroSign::kOfValue || grid_.magnitude_bits > 22) return nodes_.Add("Round", {x});
        return AddAndSubtract(x, nodes_.Float("_whole", 0x1.8p23f));  // has +0 only, and is faster
      case Rounding::kHalfUp: {
        const std::string halves = nodes_.Add("Floor", {nodes_.Add("Mul", {x, nodes_.Float("_two", 2)})});
        return nodes_.Add("Ceil", {nodes_.Add("Mul", {halves, nodes_.Float("_half", 0.5f)})});
      }
      case Rounding::kHalfAway:
        break;
    }
    // With 0.5 the sum would be 1 for the number below 0.5; with the number below it is 1 for 0.5. What is smaller is
    // doubled and stays below 1.
    const float half = std::nextafter(0.5f, 0.0f);
    const std::string away = nodes_.Add("Clip", {x, nodes_.Float("_minus_half", -half), nodes_.Float("_half", half)});
    return nodes_.Cast(nodes_.Cast(nodes_.Add("Add", {x, away}), DataType::kInt32), DataType::kFloat);
  }

  NodeWriter nodes_;
  const RoundTripNames& names_;
  const BlockSpec& spec_;
  const BlockGrid grid_;
  const BlockShape shape_;
  int64_t block_ = 0, sub_block_ = 0;
  std::string source_;         ///< what Block() reads
  std::vector<int64_t> dims_;  ///< of what it gives, but for those behind the axis
  std::string axes_, extent_;  ///< constants, or D of the tensor
};

}  // namespace

Status WriteBlocksInStockForm(Graph& graph, const RoundTripNames& names, const BlockSpec& spec, int64_t axis) {
  if (spec.raise_exponent) {
    return Error(ErrorId::kNotYetSupported, "standard operators can't express use_compiler_version_cpu_kernel");
  }
  PREON_ASSIGN_OR_RETURN(BlockShape shape, BlockShape::Of(graph.ShapeOf(names.x), axis));
  BlocksWriter(graph, names, spec, std::move(shape)).Write();
  return Status::Ok();
}

}  // namespace preon
