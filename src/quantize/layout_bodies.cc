#include "quantize/layout_bodies.h"

#include "ir/sub_graphs.h"
#include "quantize/layout_planner.h"

namespace preon {
namespace {

// Constants of the graph around a body as the body's own, while it is planned and written. Codes lie in the body then:
// a DequantizeLinear outside would hand in floats, and runtimes could not fuse it.
class OuterConstants {
 public:
  OuterConstants(const Graph& outer, Graph& body) : body_(body) {
    for (const std::string& input : std::vector(body.inputs())) {
      const Tensor* value = outer.Initializer(input);
      if (value == nullptr) continue;
      const std::string own = outer.UniqueTensorName(body.UniqueTensorName(input + "_inside"));
      if (!Move(input, own)) continue;
      body.SetInitializer(own, *value);
      outer_names_[own] = input;
    }
  }

  // Who still reads one in float reads the outer one again.
  void GiveBack() {
    for (const auto& [own, outer] : outer_names_) {
      Move(own, outer);
      body_.RemoveInitializer(own);
    }
  }

 private:
  bool Move(const std::string& from, const std::string& to) {
    bool any = false;
    for (const Use& use : body_.Uses(from)) {
      if (use.captured) continue;
      body_.SetInput(use.node, use.input, to);
      any = true;
    }
    return any;
  }

  Graph& body_;
  std::map<std::string, std::string> outer_names_;  // by the body's
};

}  // namespace

Status PlanBodies(const Model& model, const PlanOptions& options, const LayoutRules& rules, QuantPlan* plan) {
  if (options.compat != Compat::kOff) {
    plan->warnings.push_back(
        "EnableSubgraph: has no effect with --compat: in this format the other tools leave bodies alone");
    return Status::Ok();
  }
  PlanOptions weights_alone = options;
  weights_alone.layout.selection.weights_only = true;
  Model copy = model;
  const auto plan_body = [&](Model& body) -> Status {
    const OuterConstants constants(model.graph, body.graph);
    PREON_ASSIGN_OR_RETURN(plan->bodies.emplace_back(), PlanLayout(body, weights_alone, rules));
    return Status::Ok();
  };
  PREON_RETURN_IF_ERROR(EditSubGraphs(copy, plan_body));
  if (plan->bodies.empty()) {
    plan->warnings.push_back(
        "EnableSubgraph: has no effect: the model has no Loop or Scan, and branches of If are entered anyway");
  } else {
    plan->warnings.push_back(StrCat("EnableSubgraph: ", plan->CountWeights() - plan->weights.size(),
                                    " constants in bodies of Loop and Scan become codes; activations there stay "
                                    "float, and nodes there are not listed"));
  }
  return Status::Ok();
}

Status WriteBodies(Model& model, const std::vector<QuantPlan>& bodies, std::vector<std::string>* warnings) {
  if (bodies.empty()) return Status::Ok();
  auto plan = bodies.begin();
  std::map<std::string, int64_t> opsets;
  const Graph outer = model.graph;
  const auto write_body = [&](Model& body) -> Status {
    OuterConstants constants(outer, body.graph);
    PREON_ASSIGN_OR_RETURN(Model written, ApplyPlan(body, *plan++, {}, warnings));
    body = std::move(written);
    constants.GiveBack();
    opsets.merge(body.opsets);
    return Status::Ok();
  };
  PREON_RETURN_IF_ERROR(EditSubGraphs(model, write_body));
  model.opsets.merge(opsets);
  return Status::Ok();
}

}  // namespace preon
