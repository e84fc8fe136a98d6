#include "quantize/write/write_bodies.h"

#include <map>
#include <string>

#include "ir/sub_graphs.h"
#include "quantize/plan/outer_constants.h"

namespace preon {

Status WriteBodies(Model& model, const std::vector<QuantPlan>& bodies, const WriteBody& write_one) {
  if (bodies.empty()) return Status::Ok();
  auto plan = bodies.begin();
  std::map<std::string, int64_t> opsets;
  const Graph outer = model.graph;
  const auto write_body = [&](Model& body) -> Status {
    OuterConstants constants(outer, body.graph);
    PREON_ASSIGN_OR_RETURN(Model written, write_one(body, *plan++));
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
