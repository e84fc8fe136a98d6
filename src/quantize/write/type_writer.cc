#include "quantize/write/type_writer.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "formats/block_codec.h"
#include "formats/linear_blocks.h"
#include "formats/linear_codec.h"
#include "formats/quark_operators.h"
#include "quantize/params/plan_params.h"
#include "quantize/qdq_passes/bfloat16_nodes.h"
#include "quantize/write/stock_form.h"

namespace preon {
namespace {

constexpr float kLargestBFloat16 = kE8M7.largest();

// Types without a QuantizeLinear that the runtime has and leaves alone (stock_form.h).
bool NeedsForm(DataType type) { return MiniFloatOf(type) || type == DataType::kInt32 || type == DataType::kUInt32; }

// Those of them that the library's operators have.
bool InLibrary(DataType type) { return NeedsForm(type) && DataTypeBits(type) >= 16; }

// The order of attributes is the map's; Quark writes all of them, defaults too.
void SetAttributes(Node* node, const BfpAttributes& attributes) {
  node->attributes["bfp_method"] = attributes.bfp_method;
  node->attributes["bit_width"] = attributes.bit_width;
  node->attributes["block_size"] = attributes.block_size;
  node->attributes["rounding_mode"] = attributes.rounding_mode;
  node->attributes["sub_block_size"] = attributes.sub_block_size;
  node->attributes["sub_block_shift_bits"] = attributes.sub_block_shift_bits;
  node->attributes["convert_to_bfloat_before_bfp"] = attributes.convert_to_bfloat_before_bfp;
}

void SetAttributes(Node* node, const MxAttributes& attributes) {
  node->attributes["element_dtype"] = attributes.element_dtype;
  node->attributes["block_size"] = attributes.block_size;
  node->attributes["rounding_mode"] = attributes.rounding_mode;
}

Status CheckFinite(const std::string& weight, const Tensor& values) {
  if (std::ranges::all_of(values.floats(), [](float value) { return std::isfinite(value); })) return Status::Ok();
  return Error(ErrorId::kRangeNotFinite, weight, ": some of its values are NaN or infinite");
}

// As Quark writes constants.
BlockPlan OfConstant(const Tensor& values, const WeightPlan& plan) {
  BlockPlan block{plan.block->spec, values.shape().size() <= 1 ? 0 : plan.block->axis};
  if (plan.form == WeightForm::kOperators) block.spec.bfloat_first = false;
  return block;
}

}  // namespace

BlockSpec TypeWriter::SpecOf(const BlockPlan& block) const {
  BlockSpec spec = block.spec;
  spec.numerics = plan_.operators == OperatorForm::kLibrary ? Numerics::kCompat : Numerics::kStrict;
  return spec;
}

Status TypeWriter::WriteCodes(const RoundTripNames& names, const Codes& codes) {
  RoundTripNames clipped = names;
  if (codes.type == DataType::kBFloat16 && plan_.bfloat16.clip && graph_.Initializer(names.x) == nullptr) {
    clipped.x = AddClipToBFloat16(graph_, names.x, names.base);
  }
  const bool casts = codes.type == DataType::kBFloat16 && (plan_.bfloat16.casts || plan_.bfloat16.vaiml);
  if (casts && plan_.compat == Compat::kQuark && codes.params.size() == 1 && codes.params[0].scale != 1) {
    const float scale = codes.params[0].scale;
    const std::string rounded = graph_.UniqueTensorName(names.base + "_QuantizeLinear_Output" + names.suffix);
    AddCastToBFloat16(graph_, clipped.x, names.base + "_QuantizeLinear" + names.suffix, Tensor::ScalarFloat(1 / scale),
                      rounded);
    AddCastFromBFloat16(graph_, rounded, names.base + "_DequantizeLinear" + names.suffix, Tensor::ScalarFloat(scale),
                        names.y);
    return Status::Ok();
  }
  const bool library = plan_.operators == OperatorForm::kLibrary && InLibrary(codes.type) && !casts;
  if (NeedsForm(codes.type) && !library) {
    return WriteCodesInStockForm(graph_, clipped, codes.type, codes.params, codes.axis);
  }
  const ParamNames params =
      codes.shared != nullptr ? *codes.shared : qdq_.AddParams(names.base, codes.params, codes.type);
  qdq_.AddPair(clipped, params, codes.params.size() > 1 ? codes.axis : -1, library);
  return Status::Ok();
}

Status TypeWriter::WriteBlocks(const RoundTripNames& names, const BlockPlan& block) {
  const BlockSpec spec = SpecOf(block);
  if (plan_.operators == OperatorForm::kStock) return WriteBlocksInStockForm(graph_, names, spec, block.axis);
  const bool mx = spec.family == BlockSpec::Family::kMx;
  const char* op_type = mx ? kMxQuantizeDequantize : kBfpQuantizeDequantize;
  const std::string name = names.added ? StrCat(names.base, kAddedSuffix, "_", op_type)
                                       : StrCat(names.base, "_DequantizeLinear", block.suffix);
  Node* node = graph_.AddNode(op_type, {names.x}, {names.y}, name, kQuarkDomain);
  if (mx)
    SetAttributes(node, MxAttributesOf(spec));
  else
    SetAttributes(node, BfpAttributesOf(spec));
  node->attributes["axis"] = block.axis;
  return Status::Ok();
}

Tensor TypeWriter::Representable(const Tensor& values, DataType type) {
  if (type != DataType::kBFloat16) return values;
  Tensor kept = Tensor::Allocate(DataType::kFloat, values.shape());
  std::ranges::transform(values.floats(), kept.Mutable<float>().begin(), [](float value) {
    return value == 0 ? value : std::copysign(std::clamp(std::abs(value), FLT_MIN, kLargestBFloat16), value);
  });
  return kept;
}

void TypeWriter::Fold(const std::string& weight, const WeightPlan& plan, Tensor values) {
  graph_.SetInitializer(qdq_.OpenBehind(weight, plan.nodes).y, std::move(values));
}

Status TypeWriter::WriteWeight(const std::string& weight, const WeightPlan& plan, const EncodedTensor& encoded) {
  switch (plan.form) {
    case WeightForm::kFolded:
      Fold(weight, plan, DecodeTensor(encoded));
      return Status::Ok();
    case WeightForm::kOperators:
      if (encoded.block_size > 0) {
        return Error(ErrorId::kNotYetSupported, weight,
                     ": --weight-form operators does not support scales per block yet; "
                     "wanted --weight-form packed or folded");
      }
      return WriteCodes(qdq_.OpenBehind(weight, plan.nodes), {encoded.codes.type(), encoded.params, encoded.axis});
    case WeightForm::kPacked:
      break;
  }
  if (encoded.codes.type() == DataType::kUInt32) {
    return Error(ErrorId::kFormatCombination, weight,
                 ": DequantizeLinear does not support uint32; wanted --weight-form folded or operators");
  }
  const bool library = plan_.compat == Compat::kQuark && plan_.operators == OperatorForm::kLibrary &&
                       InLibrary(encoded.codes.type()) && IsHalf(encoded.codes.type());
  qdq_.AddCodes(qdq_.OpenBehind(weight, plan.nodes), encoded, library);
  return Status::Ok();
}

Result<Tensor> TypeWriter::RoundedToBlocks(const std::string& weight, const Tensor& values,
                                           const WeightPlan& plan) const {
  PREON_RETURN_IF_ERROR(CheckFinite(weight, values));
  const BlockPlan block = OfConstant(values, plan);
  Tensor rounded = Tensor::Allocate(DataType::kFloat, values.shape());
  PREON_RETURN_IF_ERROR(QuantizeDequantize(SpecOf(block), values.shape(), block.axis, values.floats().data(),
                                           rounded.Mutable<float>().data())
                            .WithContext(weight));
  return rounded;
}

Status TypeWriter::WriteBlockWeight(const std::string& weight, const WeightPlan& plan) {
  const Tensor values = *graph_.Initializer(weight);
  PREON_RETURN_IF_ERROR(CheckFinite(weight, values));
  const BlockPlan block = OfConstant(values, plan);
  switch (plan.form) {
    case WeightForm::kOperators:
      return WriteBlocks(qdq_.OpenBehind(weight, plan.nodes), block);
    case WeightForm::kFolded: {
      PREON_ASSIGN_OR_RETURN(Tensor rounded, RoundedToBlocks(weight, values, plan));
      Fold(weight, plan, std::move(rounded));
      return Status::Ok();
    }
    case WeightForm::kPacked:
      break;
  }
  Result<LinearBlocks> blocks = AsLinearBlocks(SpecOf(block), values, block.axis);
  if (!blocks.ok()) return std::move(blocks).status().WithContext(weight);
  const RoundTripNames names = qdq_.OpenBehind(weight, plan.nodes);
  const std::string codes = graph_.UniqueTensorName(weight + "_quantized"),
                    scales = graph_.UniqueTensorName(weight + "_scale");
  graph_.SetInitializer(codes, blocks->codes);
  graph_.SetInitializer(scales, blocks->scales);
  Node* dequantize = graph_.AddNode("DequantizeLinear", {codes, scales}, {names.y}, weight + "_DequantizeLinear");
  if (blocks->block_size == 0) return Status::Ok();
  dequantize->attributes["axis"] = blocks->axis;
  dequantize->attributes["block_size"] = blocks->block_size;
  return Status::Ok();
}

}  // namespace preon
