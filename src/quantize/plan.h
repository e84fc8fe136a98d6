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

#include "base/registry.h"
#include "base/status.h"
#include "base/text.h"
#include "formats/compat/compat.h"
#include "formats/int_format.h"
#include "formats/nbits_weight.h"
#include "formats/tensor_type.h"
#include "formats/weight_rule.h"
#include "ir/graph.h"

namespace preon {

/// How a constant of a reduced type is stored.
enum class WeightForm : uint8_t {
  kPacked,     ///< as codes, behind a DequantizeLinear or Cast: small
  kFolded,     ///< as the floats that its codes stand for: fast where the runtime does not fold codes itself
  kOperators,  ///< as it was, behind the operators that an activation has
};
/// packed/folded/operators. Errors: kUnknownOption.
Result<WeightForm> ParseWeightForm(std::string_view name);
std::string_view WeightFormName(WeightForm form);

/// Which operators tensors get whose types ONNX's QuantizeLinear has not.
enum class OperatorForm : uint8_t {
  kStock,    ///< written out in operators of the standard (quantize/stock_form.h)
  kLibrary,  ///< those of the reference tool, which libpreon_ops.so has, too
};

/// Settings of one tensor that go over the defaults (spec qdq §8).
struct TensorOverride {
  std::optional<TensorType> type;
  std::optional<bool> symmetric;
  std::optional<ScaleType> scale_type;
  std::optional<Range> range;         ///< rmin, rmax
  std::optional<QuantParams> params;  ///< scale and zero_point
};

/// Why a node stays float; a closed list (spec qdq §13.5) so that reports and tests can count.
enum class FloatReason {
  kNone,               ///< it becomes an integer kernel
  kNoKernel,           ///< the target has no integer kernel for this operator (in this form)
  kExcluded,           ///< the user excluded it
  kNotConstant,        ///< needs a constant (weight, slope, …) that is computed
  kType,               ///< not float32
  kAttributes,         ///< alpha, beta, mode, axis … that the kernel does not take
  kNoGain,             ///< would run in integers but costs more than it saves, or enables no integer kernel
  kTail,               ///< behind the last integer Conv/MatMul/Gemm: outputs keep float accuracy
  kMask,               ///< attention mask: its range would swallow everything else
  kAccuracy,           ///< joins very different ranges; reads or writes channels of very different ranges
  kSubgraph,           ///< inside, or feeding, a sub-graph
  kNotReached,         ///< the calibration data never ran it: nothing is known about its range
  kNotFused,           ///< planned in integers, but the runtime computes it in float
};
std::string_view FloatReasonName(FloatReason reason);
/// One clause for humans about a reason of PlanOptions::left_float.
std::string_view LeftFloatDetail(FloatReason reason);

/// How bfloat16 is written (spec formats §5.4 to §5.6).
struct BFloat16Options {
  bool casts = false;  ///< Cast pairs instead of the operator library's
  bool clip = false;   ///< values beyond the largest become the largest, not infinity
  bool vaiml = false;  ///< Cast pairs at graph inputs alone; weights as floats rounded to bfloat16
};

struct PlanOptions {
  TensorType activation = DataType::kUInt8;
  TensorType weight = DataType::kInt8;
  std::optional<bool> activation_symmetric;   ///< default: the target's
  ScaleType scale_type = ScaleType::kFloat32;
  std::optional<ScaleType> weight_scale_type;  ///< default: scale_type
  WeightRule weight_rule;
  Compat compat = Compat::kOff;
  bool per_channel = true;
  /// Floating types of 16 bits: tensors are divided by a scale of their own first, instead of rounded as they are.
  bool activation_scaled = false, weight_scaled = false;
  BFloat16Options bfloat16;
  bool refine_block_axis = true;              ///< blocks run along what MatMul, Gemm and Softmax reduce
  std::optional<WeightForm> weight_form;      ///< default: by type, the target's
  std::optional<int64_t> block_size;          ///< weights that share a scale; default: the target's
  std::optional<int> accuracy_level;          ///< of MatMulNBits: 0 to 4, how it computes
  std::vector<std::string> exclude;           ///< node names (as in the user's file) or globs `*`, `?`
  std::vector<std::string> exclude_types;     ///< operator types
  std::vector<std::string> passthrough;       ///< operator types whose outputs inherit the range of their input
  std::map<std::string, TensorOverride> overrides;   ///< by tensor name of the user's file
  /// Nodes that stay float for what came out after a first plan: kNotReached, kNotFused, kAccuracy.
  std::map<std::string, FloatReason> left_float;

  ScaleType scale_type_of_weights() const { return weight_scale_type.value_or(scale_type); }
};

/// A tensor whose values become those of a block format.
struct BlockPlan {
  BlockSpec spec;
  int64_t axis = 1;   ///< -rank…rank-1; of tensors of rank 0 and 1 the only one
};

/// Where an activation's range comes from.
enum class RangeSource { kObserved, kFixed };

/// A tensor that gets a Q/DQ pair.
struct ActivationPlan {
  IntFormat format;
  std::optional<BlockPlan> block;         ///< instead of `format`, and nothing below matters
  ScaleType scale_type = ScaleType::kFloat32;
  RangeSource source = RangeSource::kObserved;
  Range fixed;                            ///< kFixed: from an override or the operator's own bounds (spec qdq §5.1)
  std::optional<QuantParams> params;      ///< override: used as it is
  std::string shares;                     ///< tensor whose scale and zero point it takes ("" = its own)
  std::string range_of;                   ///< kObserved: tensor whose range it takes ("" = its own)
  bool inherited = false;                 ///< shares, range_of or the fixed range come from PlanOptions::passthrough
};

/// A constant that becomes codes, for the integer nodes that read it (other readers keep the float constant).
struct WeightPlan {
  IntFormat format;
  std::optional<BlockPlan> block;         ///< instead of `format` and its scales
  WeightForm form = WeightForm::kPacked;
  ScaleType scale_type = ScaleType::kFloat32;
  WeightRule rule;                        ///< how its scales follow from its values
  int axis = -1;                          ///< per-channel axis, -1 = per tensor
  int64_t block_size = 0;                 ///< so many neighbours along `axis` share a scale; 0 = all
  std::vector<std::string> nodes;         ///< readers, in graph order
  std::optional<Range> range;             ///< override instead of the constant's own extremes
  std::optional<QuantParams> params;      ///< override: used as it is
};

/// A bias that is made to fit its weight's codes: corrected, where the means of the input are known, and encoded.
struct BiasPlan {
  std::string node;      ///< reader; a bias shared by nodes is cloned per node
  std::string bias, input, weight;
  bool encoded = true;   ///< as int32 codes, whose scale is the product of those of input and weight; else it stays float
};

/// Weights as n-bit codes in blocks, of nodes that become com.microsoft::MatMulNBits.
struct NBitsPlan {
  NBitsOptions options;
  std::optional<int> accuracy_level;
  std::vector<std::string> nodes;   ///< MatMul, and Gemm with neither scalars nor transposed data

  std::string NameInResult(const std::string& node) const { return StrCat(node, "_Q", options.bits); }
};

struct NodeDecision {
  std::string node, op_type;
  FloatReason reason = FloatReason::kNone;
  std::string detail;        ///< one clause for humans
  double macs = 0;           ///< multiply-accumulates per sample where shapes are known
};

struct QuantPlan {
  std::string target;
  OperatorForm operators = OperatorForm::kStock;
  BFloat16Options bfloat16;
  Compat compat = Compat::kOff;  ///< whose scales, zero points and codes; placement is the target's in any case
  std::map<std::string, ActivationPlan> activations;   ///< by tensor
  std::map<std::string, WeightPlan> weights;            ///< by initializer
  std::vector<BiasPlan> biases;
  std::vector<NodeDecision> nodes;                      ///< every node of the graph, in order
  NBitsPlan nbits;
  /// Relu/Clip nodes behind an integer producer, whose codes absorb them where the final scale allows it.
  std::vector<std::string> folded_clamps;
  /// Float Conv/Gemm nodes that read a quantized tensor: they get a DQ of their own in a form that keeps the runtime
  /// from quantizing them behind the user's back (spec qdq §13.3 A).
  std::vector<std::string> float_islands;
  /// Convolutions of images whose input gets four channels (quantize/fill_channels.h).
  std::vector<std::string> filled_inputs;
  /// All readers of a quantized tensor take the dequantized value (else only integer nodes do, where the producer is float).
  bool dequantize_for_all_readers = false;
  std::vector<std::string> warnings;
  /// Tensors that are observed only to learn whether the data reach them (quantize/reach.h).
  std::set<std::string> witnesses;

  bool empty() const { return activations.empty() && nbits.nodes.empty(); }
  /// Tensors whose range comes from calibration, sorted.
  std::vector<std::string> RangeTensors() const;
  /// The tensor that calibration observes for one of these: itself, or the one whose range it inherits.
  const std::string& ObservedFor(const std::string& range_tensor) const;
  /// Tensors that calibration has to observe, sorted: those and the witnesses.
  std::vector<std::string> ObservedTensors() const;
};

/// Placement rules of one deployment target. Pure.
class Target {
 public:
  virtual ~Target() = default;
  virtual std::string_view name() const = 0;
  virtual std::vector<std::string_view> aliases() const { return {}; }
  virtual std::string_view summary() const = 0;
  /// Smallest ai.onnx opset that the plan's Q/DQ nodes need: a model that can't be raised to it is an error.
  virtual int64_t RequiredOpset(const PlanOptions& options) const = 0;
  /// Opset at which the target's fused operators exist; the model is raised to it where that is possible.
  virtual int64_t PreferredOpset(const PlanOptions& options) const { return RequiredOpset(options); }
  /// Rewrites the float graph into the shape the target executes in integers (may be a no-op), before planning.
  virtual Status Prepare(Model& model, const PlanOptions& options) const = 0;
  /// Names in the options are the user's, checked by CheckNames (selection.h); what rewrites left nothing of is a warning.
  /// Errors: kNothingToQuantize, kNotYetSupported.
  virtual Result<QuantPlan> Plan(const Model& model, const PlanOptions& options) const = 0;
  /// True when the layout exists for the integer kernels of the runtime at hand alone: what does not become one had
  /// better be float.
  virtual bool FollowsRuntime() const { return false; }
  /// Can tensors have the types that the options name?
  virtual bool Takes(const PlanOptions& options) const = 0;
  /// False when no tensor is ever observed: nothing is calibrated, and data only tell how far the result is off.
  virtual bool NeedsStatistics(const PlanOptions&) const { return true; }
  /// False: of weights alone.
  virtual bool QuantizesActivations() const { return true; }
  virtual DataType DefaultWeight() const { return DataType::kInt8; }
};
using TargetRegistry = Registry<Target>;

std::unique_ptr<Target> MakeOrtCpuTarget();
std::unique_ptr<Target> MakeSimulateTarget();
std::unique_ptr<Target> MakeQuarkTarget();
std::unique_ptr<Target> MakeMatMulNBitsTarget();

/// Extremes of each channel of a tensor; infinity and -infinity of one without values.
struct ChannelExtremesOf {
  std::vector<float> min, max;
};

/// What calibration found out for a plan.
struct PlanStatistics {
  std::map<std::string, Range> ranges;  ///< one per observed tensor
  /// Mean per channel of inputs of Conv and Gemm whose bias is to be corrected (quantize/bias_correction.h).
  std::map<std::string, std::vector<double>> channel_means;
  /// Of tensors whose channels are to be scaled (quantize/channel_scales.h).
  std::map<std::string, ChannelExtremesOf> channel_extremes;
};

/// Writes the plan's Q/DQ nodes, codes, scales and zero points; weights in blocks on so many threads. Errors: kRangeMissing, kRangeInvalid, kQuantizeFailed.
Result<Model> ApplyPlan(const Model& model, const QuantPlan& plan, const PlanStatistics& statistics,
                        std::vector<std::string>* warnings, int threads = 1);

/// Multiply-accumulates of one run of the node for one sample; 0 when not a Conv/MatMul/Gemm-like operator or shapes unknown.
double NodeMacs(const Graph& graph, const Node& node);

}  // namespace preon
