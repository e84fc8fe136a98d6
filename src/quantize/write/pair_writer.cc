#include "quantize/write/pair_writer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "formats/quark_operators.h"
#include "quantize/plan/quant_plan.h"

namespace preon {

Status PairWriter::WriteOne(const RoundTripNames& names, const ActivationParams& params) {
  if (params.block != nullptr) return types_.WriteBlocks(names, *params.block);
  const ParamNames& constants = qdq_.SharedParams(params.owner, params.params, params.format.type);
  return types_.WriteCodes(names, {params.format.type, {params.params}, -1, &constants});
}

Status PairWriter::Write(const std::string& tensor, const ActivationPlan& plan, const ActivationParams& params,
                         bool named, const std::set<const Node*>* readers) {
  if (!plan.dedicated.empty()) return WriteDedicated(tensor, plan, params).WithContext(tensor);
  if (!params.converts.empty()) return WriteConverted(tensor, plan, params, named).WithContext(tensor);
  return WriteOne(qdq_.OpenBehind(tensor, named, readers), params).WithContext(tensor);
}

Status PairWriter::WriteDedicated(const std::string& tensor, const ActivationPlan& plan,
                                  const ActivationParams& params) {
  int count = 0;
  for (const std::string& name : plan.dedicated) {
    Node* reader = graph_.FindNode(name);
    if (reader == nullptr) continue;  // a clamp that its producer absorbed
    const std::string suffix = StrCat("_", ++count);
    const RoundTripNames names{tensor, graph_.UniqueTensorName(tensor + "_DequantizeLinear_Output" + suffix), tensor,
                               suffix};
    for (size_t index = 0; index < reader->inputs().size(); ++index) {
      if (reader->input(index) == tensor) graph_.SetInput(reader, index, names.y);
    }
    PREON_RETURN_IF_ERROR(WriteOne(names, params));
  }
  return Status::Ok();
}

// What an added pair writes: nodes have the names of QdqWriter::AddPair and TypeWriter::WriteBlocks.
std::string PairWriter::AddedOutput(const std::string& added, const BlockPlan* block) const {
  const std::string_view operation = block == nullptr                               ? "ExtendedDequantizeLinear"
                                     : block->spec.family == BlockSpec::Family::kMx ? kMxQuantizeDequantize
                                                                                    : kBfpQuantizeDequantize;
  return graph_.UniqueTensorName(StrCat(added, kAddedSuffix, "_", operation, "_output"));
}

// How one of the second pairs is called.
RoundTripNames PairWriter::NamesOf(const std::string& tensor, const ActivationPlan& plan, size_t index) const {
  const ConvertPlan& convert = plan.converts[index];
  if (!convert.added.empty())
    return {.x = "",
            .y = AddedOutput(convert.added, convert.block ? &*convert.block : nullptr),
            .base = convert.added,
            .added = true};
  const std::string base = OwnerOfConverted(tensor, plan, index);
  return {"", graph_.UniqueTensorName(base + "_DequantizeLinear_Output"), base};
}

// Q1 → DQ1 for readers of the first type; for the others DQ1' → Q2 → DQ2 behind Q1, where DQ1' is DQ1 if nobody reads
// that (docs/design/op-list-targets.md, "Precision borders").
Status PairWriter::WriteConverted(const std::string& tensor, const ActivationPlan& plan, const ActivationParams& params,
                                  bool named) {
  std::vector<std::set<const Node*>> converted(params.converts.size());
  std::set<const Node*> others;
  for (const Use& use : graph_.Uses(tensor)) {
    const auto wants = [&](const ConvertPlan& convert) {
      return convert.nodes.empty() || convert.nodes.contains(use.node->name);
    };
    const auto found = std::ranges::find_if(params.converts, wants);
    (found == params.converts.end() ? others : converted[static_cast<size_t>(found - params.converts.begin())])
        .insert(use.node);
  }
  const bool all = others.empty() && converted.size() == 1;
  const std::vector<Use> uses = graph_.Uses(tensor);
  std::vector<RoundTripNames> second;
  for (size_t index = 0; index < converted.size(); ++index) {
    RoundTripNames& names = second.emplace_back(NamesOf(tensor, plan, index));
    if (all && named) names.y = tensor;
    for (const Use& use : uses) {
      if (!use.captured && converted[index].contains(use.node)) graph_.SetInput(use.node, use.input, names.y);
    }
  }
  RoundTripNames first;
  if (all && named) {
    first = {graph_.UniqueTensorName(tensor + "_QuantizeLinear_Input"), "", tensor};
    graph_.RenameOutput(tensor, first.x);
    first.y = graph_.UniqueTensorName(tensor + "_DequantizeLinear_Output");
  } else {
    first = qdq_.OpenBehind(tensor, named, named ? nullptr : &others);
  }
  if (!plan.added.empty()) {
    first.base = plan.added;
    first.added = true;
    if (first.y != tensor) {
      const std::string y = AddedOutput(plan.added, params.block);
      graph_.ReplaceUses(std::exchange(first.y, y), y);
    }
  }
  PREON_RETURN_IF_ERROR(WriteOne(first, params));
  const Node* dequantize = graph_.Producer(first.y);
  for (size_t index = 0; index < converted.size(); ++index) {
    RoundTripNames& names = second[index];
    const ConvertPlan& convert = params.converts[index];
    names.x = dequantize->output();
    if (!all && !converted[index].empty() && params.block == nullptr && convert.added.empty()) {
      names.x = graph_.UniqueTensorName(names.base + "_QuantizeLinear_Input");
      Node* clone = graph_.AddNode(dequantize->op_type, dequantize->inputs(), {names.x},
                                   names.base + "_clone_DequantizeLinear", dequantize->domain);
      clone->attributes = dequantize->attributes;
    }
    if (converted[index].empty() && !(all && named)) continue;
    if (convert.block) {
      PREON_RETURN_IF_ERROR(types_.WriteBlocks(names, *convert.block));
      continue;
    }
    const ParamNames constants = ConstantsOf(tensor, plan, params.converted[index], index);
    PREON_RETURN_IF_ERROR(types_.WriteCodes(names, {convert.format.type, {params.converted[index]}, -1, &constants}));
  }
  return Status::Ok();
}

ParamNames PairWriter::ConstantsOf(const std::string& tensor, const ActivationPlan& plan, const QuantParams& values,
                                   size_t index) {
  const DataType type = plan.converts[index].format.type;
  if (!plan.converts[index].added.empty()) return qdq_.AddParams(tensor + kAddedSuffix, {values}, type);
  if (!plan.added.empty()) return qdq_.SharedParams(OwnerOfConverted(tensor, plan, index), values, type);
  return qdq_.AddParams(tensor, {values}, type, std::nullopt, ConvertSuffix(index));
}

}  // namespace preon
