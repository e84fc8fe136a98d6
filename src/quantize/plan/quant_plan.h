// QuantPlan: what will be quantized, how, and why the rest is not. Made by a Target from the preprocessed float graph
// before any data is seen; calibration observes what it names; ApplyPlan turns it into Q/DQ nodes.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/text.h"
#include "formats/compat/compat.h"
#include "formats/int_format.h"
#include "formats/nbits_weight.h"
#include "formats/tensor_type.h"
#include "formats/weight_rule.h"
#include "ir/graph.h"
#include "quantize/plan/npu_options.h"
#include "quantize/plan/pass_parameters.h"
#include "quantize/plan/plan_options.h"

namespace preon {

/// Which operators tensors get whose types ONNX's QuantizeLinear has not.
enum class OperatorForm : uint8_t {
  kStock,    ///< written out in operators of the standard (quantize/write/stock_form.h)
  kLibrary,  ///< Quark's, which libpreon_ops.so has, too
};

/// Whose QuantizeLinear and DequantizeLinear pairs of integers have.
enum class PairDomain : uint8_t {
  kStandard,
  kContrib,          ///< com.microsoft's
  kContribButBytes,  ///< the standard's for bytes, com.microsoft's for others
};

/// A tensor whose values become those of a block format.
struct BlockPlan {
  BlockSpec spec;
  int64_t axis = 1;         ///< -rank…rank-1; of tensors of rank 0 and 1 the only one
  std::string suffix = "";  ///< behind the name of the node that rounds
};

/// The second pair of a tensor, for some of its readers.
struct ConvertPlan {
  IntFormat format;
  std::optional<BlockPlan> block;  ///< instead of `format` and its scale
  ScaleType scale_type = ScaleType::kFloat32;
  RangeBounds range;                  ///< instead of the tensor's
  std::optional<QuantParams> params;  ///< used as they are
  std::set<std::string> nodes;        ///< readers; empty = all, and the graph's output
  std::string added;                  ///< as ActivationPlan::added
};

/// Where an activation's range comes from.
enum class RangeSource { kObserved, kFixed };

/// A tensor that gets a Q/DQ pair.
struct ActivationPlan {
  IntFormat format;
  std::optional<BlockPlan> block;  ///< instead of `format`, and nothing below matters
  ScaleType scale_type = ScaleType::kFloat32;
  RangeSource source = RangeSource::kObserved;
  std::string method;                      ///< range method of its own ("" = that of the options)
  Range fixed;                             ///< kFixed: from an override or the operator's own bounds
  RangeBounds bounds;                      ///< kObserved: override of one bound
  std::optional<QuantParams> params;       ///< override: used as it is
  std::string shares;                      ///< tensor or constant whose scale and zero point it takes ("" = its own)
  std::optional<size_t> shares_converted;  ///< those of that one of its `converts`
  std::string range_of;                    ///< kObserved: tensor whose range it takes ("" = its own)
  bool inherited = false;                  ///< shares, range_of or the fixed range come from PlanOptions::passthrough
  bool pair = true;                        ///< false: nothing is written; others share its parameters
  std::vector<std::string> dedicated;      ///< readers that get a pair of their own each; empty = one pair for all
  std::vector<ConvertPlan> converts;       ///< second pairs
  /// How the names of the first pair begin that was added in front of the tensor's own one, which is among `converts`;
  /// "" = the first one is the tensor's own.
  std::string added;

  /// The second pair that this reader has; null: it reads the first.
  const ConvertPlan* ConvertFor(std::string_view node) const;
  /// What a range of the tensor's own is for: its codes, else those of a second pair; null where nothing needs one.
  const IntFormat* RangedFormat() const;
};

/// A constant that becomes codes, for the integer nodes that read it (other readers keep the float constant).
struct WeightPlan {
  IntFormat format;
  std::optional<BlockPlan> block;  ///< instead of `format` and its scales
  WeightForm form = WeightForm::kPacked;
  ScaleType scale_type = ScaleType::kFloat32;
  WeightRule rule;                    ///< how its scales follow from its values
  int axis = -1;                      ///< per-channel axis, -1 = per tensor
  int64_t block_size = 0;             ///< so many neighbours along `axis` share a scale; 0 = all
  std::vector<std::string> nodes;     ///< readers, in graph order
  bool fits_pairs = false;            ///< no two products leave 16 bits together (quantize/params/product_pairs.h)
  RangeBounds range;                  ///< override instead of the constant's own extremes
  std::optional<QuantParams> params;  ///< override: used as it is
  std::vector<Range> channel_ranges;  ///< overrides, one per index of `axis`
  std::vector<QuantParams> channel_params;
  std::optional<IntFormat> codes_before;  ///< its values are first rounded to these codes, with scales of their own

  bool HasGivenScales() const { return params || !channel_params.empty(); }
};

enum class BiasForm {
  kInt32Codes,  ///< their scale is the product of those of input and weight
  kFloat,
  kAsWeight,  ///< one of QuantPlan::weights
};

/// A bias that is made to fit its rounded weight: corrected, where the means of the input are known, and written.
struct BiasPlan {
  std::string node;  ///< reader; a bias shared by nodes is cloned per node
  std::string bias, input, weight;
  BiasForm form = BiasForm::kInt32Codes;
  std::optional<bool>
      protect;  ///< the weight's scale grows where the codes would not fit; default: not with --compat quark
};

/// Weights as n-bit codes in blocks, of nodes that become com.microsoft::MatMulNBits.
struct NBitsPlan {
  NBitsOptions options;
  std::optional<int> accuracy_level;
  bool shrinks_blocks = true;      ///< where a matrix has fewer rows than a block
  std::vector<std::string> nodes;  ///< MatMul, and Gemm with neither scalars nor transposed data

  std::string NameInResult(const std::string& node) const { return StrCat(node, "_Q", options.bits); }
};

/// Nodes that become integer operators whose activations get their scale and zero point in each run
/// (docs/design/dynamic.md).
struct DynamicPlan {
  std::vector<std::string> nodes;
  /// Their constants, by initializer; of LSTM, axis 0 means a scale per direction and axis 1 one per gate and unit.
  std::map<std::string, WeightPlan> weights;
  int in_bodies = 0;  ///< of QuantPlan::bodies

  static std::string NameInResult(const std::string& node) { return node + "_quant"; }
};

/// Ranges by tensor.
using TensorRanges = std::map<std::string, Range>;

struct NodeDecision {
  std::string node, op_type;
  FloatReason reason = FloatReason::kNone;
  std::string detail;    ///< one clause for humans
  double macs = 0;       ///< multiply-accumulates per sample where shapes are known
  bool dynamic = false;  ///< one of QuantPlan::dynamic: it reads and writes floats

  /// Computes on codes that Q/DQ pairs give it, with scales that are known before.
  bool is_static() const { return reason == FloatReason::kNone && !dynamic; }
};

struct QuantPlan {
  std::string target;
  std::string runs_on;  ///< what computes the model in integers, where that is not the runtime at hand; "" = it is
  OperatorForm operators = OperatorForm::kStock;
  BFloat16Options bfloat16;
  Compat compat = Compat::kOff;  ///< whose scales, zero points and codes; placement is the target's in any case
  std::map<std::string, ActivationPlan> activations;  ///< by tensor
  std::map<std::string, WeightPlan> weights;          ///< by initializer
  std::vector<BiasPlan> biases;
  std::vector<NodeDecision> nodes;  ///< every node of the graph, in order
  NBitsPlan nbits;
  DynamicPlan dynamic;
  FloatWeights float_weights;
  bool for_this_runtime = false;  ///< Target::FollowsRuntime: operators may have the forms that it computes best
  /// Of sub-graphs that are kept as they are (bodies of Loop, Scan), in the order of EditSubGraphs (ir/sub_graphs.h).
  std::vector<QuantPlan> bodies;
  /// Relu/Clip nodes behind an integer producer, whose codes absorb them where the final scale allows it.
  std::vector<std::string> folded_clamps;
  /// Float Conv/Gemm nodes that read a quantized tensor: they get a DQ of their own in a form that keeps the runtime
  /// from quantizing them behind the user's back (docs/design/placement.md).
  std::vector<std::string> float_regions;
  /// Convolutions of images whose input gets four channels (quantize/qdq_passes/fill_image_channels.h).
  std::vector<std::string> filled_inputs;
  /// All readers of a quantized tensor take the dequantized value (else only integer nodes do, where the producer is
  /// float).
  bool dequantize_for_all_readers = false;
  PairDomain domain = PairDomain::kStandard;
  bool mixes_types = false;              ///< a search changes layers
  bool dedicated_dequantize = false;     ///< each reader has a DequantizeLinear of its own
  bool int16_biases = false;             ///< codes of int32 biases are cut to 16 bits
  bool clips_to_relu = false;            ///< Clips from 0 become Relu where codes keep the upper bound
  bool beta_in_codes = false;            ///< with --compat: of a Gemm's bias; else its scale has beta
  bool improves_ranges = false;          ///< 16 bits get room for unseen values, masked scores are cut
  std::optional<double> min_real_range;  ///< ranges are at least so wide
  /// (tensor, whose scale and zero point it takes over), in this order and again until nothing changes, or so often.
  std::vector<std::pair<std::string, std::string>> aligned;
  int64_t align_rounds = 5;
  std::optional<PositionLimits> positions;  ///< of an NPU that computes with shifts: all scales are powers of two
  DpuConversions dpu;                       ///< operators that become the DPU's
  PassParameters parameters;                ///< of passes that are asked for by name
  std::vector<std::string> warnings;
  /// Tensors that are observed only to learn whether the data reach them (quantize/plan/branch_coverage.h).
  std::set<std::string> branch_probes;

  bool empty() const { return activations.empty() && nbits.nodes.empty() && !is_dynamic(); }
  /// Constants that become codes, those in bodies included.
  size_t CountWeights() const;
  /// Do its nearest codes lose much: of powers of two with limits, of 4 bits and fewer, or bytes beside activations of
  /// more bits, which then make nearly all of the error?
  bool NeedsBetterCodes() const;
  /// Has it dynamic nodes? Others may stand beside them (`activations`).
  bool is_dynamic() const { return !dynamic.nodes.empty() || dynamic.in_bodies > 0; }
  /// What the node is called in the result.
  std::string NameInResult(const NodeDecision& decision) const;
  /// Tensors whose range comes from calibration, sorted.
  std::vector<std::string> RangeTensors() const;
  /// The tensor that calibration observes for one of these: itself, or the one whose range it inherits.
  const std::string& ObservedFor(const std::string& range_tensor) const;
  /// Tensors that calibration has to observe, sorted: those and the branch_probes.
  std::vector<std::string> ObservedTensors() const;
};

/// Names of the nodes that the plan has in integers; they are the plan's.
std::set<std::string_view> IntegerNodes(const QuantPlan& plan);

}  // namespace preon
