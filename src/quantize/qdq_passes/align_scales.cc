// align_scales: what moves values has one scale and zero point for what it reads and writes.
//
// Before:      y = QuantizeLinear(Concat(DequantizeLinear(a, sa, za), DequantizeLinear(b, sb, zb)), sy, zy)
// After:       the same with sy and zy in all pairs
// Conditions:  operator types of PassParameters::aligned_types; pairs with constant parameters, one per tensor, of the
//              same type. Of Concat, Pad, Transpose and Reshape the inputs take over what the output has, of pools and
//              Slice the output what the input has; again, five times at most, until nothing changes.
// Formula:     -
// Why:         Quark's align_scale: such a node then runs on codes as they are. Pairs that share the constants change
// too.
#include "quantize/plan/alignment.h"
#include "quantize/qdq_passes/code_groups.h"
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

constexpr int kMostRounds = 5;

class ScaleAligner {
 public:
  ScaleAligner(Graph& graph, const std::set<std::string>& types, std::vector<std::string>& warnings)
      : graph_(graph), types_(types), warnings_(warnings) {}

  bool Run() {
    bool changed = false;
    for (int round = 0; round < kMostRounds && Round(); ++round) changed = true;
    return changed;
  }

 private:
  bool Round() {
    bool changed = false;
    for (const Alignment& alignment : Alignments()) {
      for (const auto& node : graph_.nodes()) {
        if (!alignment.Concerns(*node) || !types_.contains(node->op_type)) continue;
        changed = Align(*node, alignment.direction) || changed;
      }
    }
    return changed;
  }

  bool Align(const Node& node, AlignDirection direction) {
    const std::optional<CodedTensor> output = WrittenPair(node.output());
    if (!output) return false;
    const size_t count = direction == AlignDirection::kInputsTakeOutput ? node.inputs().size() : 1;
    bool changed = false;
    for (size_t index = 0; index < count; ++index) {
      const std::optional<CodedTensor> input = ReadPair(node.input(index));
      if (!input) continue;
      const bool to_output = direction == AlignDirection::kOutputTakesInput;
      changed = (to_output ? Take(node, *output, *input) : Take(node, *input, *output)) || changed;
    }
    return changed;
  }

  // Of a pair, not of a constant.
  std::optional<CodedTensor> ReadPair(const std::string& tensor) const {
    const std::optional<CodedTensor> coded = DequantizedFrom(graph_, tensor);
    return coded && graph_.Producer(coded->codes) != nullptr ? coded : std::nullopt;
  }
  std::optional<CodedTensor> WrittenPair(const std::string& tensor) const {
    for (const Use& use : graph_.Uses(tensor)) {
      if (use.captured || use.input != 0 || use.node->op_type != "QuantizeLinear") continue;
      for (const Use& reader : graph_.Uses(use.node->output())) {
        if (!reader.captured && reader.node->op_type == "DequantizeLinear") return ReadPair(reader.node->output());
      }
    }
    return std::nullopt;
  }

  bool Take(const Node& node, const CodedTensor& to, const CodedTensor& from) {
    if (SameMeaning(graph_, to, from) || !to.per_tensor() || !from.per_tensor()) return false;
    if (to.type != from.type) {
      if (warned_.insert(node.name).second)
        warnings_.push_back(StrCat("align_scale: node '", node.name, "' keeps its scales: its codes have the types ",
                                   DataTypeName(to.type), " and ", DataTypeName(from.type)));
      return false;
    }
    for (const auto& [kept, taken] : {std::pair(&to.scale, &from.scale), std::pair(&to.zero_point, &from.zero_point)}) {
      const Tensor value = *graph_.Initializer(*taken);
      graph_.SetInitializer(*kept, value.Reshaped(graph_.Initializer(*kept)->shape()));
    }
    return true;
  }

  Graph& graph_;
  const std::set<std::string>& types_;
  std::vector<std::string>& warnings_;
  std::set<std::string> warned_;
};

class AlignScales final : public QdqPass {
 public:
  std::string_view name() const override { return "align_scales"; }
  std::vector<std::string_view> aliases() const override { return {"align_scale"}; }
  std::string_view summary() const override {
    return "operators that move values, such as Concat and Pad, get one scale for what they read and write";
  }
  bool changes_results() const override { return true; }

  Result<Effect> Apply(Model& model, const QuantPlan& plan, std::vector<std::string>& warnings) const override {
    std::set<std::string> types = plan.parameters.aligned_types;
    if (types.empty()) {
      for (const Alignment& alignment : Alignments())
        types.insert(alignment.op_types.begin(), alignment.op_types.end());
    }
    return ScaleAligner(model.graph, types, warnings).Run() ? Effect::kChanged : Effect::kUnchanged;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeAlignScalesPass() { return std::make_unique<AlignScales>(); }

}  // namespace preon
