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
#include "quantize/layout_options.h"
#include "quantize/tensor_override.h"

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
  std::optional<bool> weight_symmetric;       ///< default: of signed types
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
  std::vector<std::string> exclude;           ///< node names (as in the user's file), globs `*`, `?` or `^` regular expressions
  std::vector<std::string> exclude_types;     ///< operator types
  NodeSelectors exclude_paths;                ///< sub-graphs
  /// Nodes, graph inputs or outputs: what lies in front of all of the first, behind all of the last stays float.
  std::vector<std::string> first_nodes, last_nodes;
  std::vector<std::string> passthrough;       ///< operator types whose outputs inherit the range of their input
  std::map<std::string, TensorOverride> overrides;   ///< by tensor name of the user's file
  std::vector<LayerOverride> layers;                 ///< under `overrides`; later ones go over earlier ones
  std::map<std::string, TensorOverride> base_overrides;   ///< under both
  LayoutOptions layout;
  std::map<std::string, std::string> source_types;   ///< operator types of the user's nodes, by name (quantize/selectors.h)
  std::set<std::string> layer_nodes;   ///< those that `layers` gave their activations something; WithLayers fills it
  /// Nodes that stay float for what came out after a first plan: kNotReached, kNotFused, kAccuracy.
  std::map<std::string, FloatReason> left_float;

  ScaleType scale_type_of_weights() const { return weight_scale_type.value_or(scale_type); }
};

/// A tensor whose values become those of a block format.
struct BlockPlan {
  BlockSpec spec;
  int64_t axis = 1;   ///< -rank…rank-1; of tensors of rank 0 and 1 the only one
};

/// The second pair of a tensor, for some of its readers (spec qdq §3.3).
struct ConvertPlan {
  IntFormat format;
  std::optional<BlockPlan> block;         ///< instead of `format` and its scale
  ScaleType scale_type = ScaleType::kFloat32;
  RangeBounds range;                      ///< instead of the tensor's
  std::optional<QuantParams> params;      ///< used as they are
  std::set<std::string> nodes;            ///< readers; empty = all, and the graph's output
};

/// Where an activation's range comes from.
enum class RangeSource { kObserved, kFixed };

/// A tensor that gets a Q/DQ pair.
struct ActivationPlan {
  IntFormat format;
  std::optional<BlockPlan> block;         ///< instead of `format`, and nothing below matters
  ScaleType scale_type = ScaleType::kFloat32;
  RangeSource source = RangeSource::kObserved;
  std::string method;                     ///< range method of its own ("" = that of the options)
  Range fixed;                            ///< kFixed: from an override or the operator's own bounds (spec qdq §5.1)
  RangeBounds bounds;                     ///< kObserved: override of one bound
  std::optional<QuantParams> params;      ///< override: used as it is
  std::string shares;                     ///< tensor or constant whose scale and zero point it takes ("" = its own)
  std::optional<size_t> shares_converted;   ///< those of that one of its `converts`
  std::string range_of;                   ///< kObserved: tensor whose range it takes ("" = its own)
  bool inherited = false;                 ///< shares, range_of or the fixed range come from PlanOptions::passthrough
  bool pair = true;                       ///< false: nothing is written; others share its parameters
  std::vector<std::string> dedicated;     ///< readers that get a pair of their own each; empty = one pair for all
  std::vector<ConvertPlan> converts;      ///< second pairs

  /// The second pair that this reader has; null: it reads the first.
  const ConvertPlan* ConvertFor(std::string_view node) const;
  /// What a range of the tensor's own is for: its codes, else those of a second pair; null where nothing needs one.
  const IntFormat* RangedFormat() const;
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
  RangeBounds range;                      ///< override instead of the constant's own extremes
  std::optional<QuantParams> params;      ///< override: used as it is
  std::vector<Range> channel_ranges;      ///< overrides, one per index of `axis`
  std::vector<QuantParams> channel_params;
};

enum class BiasForm {
  kInt32Codes,   ///< their scale is the product of those of input and weight
  kFloat,
  kAsWeight,     ///< one of QuantPlan::weights
};

/// A bias that is made to fit its rounded weight: corrected, where the means of the input are known, and written.
struct BiasPlan {
  std::string node;      ///< reader; a bias shared by nodes is cloned per node
  std::string bias, input, weight;
  BiasForm form = BiasForm::kInt32Codes;
  std::optional<bool> protect;   ///< the weight's scale grows where the codes would not fit; default: not with --compat quark
};

/// Weights as n-bit codes in blocks, of nodes that become com.microsoft::MatMulNBits.
struct NBitsPlan {
  NBitsOptions options;
  std::optional<int> accuracy_level;
  std::vector<std::string> nodes;   ///< MatMul, and Gemm with neither scalars nor transposed data

  std::string NameInResult(const std::string& node) const { return StrCat(node, "_Q", options.bits); }
};

/// Nodes that become integer operators whose activations get their scale and zero point in each run (spec qdq §16). Their
/// constants are QuantPlan::weights; of LSTM, axis 0 means a scale per direction and axis 1 one per gate and unit.
struct DynamicPlan {
  std::vector<std::string> nodes;
  int in_bodies = 0;   ///< of QuantPlan::bodies

  static std::string NameInResult(const std::string& node) { return node + "_quant"; }
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
  DynamicPlan dynamic;
  /// Of sub-graphs that are kept as they are (bodies of Loop, Scan), in the order of EditSubGraphs (ir/sub_graphs.h).
  std::vector<QuantPlan> bodies;
  /// Relu/Clip nodes behind an integer producer, whose codes absorb them where the final scale allows it.
  std::vector<std::string> folded_clamps;
  /// Float Conv/Gemm nodes that read a quantized tensor: they get a DQ of their own in a form that keeps the runtime
  /// from quantizing them behind the user's back (spec qdq §13.3 A).
  std::vector<std::string> float_islands;
  /// Convolutions of images whose input gets four channels (quantize/fill_channels.h).
  std::vector<std::string> filled_inputs;
  /// All readers of a quantized tensor take the dequantized value (else only integer nodes do, where the producer is float).
  bool dequantize_for_all_readers = false;
  bool contrib_domain = false;        ///< pairs are com.microsoft's
  bool dedicated_dequantize = false;  ///< each reader has a DequantizeLinear of its own
  bool int16_biases = false;          ///< codes of int32 biases are cut to 16 bits
  bool clips_to_relu = false;         ///< Clips from 0 become Relu where codes keep the upper bound
  bool beta_in_codes = false;         ///< with --compat: of a Gemm's bias; else its scale has beta
  std::optional<double> min_real_range;   ///< ranges are at least so wide
  /// (tensor, whose scale and zero point it takes over), in this order and again until nothing changes, or so often.
  std::vector<std::pair<std::string, std::string>> aligned;
  int64_t align_rounds = 5;
  std::vector<std::string> warnings;
  /// Tensors that are observed only to learn whether the data reach them (quantize/reach.h).
  std::set<std::string> witnesses;

  bool empty() const { return activations.empty() && nbits.nodes.empty() && !is_dynamic(); }
  /// Constants that become codes, those in bodies included.
  size_t CountWeights() const;
  bool is_dynamic() const { return !dynamic.nodes.empty() || dynamic.in_bodies > 0; }
  /// What the node is called in the result.
  std::string NameInResult(const NodeDecision& decision) const;
  /// Tensors whose range comes from calibration, sorted.
  std::vector<std::string> RangeTensors() const;
  /// The tensor that calibration observes for one of these: itself, or the one whose range it inherits.
  const std::string& ObservedFor(const std::string& range_tensor) const;
  /// Tensors that calibration has to observe, sorted: those and the witnesses.
  std::vector<std::string> ObservedTensors() const;
};

/// A setting that changes nothing, by the reference's name for it.
struct IdleKey {
  std::string_view key;
  std::string reason;   ///< one clause
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
  virtual Status Prepare(Model&, const PlanOptions&) const { return Status::Ok(); }
  /// Names in the options are the user's, checked by CheckNames (selection.h); what rewrites left nothing of is a warning.
  /// Errors: kNothingToQuantize, kNotYetSupported.
  virtual Result<QuantPlan> Plan(const Model& model, const PlanOptions& options) const = 0;
  /// True when the layout exists for the integer kernels of the runtime at hand alone: what does not become one had
  /// better be float.
  virtual bool FollowsRuntime() const { return false; }
  /// Does PlanOptions::layout mean anything to it?
  virtual bool HasLayout() const { return false; }
  /// What of PlanOptions::layout is set, but means nothing to it with these types.
  virtual std::vector<IdleKey> IdleKeys(const PlanOptions&) const { return {}; }
  /// Can tensors have the types that the options name?
  virtual bool Takes(const PlanOptions& options) const = 0;
  /// False when no tensor has a range: nothing has to be calibrated.
  virtual bool NeedsStatistics(const PlanOptions&) const { return true; }
  /// May biases take back what rounded weights shift, where data tell the means of activations?
  virtual bool CorrectsBiases(const PlanOptions&) const { return true; }
  /// False: of weights alone.
  virtual bool QuantizesActivations() const { return true; }
  virtual DataType DefaultWeight() const { return DataType::kInt8; }
  /// Does the target want this pass, by its name, where nobody says otherwise? `by_default`: most do.
  virtual bool WantsPass(std::string_view, bool by_default, const PlanOptions&) const { return by_default; }
};
using TargetRegistry = Registry<Target>;

std::unique_ptr<Target> MakeOrtCpuTarget();
std::unique_ptr<Target> MakeSimulateTarget();
std::unique_ptr<Target> MakeQuarkTarget();
std::unique_ptr<Target> MakeOrtTarget();
std::unique_ptr<Target> MakeMatMulNBitsTarget();
std::unique_ptr<Target> MakeDynamicTarget();

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
