// PlanOptions: what a user can ask of a plan: types, scales, forms, who is left out, settings of single tensors and
// layers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "formats/compat/compat.h"
#include "formats/scale_type.h"
#include "formats/tensor_type.h"
#include "formats/weight_rule.h"
#include "quantize/plan/float_reason.h"
#include "quantize/plan/float_storage.h"
#include "quantize/plan/op_list_options.h"
#include "quantize/plan/tensor_override.h"

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

/// How bfloat16 is written (docs/design/number-formats.md).
struct BFloat16Options {
  bool casts = false;  ///< Cast pairs instead of the operator library's
  bool clip = false;   ///< values beyond the largest become the largest, not infinity
  bool vaiml = false;  ///< Cast pairs at graph inputs alone; weights as floats rounded to bfloat16
};

/// Floating types of 16 bits: are tensors divided by a scale of their own first, instead of rounded as they are?
struct ScaledTypes {
  bool activation = false, weight = false;
};

/// How blocks lie and how operators compute with them.
struct BlockRules {
  bool refine_axis = true;            ///< they run along what MatMul, Gemm and Softmax reduce
  std::optional<int> accuracy_level;  ///< of MatMulNBits: 0 to 4
};

/// What the user leaves in float, and how its weights are stored.
struct ExcludeOptions {
  std::vector<std::string> names;  ///< nodes (as in the user's file), globs `*`, `?` or `^` regular expressions
  std::vector<std::string> types;  ///< of operators
  std::string types_name = "exclude-type";  ///< what the user has set them by
  NodeSelectors paths;                      ///< sub-graphs
  /// Nodes, graph inputs or outputs: what lies in front of all of the first, behind all of the last stays float.
  std::vector<std::string> first_nodes, last_nodes;
  /// How weights of all float nodes are stored; default: SafeFloatWeights, of targets of this runtime.
  std::optional<FloatWeights> weights;
};

/// What the user says of single tensors and layers.
struct TensorSettings {
  std::map<std::string, TensorOverride> overrides;       ///< by tensor name of the user's file
  std::vector<LayerOverride> layers;                     ///< under `overrides`; later ones go over earlier ones
  std::map<std::string, TensorOverride> base_overrides;  ///< under both
  /// Operator types of the user's nodes, by name (quantize/settings/resolve_selectors.h).
  std::map<std::string, std::string> source_types;
  /// Nodes that `layers` gave their activations something; WithLayerSettings fills it.
  std::set<std::string> layer_nodes;

  bool any() const { return !overrides.empty() || !layers.empty() || !base_overrides.empty(); }
  /// All, of layers, of single tensors, and those under both.
  std::vector<TensorOverride*> All();
  std::vector<const TensorOverride*> All() const;
  /// That some tensor may get.
  std::vector<TensorType*> Types();
  std::vector<TensorType> Types() const;
};

/// How constants become codes, where a target asks for nothing else.
struct WeightCodes {
  DataType type = DataType::kInt8;
  bool reduce_range = false;
  bool fits_pairs = false;  ///< WeightPlan::fits_pairs, of products of int8
  bool per_channel = true;
  ScaleType scale_type = ScaleType::kFloat32;
  WeightRule rule;
};

/// What types and scales ask of the operators of ONNX.
struct PlanNeeds {
  std::vector<TensorType> types;  ///< that some tensor may get
  bool channel_scales = false;    ///< some tensor has a scale per channel
  bool block_scales = false;      ///< … per block
  bool packed_blocks = false;     ///< weights of a block type are stored as codes
};

struct PlanOptions {
  TensorType activation = DataType::kUInt8;
  TensorType weight = DataType::kInt8;
  std::optional<bool> activation_symmetric;  ///< default: the target's
  std::optional<bool> weight_symmetric;      ///< default: of signed types
  ScaleType scale_type = ScaleType::kFloat32;
  std::optional<ScaleType> weight_scale_type;  ///< default: scale_type
  WeightRule weight_rule;
  Compat compat = Compat::kOff;
  bool per_channel = true;
  bool vnni = false;  ///< the result runs where products of codes are added in 32 bits: weights use all codes
  ScaledTypes scaled;
  BFloat16Options bfloat16;
  BlockRules blocks;
  std::optional<WeightForm> weight_form;  ///< default: by type, the target's
  std::optional<int64_t> block_size;      ///< weights that share a scale; default: the target's
  ExcludeOptions exclude;
  std::vector<std::string> passthrough;  ///< operator types whose outputs inherit the range of their input
  TensorSettings settings;
  TensorSettings possible;  ///< that a search may add to the settings: until then only their types count
  /// Scales and zero points by tensor of the rewritten model; empty: they follow from calibration.
  std::map<std::string, TensorOverride> given_scales;
  OpListOptions op_list;
  /// Nodes that stay float for what came out after a first plan: kNotReached, kNotFused, kAccuracy,
  /// kInputHead, kLimits.
  std::map<std::string, FloatReason> left_float;

  /// Have single tensors and layers settings of their own, or may they get some?
  bool HasSettings() const { return settings.any() || possible.any(); }
  /// Does a search change layers as Quark's mixed precision does?
  bool MixesAsQuark() const { return compat == Compat::kQuark && possible.any(); }
  ScaleType scale_type_of_weights() const { return weight_scale_type.value_or(scale_type); }
  WeightCodes weight_codes() const;
  /// Types of less than 8 bits in `given_scales`, which not every target has, count as possible. Wider ones are those
  /// of biases, too, which no target reads.
  void ExpectGivenTypes();
  /// All types that some tensor may get.
  std::vector<TensorType*> Types();
  std::vector<TensorType> Types() const;
  /// Do weights have a scale per block, all or some?
  bool HasBlockSize() const;
  PlanNeeds Needs() const;
};

}  // namespace preon
