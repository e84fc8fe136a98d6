#include "quantize/targets/op_list/plan_bodies.h"

#include "ir/sub_graphs.h"
#include "quantize/plan/outer_constants.h"

namespace preon {

Status PlanBodies(const Model& model, const PlanOptions& options, const PlanBody& plan_one, QuantPlan* plan) {
  if (options.compat != Compat::kOff) {
    plan->warnings.push_back(
        "EnableSubgraph: has no effect with --compat: the other tools do not quantize bodies in this format");
    return Status::Ok();
  }
  PlanOptions weights_alone = options;
  weights_alone.op_list.selection.weights_only = true;
  Model copy = model;
  const auto plan_body = [&](Model& body) -> Status {
    const OuterConstants constants(model.graph, body.graph);
    PREON_ASSIGN_OR_RETURN(plan->bodies.emplace_back(), plan_one(body, weights_alone));
    return Status::Ok();
  };
  PREON_RETURN_IF_ERROR(EditSubGraphs(copy, plan_body));
  if (plan->bodies.empty()) {
    plan->warnings.push_back(
        "EnableSubgraph: has no effect: the model has no Loop or Scan, and branches of If are quantized in any case");
  } else {
    plan->warnings.push_back(StrCat("EnableSubgraph: ", plan->CountWeights() - plan->weights.size(),
                                    " constants in bodies of Loop and Scan become codes; activations there stay "
                                    "float, and nodes there are not listed"));
  }
  return Status::Ok();
}

}  // namespace preon
