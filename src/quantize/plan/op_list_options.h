// What op-list targets can be told beyond types and ranges: which operators and nodes, which pairs, which biases; named
// after Quark's options (docs/design/op-list-targets.md).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "passes/support/preprocessing.h"
#include "quantize/plan/npu_options.h"
#include "quantize/plan/pass_parameters.h"

namespace preon {

/// Nodes on the paths from some of `starts` to some of `ends`, these included.
struct SubGraphSelector {
  std::vector<std::string> starts, ends;

  bool operator==(const SubGraphSelector&) const = default;
};

/// Nodes of the user's file.
struct NodeSelectors {
  std::vector<std::string> patterns;  ///< names, globs with `*` and `?`, regular expressions from `^` on
  std::vector<std::string> op_types;  ///< of the model at hand, or of the user's nodes that its nodes stand for
  std::vector<SubGraphSelector> sub_graphs;
  std::set<std::string>
      nodes;  ///< what patterns and sub-graphs stand for in the user's file (quantize/settings/resolve_selectors.h)

  bool operator==(const NodeSelectors&) const = default;
};

/// Which nodes get quantizers at all; what PlanOptions excludes stays out in any case.
struct SelectionOptions {
  std::vector<std::string> op_types;        ///< OpTypesToQuantize; empty = those of the target
  std::vector<std::string> extra_op_types;  ///< ExtraOpTypesToQuantize: on top of these
  bool all_op_types = false;                ///< QuantizeAllOpTypes
  std::vector<std::string> nodes;           ///< NodesToQuantize, by name; empty = all
  bool weights_only = false;                ///< WeightsOnly
  std::optional<bool> matmul_const_b_only;  ///< MatMulConstBOnly; default: the target's
  bool sub_graphs = false;                  ///< EnableSubgraph

  bool operator==(const SelectionOptions&) const = default;
};

/// Between which operators there is no pair.
struct RemovedPairs {
  /// RemoveQDQConv…: between a linear operator and this one behind it. InstanceNormalization counts as linear.
  bool conv_clip = true, conv_relu = true, conv_leaky_relu = true, conv_prelu = true, conv_gelu = false,
       instance_norm = false;
  std::vector<std::pair<std::string, std::string>>
      between;  ///< RemoveQDQBetweenOps, RemoveQDQMulAdd: (producer, reader)

  bool operator==(const RemovedPairs&) const = default;
};

/// Between which operators there is a pair, and of which form.
struct PairOptions {
  bool force_without_input =
      false;  ///< ForceQuantizeNoInputCheck: shape-like operators are quantized even where their input is not
  bool dedicated = false;             ///< DedicatedQDQPair: one pair per reader
  bool dedicated_dequantize = false;  ///< DedicateDQNode: one DequantizeLinear per reader
  bool dual = false;                  ///< EnableDualQuantNodePairs: second pairs where types meet (extended quantizer)
  bool clips_to_relu = false;         ///< ConvertClipToRelu: Clip whose upper bound the codes keep
  bool contrib_domain = false;        ///< UseQDQContribOps
  bool integer_operators = false;     ///< --format qoperator: pairs become operators of integers
  bool keep_clamps = false;    ///< QDQKeepRemovableActivations of ONNX Runtime's quantizer: Relu and Clip stay, though
                               ///< codes would absorb them
  bool fold_relu = false;      ///< FoldRelu (extended quantizer)
  bool unsigned_relu = false;  ///< UseUnsignedReLU: outputs of Relu have no codes below 0
  bool align_elementwise = false;  ///< AlignEltwiseQuantType: constants of Add, Mul, … have the type of activations
  std::vector<std::string> no_output_types;     ///< OpTypesToExcludeOutputQuantization
  std::vector<std::string> no_output_nodes;     ///< NodesToExcludeOutputQuantization
  std::map<std::string, int64_t> channel_axis;  ///< QDQOpTypePerChannelSupportToAxis
  RemovedPairs removed;
  bool fused = false;  ///< RemoveFusedQDQ: those removals also of block operators

  bool operator==(const PairOptions&) const = default;
};

struct BiasOptions {
  bool quantize = true;       ///< QuantizeBias
  std::optional<bool> int32;  ///< Int32Bias; default by type: not where products have no scale
  bool int16 = false;         ///< Int16Bias
  std::optional<bool>
      protect;  ///< AdjustWeightScaleForInt32Bias; default: weights' scales grow where the bias would saturate

  bool operator==(const BiasOptions&) const = default;
};

/// Which of Quark's quantizers target quark is (its QuantFormat and ExtendedQuantFormat).
enum class QuarkFormat : uint8_t {
  kBase,      ///< operators of the standard; com.microsoft's for 4 and 16 bits below opset 21
  kExtended,  ///< com.microsoft's pairs for integers, the library's operators for other types; more operators
};

/// Operator types that a key names.
struct NamedTypes {
  std::string_view key;
  std::vector<std::string> types;
};

struct OpListOptions {
  Preprocessing preprocessing;        ///< what Target::HasStages goes by; to other targets these are passes
  std::optional<QuarkFormat> format;  ///< of target quark; default: base where activations and weights are int8 or
                                      ///< uint8 and nothing is overridden
  SelectionOptions selection;
  PairOptions pairs;
  BiasOptions bias;
  AlignOptions align;
  ShiftOptions shifts;
  DpuOptions dpu;
  PassParameters parameters;
  bool reduce_range = false;  ///< codes of constants keep one bit in reserve; also for targets without an op list
  std::optional<double> min_real_range;  ///< MinimumRealRange of ONNX Runtime's quantizer

  /// All operator types that `selection` and `pairs` name.
  std::vector<NamedTypes> OperatorTypes() const;
  bool operator==(const OpListOptions&) const = default;
};

}  // namespace preon
