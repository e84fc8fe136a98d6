#include "quantize/settings/layer_settings.h"

#include <algorithm>
#include <ranges>

#include "base/spelling.h"
#include "formats/precision.h"
#include "quantize/settings/given_scales.h"
#include "quantize/settings/layer_selection.h"
#include "quantize/settings/tensor_settings.h"

namespace preon {
namespace {

using Overrides = std::map<std::string, TensorOverride>;

bool IsEmpty(const TensorOverride& wanted) {
  return !wanted.type && !wanted.symmetric && !wanted.scale_type && !wanted.method && wanted.converts.empty();
}

// Of several settings for a tensor.
enum class WhoWins : uint8_t {
  kMostPrecise,
  kLater,            // --compat: that of the node further down
  kLaterForSharers,  // Quark's mixed precision: for all tensors, too, that have the same scale
};

class Layers {
 public:
  /// @param by_default  what holds where nothing is set
  Layers(const Graph& graph, const TensorSettings& settings, TensorOverride by_default, WhoWins who_wins,
         const QuantPlan& plain)
      : graph_(graph),
        settings_(settings),
        by_default_(std::move(by_default)),
        who_wins_(who_wins),
        plain_(plain),
        layers_(settings) {
    for (const NodeDecision& decision : plain.nodes)
      if (decision.reason == FloatReason::kNone) quantized_.insert(graph.FindNode(decision.node));
  }

  Overrides Run() {
    for (const auto& node : graph_.nodes()) AddConstants(*node);
    if (who_wins_ != WhoWins::kMostPrecise) {
      for (const auto& node : graph_.nodes()) LaterWins(*node);
      return std::move(overrides_);
    }
    // Readers first: what moves data asks for what its output has.
    for (const auto& node : graph_.nodes() | std::views::reverse)
      for (const std::string& output : node->outputs()) Decide(node.get(), output);
    for (const std::string& input : graph_.inputs()) Decide(nullptr, input);
    for (const auto& node : graph_.nodes())
      for (const std::string& output : node->outputs()) ShareAgain(*node, output);
    std::erase_if(overrides_, [](const auto& entry) { return IsEmpty(entry.second); });
    return std::move(overrides_);
  }

  // Nodes whose activations they say something about.
  std::set<std::string> Nodes() const {
    std::set<std::string> nodes;
    for (const auto& node : graph_.nodes()) {
      if (Wanted(*node, LayerRole::kInput) || Wanted(*node, LayerRole::kOutput)) nodes.insert(node->name);
    }
    return nodes;
  }

 private:
  struct Reader {
    const Node* node;
    TensorOverride wanted;
    bool asked;  // by a layer, or by what its output has
  };

  bool IsFloat(const std::string& tensor) const {
    const DataType type = graph_.TypeOf(tensor);
    return !tensor.empty() && (type == DataType::kFloat || type == DataType::kUndefined);
  }

  std::optional<TensorOverride> Wanted(const Node& node, LayerRole role) const {
    return quantized_.contains(&node) ? layers_.Wanted(node, role) : std::nullopt;
  }

  void AddConstants(const Node& node) {
    for (size_t index = 0; index < node.inputs().size(); ++index) {
      const std::string& tensor = node.input(index);
      if (!IsFloat(tensor) || graph_.Initializer(tensor) == nullptr) continue;
      if (const auto wanted = Wanted(node, LayerRoleOf(graph_, node, index)))
        overrides_[tensor] = Merged(*wanted, overrides_[tensor]);
    }
  }

  // As in Quark: of all settings for a tensor that of the node further down counts.
  void LaterWins(const Node& node) {
    const auto add = [&](const std::string& tensor, LayerRole role) {
      if (!IsFloat(tensor) || graph_.Initializer(tensor) != nullptr) return;
      const auto wanted = Wanted(node, role);
      if (!wanted) return;
      const bool shared = who_wins_ == WhoWins::kLaterForSharers && wanted->type && wanted->type->block() == nullptr;
      TensorOverride& own = overrides_[shared ? RootOf(tensor) : tensor];
      own = Merged(*wanted, own);
    };
    for (const std::string& input : node.inputs()) add(input, LayerRole::kInput);
    for (const std::string& output : node.outputs()) add(output, LayerRole::kOutput);
  }

  // --- What is wanted of an activation -------------------------------------------------------------------------
  const TensorOverride* OwnOf(const std::string& tensor) const {
    const auto own = settings_.overrides.find(tensor);
    return own == settings_.overrides.end() ? nullptr : &own->second;
  }

  TensorType DefaultType(const std::string& tensor) const {
    const auto base = settings_.base_overrides.find(tensor);
    return base != settings_.base_overrides.end() && base->second.type ? *base->second.type : *by_default_.type;
  }

  // `wanted` with what holds where it has no setting.
  TensorOverride InFull(const std::string& tensor, const TensorOverride& wanted) const {
    TensorOverride otherwise = by_default_;
    otherwise.type = DefaultType(tensor);
    return Merged(wanted, otherwise);
  }

  // The tensor whose scale it has where nothing is set; itself where it has its own.
  const std::string& RootOf(const std::string& tensor) const {
    const auto plain = plain_.activations.find(tensor);
    return plain == plain_.activations.end() || plain->second.shares.empty() ? tensor : plain->second.shares;
  }

  bool MovesData(const Node& node, const std::string& input, const std::string& output) const {
    const auto plain = plain_.activations.find(output);
    return plain != plain_.activations.end() && plain->second.shares == RootOf(input) && OwnOf(output) == nullptr;
  }

  static bool IsMorePrecise(const TensorOverride& a, const TensorOverride& b) {
    return PrecisionOf(*a.type) > PrecisionOf(*b.type);
  }

  // Blocks lie along an axis, which moves as well: rounded in front, too, values are rounded along several. That is no
  // loss where the default is less precise.
  bool StaysBehind(const std::string& tensor, const TensorType& type) const {
    return who_wins_ == WhoWins::kMostPrecise && type.block() != nullptr &&
           PrecisionOf(DefaultType(tensor)) > PrecisionOf(type);
  }

  // What the node asks for because its outputs have it; nullopt where it moves no data or nothing is set behind it.
  std::optional<TensorOverride> WantedBehind(const Node& node, const std::string& tensor) const {
    std::optional<TensorOverride> wanted;
    bool asked = false;
    for (const std::string& output : node.outputs()) {
      if (!MovesData(node, tensor, output)) continue;
      const auto decided = decided_.find(output);
      const TensorOverride full = InFull(output, decided == decided_.end() ? TensorOverride() : decided->second);
      if (StaysBehind(tensor, *full.type)) continue;
      asked = asked || decided != decided_.end();
      if (!wanted || IsMorePrecise(full, *wanted)) wanted = full;
    }
    return asked ? wanted : std::nullopt;
  }

  std::vector<Reader> ReadersOf(const std::string& tensor) const {
    std::vector<Reader> readers;
    for (const Use& use : graph_.Uses(tensor)) {
      if (use.captured || !quantized_.contains(use.node)) continue;
      if (std::ranges::find(readers, use.node, &Reader::node) != readers.end()) continue;
      std::optional<TensorOverride> wanted = Wanted(*use.node, LayerRole::kInput);
      if (!wanted) wanted = WantedBehind(*use.node, tensor);
      readers.push_back({use.node, wanted.value_or(TensorOverride()), wanted.has_value()});
    }
    return readers;
  }

  // --- What it gets --------------------------------------------------------------------------------------------
  // Of equally precise types the default one, else that of the first reader.
  TensorType MostPrecise(const std::string& tensor, const std::vector<Reader>& readers) const {
    const TensorType by_default = DefaultType(tensor);
    std::optional<TensorType> best;
    for (const Reader& reader : readers) {
      const TensorType type = reader.wanted.type.value_or(by_default);
      const bool better = !best || PrecisionOf(type) > PrecisionOf(*best) ||
                          (PrecisionOf(type) == PrecisionOf(*best) && type == by_default);
      if (better) best = type;
    }
    return best.value_or(by_default);
  }

  void Decide(const Node* producer, const std::string& tensor) {
    if (!IsFloat(tensor)) return;
    const std::vector<Reader> readers = ReadersOf(tensor);
    const std::optional<TensorOverride> written =
        producer == nullptr ? std::nullopt : Wanted(*producer, LayerRole::kOutput);
    if (!written && std::ranges::none_of(readers, &Reader::asked)) return;
    const TensorOverride* own = OwnOf(tensor);
    const bool fixed = own != nullptr && own->type.has_value();
    const TensorType type = fixed                      ? *own->type
                            : written && written->type ? *written->type
                                                       : MostPrecise(tensor, readers);
    TensorOverride decided = written.value_or(TensorOverride());
    for (const Reader& reader : readers)
      if (reader.wanted.type.value_or(DefaultType(tensor)) == type) decided = Merged(decided, reader.wanted);
    decided_[tensor] = decided;
    for (const Reader& reader : readers) {
      if (fixed || reader.wanted.type.value_or(DefaultType(tensor)) == type) continue;
      AddReader(*reader.node, InFull(tensor, reader.wanted), &decided.converts);
    }
    overrides_[tensor] = decided;
  }

  static void AddReader(const Node& node, const TensorOverride& wanted, std::vector<ConvertOverride>* converts) {
    auto same = std::ranges::find(*converts, *wanted.type, &ConvertOverride::type);
    if (same == converts->end()) {
      converts->push_back({.type = *wanted.type,
                           .symmetric = wanted.symmetric,
                           .scale_type = wanted.scale_type,
                           .range = wanted.range,
                           .params = wanted.params});
      same = std::prev(converts->end());
    }
    same->nodes.insert(node.name);
  }

  // What the node reads of the tensor, in full.
  TensorOverride Read(const Node& node, const std::string& tensor) const {
    const auto found = overrides_.find(tensor);
    if (found != overrides_.end()) {
      for (const ConvertOverride& convert : found->second.converts)
        if (convert.nodes.contains(node.name))
          return {.type = convert.type, .symmetric = convert.symmetric, .scale_type = convert.scale_type};
    }
    const auto decided = decided_.find(tensor);
    TensorOverride read = decided == decided_.end() ? TensorOverride() : decided->second;
    if (const TensorOverride* own = OwnOf(tensor)) read = Merged(*own, read);
    return InFull(tensor, read);
  }

  // Moved data keep the scale that they are read with, where readers behind want that; else they get the type that
  // these want.
  void ShareAgain(const Node& node, const std::string& output) {
    const auto moved = std::ranges::find_if(node.inputs(), [&](const std::string& input) {
      return graph_.Initializer(input) == nullptr && MovesData(node, input, output);
    });
    if (moved == node.inputs().end() || !quantized_.contains(&node)) return;
    const auto decided = decided_.find(output);
    const TensorOverride read = Read(node, *moved);
    const TensorOverride has = InFull(output, decided == decided_.end() ? TensorOverride() : decided->second);
    if (read.type == has.type && read.symmetric == has.symmetric && read.scale_type == has.scale_type &&
        read.type->block() == nullptr) {
      std::vector<ConvertOverride> converts = std::move(overrides_[output].converts);
      overrides_[output] = {.converts = std::move(converts)};
    } else if (decided_.contains(*moved) && !ReadersOf(output).empty()) {
      overrides_[output] = Merged(overrides_[output], has);
    }
  }

  const Graph& graph_;
  const TensorSettings& settings_;
  const TensorOverride by_default_;
  const WhoWins who_wins_;
  const QuantPlan& plain_;
  const LayerSettingsOf layers_;
  std::set<const Node*> quantized_;
  Overrides overrides_;
  Overrides decided_;  // of activations, before what is shared goes
};

// Of tensors of which only layers speak: a Relu behind them, say, has the pair of both.
std::string WithoutPairs(const Graph& graph, const Overrides& with, const Overrides& own, const Overrides& base,
                         const QuantPlan& plan) {
  std::vector<std::string> tensors;
  for (const auto& [tensor, wanted] : with) {
    const bool of_layers = !own.contains(tensor) && !base.contains(tensor) && graph.Initializer(tensor) == nullptr;
    if (of_layers && !plan.activations.contains(tensor)) tensors.push_back(tensor);
  }
  if (tensors.empty()) return "";
  return StrCat("layers: have no effect on tensors without a quantizer of their own: ", FirstNames(tensors, 3));
}

}  // namespace

PlanOptions WithLayerSettings(const Graph& graph, PlanOptions options, const QuantPlan& plain) {
  const auto put_under = [&](const Overrides& weaker) {
    for (const auto& [tensor, wanted] : weaker)
      options.settings.overrides[tensor] = Merged(options.settings.overrides[tensor], wanted);
  };
  if (!options.settings.layers.empty()) {
    Layers layers(
        graph, options.settings,
        {.type = options.activation, .symmetric = options.activation_symmetric, .scale_type = options.scale_type},
        options.MixesAsQuark()           ? WhoWins::kLaterForSharers
        : options.compat != Compat::kOff ? WhoWins::kLater
                                         : WhoWins::kMostPrecise,
        plain);
    options.settings.layer_nodes = layers.Nodes();
    put_under(layers.Run());
  }
  put_under(options.settings.base_overrides);
  options.settings.layers.clear();
  options.settings.base_overrides.clear();
  return options;
}

Result<QuantPlan> PlanWithLayerSettings(const Target& target, const Model& model, const PlanOptions& options) {
  PREON_RETURN_IF_ERROR(CheckOpTypes(model.graph, options.settings.source_types, options.exclude.types,
                                     options.exclude.types_name, options.settings.layers));
  PlanOptions plain = options;
  target.SettleFormat(&plain);
  PlanOptions with = plain;
  QuantPlan undisturbed;
  if (!options.settings.layers.empty()) {
    plain.settings.layers.clear();
    plain.settings.overrides.clear();
    plain.settings.base_overrides.clear();
    PREON_ASSIGN_OR_RETURN(undisturbed, target.Plan(model, plain));
  }
  with = WithGivenTypes(model.graph, WithLayerSettings(model.graph, std::move(with), undisturbed));
  PREON_ASSIGN_OR_RETURN(QuantPlan plan, target.Plan(model, with));
  plan.parameters = options.op_list.parameters;
  plan.for_this_runtime = target.FollowsRuntime();
  if (plan.for_this_runtime && options.compat == Compat::kOff)
    plan.float_weights = options.exclude.weights.value_or(SafeFloatWeights());
  PREON_RETURN_IF_ERROR(PutGivenScales(model.graph, options.given_scales, &plan));
  const auto warn = [&](const std::vector<std::string>& warnings) {
    plan.warnings.insert(plan.warnings.end(), warnings.begin(), warnings.end());
  };
  if (!options.settings.layers.empty()) warn(LayerSettingsOf(options.settings).WithoutEffect(model.graph, plan.nodes));
  if (const std::string warning = WithoutPairs(model.graph, with.settings.overrides, options.settings.overrides,
                                               options.settings.base_overrides, plan);
      !warning.empty())
    plan.warnings.push_back(warning);
  warn(IgnoredTensorSettings(options.settings.overrides, options.settings.base_overrides, plan));
  return plan;
}

}  // namespace preon
