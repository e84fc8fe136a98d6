#include "report/json.h"
#include "report/json_object.h"

namespace preon {
namespace {

void AddLintJson(JsonObject& json, const LintReport& report) {
  json["nodes"] = {{"integer", report.integer_nodes}, {"float", report.float_nodes}};
  json["integer_macs_share"] = report.integer_macs_share;
  json["findings"] = JsonObject::array();
  for (const LintFinding& finding : report.findings) {
    JsonObject nodes = JsonObject::array();
    for (const LintNode& node : finding.nodes)
      nodes.push_back({{"node", node.node},
                       {"op", node.op},
                       {"kernel", node.kernel},
                       {"detail", node.detail},
                       {"macs_share", node.macs_share}});
    JsonObject entry = {{"rule", finding.rule}, {"advice", finding.advice}};
    if (!finding.pass.empty()) entry["pass"] = finding.pass;
    if (finding.speedup) entry["estimated_speedup"] = *finding.speedup;
    entry["nodes"] = std::move(nodes);
    json["findings"].push_back(std::move(entry));
  }
}

}  // namespace

std::string ToJson(const LintResult& result) {
  JsonObject json = BeginJson(result.facts);
  json["model"] = result.model;
  AddLintJson(json, result.report);
  if (result.fix) {
    const LintFix& fix = *result.fix;
    JsonObject fixed = {{"output", fix.output}, {"passes", fix.passes}, {"random_data", fix.figures.random_data}};
    AddLintJson(fixed, fix.report);
    fixed["compare"] = RewriteJson(fix.figures);
    json["fix"] = std::move(fixed);
  }
  json["warnings"] = result.warnings;
  return JsonLine(json);
}

}  // namespace preon
