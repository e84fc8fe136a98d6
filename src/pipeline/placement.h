// Placement: what the plan decided, joined with the kernels that the runtime really chose.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "eval/fusion_report.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/write/float_weight_writer.h"
#include "report/results/results.h"

namespace preon {

/// Lists every node of the plan that computes on, or moves, floating-point values: as integer where the runtime runs it
/// on codes, else as float with the plan's reason ("not fused" where the plan expected an integer kernel). Nodes that
/// were folded away are left out unless they carry multiply-accumulates. Where something else than the runtime runs the
/// model (QuantPlan::runs_on), nodes are as planned.
/// @param stored  how weights of float nodes are
Placement JoinPlacement(const QuantPlan& plan, const Graph& graph, const std::map<std::string, ObservedKernel>& kernels,
                        const std::vector<StoredFloatWeight>& stored = {});

}  // namespace preon
