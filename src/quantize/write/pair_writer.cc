#include "quantize/write/pair_writer.h"

#include <algorithm>
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
  if (!params.converts.empty()) return WriteConverted(tensor, params, named).WithContext(tensor);
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

// Q1 → DQ1 for readers of the first type; for the others DQ1' → Q2 → DQ2 behind Q1, where DQ1' is DQ1 if nobody reads
// that (docs/design/op-list-targets.md, "Precision borders").
Status PairWriter::WriteConverted(const std::string& tensor, const ActivationParams& params, bool named) {
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
  std::vector<std::string> results;
  for (size_t index = 0; index < converted.size(); ++index) {
    results.push_back(
        all && named ? tensor : graph_.UniqueTensorName(tensor + ConvertSuffix(index) + "_DequantizeLinear_Output"));
    for (const Use& use : uses) {
      if (!use.captured && converted[index].contains(use.node)) graph_.SetInput(use.node, use.input, results.back());
    }
  }
  if (all && named) {
    const std::string source = graph_.UniqueTensorName(tensor + "_QuantizeLinear_Input");
    graph_.RenameOutput(tensor, source);
    PREON_RETURN_IF_ERROR(
        WriteOne({source, graph_.UniqueTensorName(tensor + "_DequantizeLinear_Output"), tensor}, params));
  } else {
    PREON_RETURN_IF_ERROR(WriteOne(qdq_.OpenBehind(tensor, named, named ? nullptr : &others), params));
  }
  const Node* dequantize = graph_.FindNode(tensor + "_DequantizeLinear");
  for (size_t index = 0; index < converted.size(); ++index) {
    const std::string second = tensor + ConvertSuffix(index);
    std::string x = dequantize->output();
    if (!all && !converted[index].empty() && params.block == nullptr) {
      x = graph_.UniqueTensorName(second + "_QuantizeLinear_Input");
      Node* clone = graph_.AddNode(dequantize->op_type, dequantize->inputs(), {x}, second + "_clone_DequantizeLinear",
                                   dequantize->domain);
      clone->attributes = dequantize->attributes;
    }
    if (converted[index].empty() && !(all && named)) continue;
    const ConvertPlan& convert = params.converts[index];
    const RoundTripNames names{x, results[index], second};
    if (convert.block) {
      PREON_RETURN_IF_ERROR(types_.WriteBlocks(names, *convert.block));
      continue;
    }
    const ParamNames constants =
        qdq_.AddParams(tensor, {params.converted[index]}, convert.format.type, std::nullopt, ConvertSuffix(index));
    PREON_RETURN_IF_ERROR(types_.WriteCodes(names, {convert.format.type, {params.converted[index]}, -1, &constants}));
  }
  return Status::Ok();
}

}  // namespace preon
