#include "quantize/stock_form.h"

#include "formats/linear_codec.h"
#include <algorithm>
#include <cmath>
#include <vector>

namespace preon {
namespace {

// Beyond this many neighbours with the same step, or with steps that are neighbours too, the runtime's broadcast is as
// fast as a step for each value.
constexpr int64_t kLongRun = 64;

/// Adds nodes and constants under names that begin with `base`.
class NodeWriter {
 public:
  NodeWriter(Graph& graph, const std::string& base) : graph_(graph), base_(base) {}

  std::string Add(const std::string& op, std::vector<std::string> inputs,
                  const std::map<std::string, AttributeValue>& attributes = {}) {
    Node* node = graph_.AddNode(op, std::move(inputs), {graph_.UniqueTensorName(StrCat(base_, "_", op, "_Output"))},
                                StrCat(base_, "_", op));
    node->attributes = attributes;
    return node->output();
  }
  std::string Cast(const std::string& x, DataType type) {
    return Add("Cast", {x}, {{"to", static_cast<int64_t>(type)}});
  }

  std::string Constant(const std::string& ending, Tensor value) {
    const std::string name = graph_.UniqueTensorName(base_ + ending);
    graph_.SetInitializer(name, std::move(value));
    return name;
  }
  std::string Float(const std::string& ending, float value) { return Constant(ending, Tensor::ScalarFloat(value)); }
  std::string Double(const std::string& ending, double value) {
    return Constant(ending, Tensor::From<double>(DataType::kDouble, {}, {&value, 1}));
  }
  std::string Ints(const std::string& ending, const std::vector<int64_t>& values) {
    return Constant(ending, Tensor::FromInt64s({static_cast<int64_t>(values.size())}, values));
  }

  /// The last node writes `y`.
  void Finish(const std::string& result, const std::string& y) { graph_.SetOutput(graph_.Producer(result), 0, y); }

 private:
  Graph& graph_;
  const std::string base_;
};

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
  /// x has a dimension of blocks already.
  bool needs_no_reshape() const { return one_block() && sub_block_ == 0 && !shape_.scalar(); }

  /// What D becomes: blocks, where there may be several, sub-blocks, where there are, and their elements.
  std::vector<int64_t> BlockDims() const {
    std::vector<int64_t> dims;
    if (!one_block()) {
      dims.push_back(extent_known() ? (shape_.extent() + block_ - 1) / block_ : kDynamicDim);
    }
    if (sub_block_ > 0) dims.push_back(block_ / sub_block_);
    dims.push_back(sub_block_ > 0 ? sub_block_ : block_);
    return dims;
  }
  /// The axis `outwards` of the elements of (sub-)blocks, in what Block() gives.
  std::vector<int64_t> BlockAxis(int64_t outwards) const {
    const auto dims = static_cast<int64_t>(BlockDims().size());
    return {shape_.axis() - outwards + (shape_.from_back() ? 0 : dims - 1)};
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
    if (needs_no_reshape()) return x;
    std::vector<int64_t> dims = BlockDims();
    const bool counts_blocks = std::ranges::count(dims, kDynamicDim) == 0;
    std::string target;
    if (shape_.shape() && (shape_.inner_known() || counts_blocks)) {
      dims.insert(dims.begin(), static_cast<size_t>(shape_.axis()), 0);
      if (shape_.inner_known()) {
        dims.insert(dims.end(), shape_.inner().begin(), shape_.inner().end());
      } else {
        dims.push_back(kDynamicDim);
      }
      target = nodes_.Ints("_blocks", dims);
    } else {
      std::vector<std::string> parts;
      if (shape_.from_back()) {
        parts.push_back(ShapePart(source_, 0, shape_.axis()));
      } else {
        dims.insert(dims.begin(), static_cast<size_t>(shape_.axis()), 0);
      }
      parts.push_back(nodes_.Ints("_blocks", dims));
      if (shape_.axis() != -1) parts.push_back(ShapePart(source_, shape_.axis() + 1, 0));
      target = nodes_.Add("Concat", parts, {{"axis", int64_t{0}}});
    }
    return nodes_.Add("Reshape", {x, target});
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

  /// The block's unit in float, with the (sub-)block's elements as a dimension of 1: 2^(e - (m - 1)) or the scale.
  std::string Step(const std::string& magnitude) {
    const int unit = grid_.element ? -grid_.element->max_exponent() : 1 - grid_.magnitude_bits;
    int smallest = -127;
    if (grid_.element) smallest = std::max(smallest, grid_.min_scale_exponent + grid_.element->max_exponent());
    if (grid_.flush_denormals) smallest = -126;
    const auto largest_along = [&](const std::string& x, int64_t outwards, const std::string& ending) {
      return nodes_.Add("ReduceMax", {x, nodes_.Ints(ending, BlockAxis(outwards))});
    };
    std::string largest = nodes_.Cast(largest_along(magnitude, 0, "_element_axis"), DataType::kDouble);
    std::vector<std::string> bounds = {largest};
    if (sub_block_ > 0) {
      // The step shrinks with the sub-block's largest down to that of the block's, times 2^-max_shift.
      const std::string of_block = largest_along(largest, 1, "_sub_block_axis");
      bounds.push_back(nodes_.Add("Mul", {of_block, nodes_.Double("_least_share", std::ldexp(1.0, -grid_.max_shift))}));
    }
    bounds.push_back(nodes_.Double("_smallest", std::ldexp(1.0, smallest)));
    largest = nodes_.Add("Max", bounds);
    const double scale = std::ldexp(1 + 0x1p-28, 52 + unit);
    const std::string scaled = nodes_.Add("Mul", {largest, nodes_.Double("_last_place", scale)});
    const std::string less = nodes_.Add("Mul", {largest, nodes_.Double("_half_place", scale * 0x1p-53)});
    const std::string before = nodes_.Add("Sub", {scaled, less});
    std::string step = nodes_.Cast(nodes_.Add("Sub", {scaled, before}), DataType::kFloat);
    const int64_t run = shape_.run(), elements = BlockDims().back();
    if (run == kDynamicDim || std::max(run, run == 1 ? elements : 0) >= kLongRun || elements == 1) return step;
    Shape target(shape_.inner().size() + 1, 1);
    target[0] = elements;
    return nodes_.Add("Expand", {step, nodes_.Ints("_expanded", target)});
  }

  std::string Round(const std::string& x) {
    const std::string magnitude = nodes_.Add("Abs", {x});
    const std::string step = Step(magnitude);
    std::string divisor = step;
    if (grid_.flush_denormals) {  // to zeros with their signs
      const std::string denormal = nodes_.Add("Less", {magnitude, nodes_.Float("_smallest_normal", 0x1p-126f)});
      divisor = nodes_.Add("Where", {denormal, nodes_.Float("_beyond_all", 0x1p127f), step});
    }
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
  std::string source_;          ///< what Block() reads
  std::string axes_, extent_;   ///< constants, or D of the tensor
};

bool IsFloating(DataType type) { return MiniFloatOf(type).has_value(); }

}  // namespace

Status WriteBlocksInStockForm(Graph& graph, const RoundTripNames& names, const BlockSpec& spec, int64_t axis) {
  if (spec.raise_exponent) {
    return Error(ErrorId::kNotYetSupported, "use_compiler_version_cpu_kernel has no form in operators of the standard");
  }
  PREON_ASSIGN_OR_RETURN(BlockShape shape, BlockShape::Of(graph.ShapeOf(names.x), axis));
  BlocksWriter(graph, names, spec, std::move(shape)).Write();
  return Status::Ok();
}

Status WriteCodesInStockForm(Graph& graph, const RoundTripNames& names, DataType type,
                             std::span<const QuantParams> params, int axis) {
  const bool whole = type == DataType::kInt32 || type == DataType::kUInt32;
  if (!whole && !IsFloating(type)) {
    return Error(ErrorId::kFormatAttribute, "type: got ", DataTypeName(type),
                 ", wanted a floating type, int32 or uint32: others have a QuantizeLinear");
  }
  // Float8 has a QuantizeLinear, but the runtime makes integer kernels of what stands between such pairs, and fails.
  if (!whole && std::ranges::any_of(params, [](const QuantParams& p) { return p.zero_point != 0; })) {
    return Error(ErrorId::kFormatAttribute, "zero point: wanted 0, which is the only one of ", DataTypeName(type));
  }
  const std::optional<Shape> shape = graph.ShapeOf(names.x);
  const int64_t rank = shape ? static_cast<int64_t>(shape->size()) : 0;
  if (axis >= 0 ? axis >= rank : params.size() != 1) {
    return Error(ErrorId::kFormatAxis, "axis: got ", axis, " for ", params.size(), " scales of a tensor of ",
                 shape ? "shape " + ShapeToString(*shape) : "unknown rank");
  }
  // One for all as [1, 1]: the runtime takes scalars that multiply the output or the input of a MatMul into its kernel,
  // where they round otherwise.
  Shape broadcast(axis >= 0 ? static_cast<size_t>(rank - axis) : rank >= 2 ? 2 : 0, 1);
  if (axis >= 0) broadcast[0] = static_cast<int64_t>(params.size());
  const auto floats = [&](const auto& value_of) {
    std::vector<float> values;
    for (const QuantParams& p : params) values.push_back(value_of(p));
    return Tensor::FromFloats(broadcast, values);
  };

  NodeWriter nodes(graph, names.base);
  const bool scaled = std::ranges::any_of(params, [](const QuantParams& p) { return p.scale != 1; });
  std::string scale, x = names.x;
  if (scaled) {
    scale = nodes.Constant("_scale", floats([](const QuantParams& p) { return p.scale; }));
    x = nodes.Add("Div", {x, scale});
  }
  const auto clip = [&](float low, float high) {
    x = nodes.Add("Clip", {x, nodes.Float("_smallest", low), nodes.Float("_largest", high)});
  };
  if (whole) {
    // Codes without their zero point are whole floats or lie beyond a bound; so bounds that are rounded to floats give
    // what the codec's give, whose difference is rounded.
    const IntFormat format{type};
    const auto low = [&](const QuantParams& p) { return static_cast<float>(format.q_min() - p.zero_point); };
    const auto high = [&](const QuantParams& p) { return static_cast<float>(format.q_max() - p.zero_point); };
    x = nodes.Add("Round", {x});
    const auto differs = [&](const QuantParams& p) { return p.zero_point != params[0].zero_point; };
    if (std::ranges::any_of(params, differs)) {
      x = nodes.Add("Max", {x, nodes.Constant("_smallest", floats(low))});
      x = nodes.Add("Min", {x, nodes.Constant("_largest", floats(high))});
    } else {
      clip(low(params[0]), high(params[0]));
    }
  } else {
    if (type == DataType::kFloat16) clip(-65504, 65504);
    x = nodes.Cast(nodes.Cast(x, type), DataType::kFloat);
  }
  if (scaled) x = nodes.Add("Mul", {x, scale});
  nodes.Finish(x, names.y);
  return Status::Ok();
}

}  // namespace preon
