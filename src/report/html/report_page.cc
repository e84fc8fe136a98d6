#include "report/html/report_page.h"

#include <algorithm>

#include "base/spelling.h"
#include "base/status.h"
#include "base/text.h"
#include "report/figures_text.h"
#include "report/found_text.h"
#include "report/html/html_text.h"
#include "report/html/page_parts.h"
#include "report/text_writer.h"

namespace preon {
namespace {

std::string Percent(double share) { return StrCat(HtmlNumber(100 * share), " %"); }

std::string Code(const std::string& name) { return StrCat("<code>", EscapeHtml(name), "</code>"); }

std::string SizeTile(int64_t before, int64_t after) {
  return Tile(StrCat(BytesText(before), " → ", BytesText(after)), "size", after > before ? "bad" : "");
}

std::string ComparisonTiles(const Comparison& compare, const LatencyPair& latency) {
  std::string tiles;
  if (compare.outputs.size() == 1 && !compare.outputs.begin()->second.left_out)
    tiles += Tile(StrCat(HtmlNumber(compare.outputs.begin()->second.sqnr_db), " dB"), "SQNR");
  if (compare.argmax_agreement) tiles += Tile(Percent(*compare.argmax_agreement), "same top class");
  if (compare.reference_accuracy && compare.other_accuracy)
    tiles += Tile(StrCat(Percent(compare.reference_accuracy->top1), " → ", Percent(compare.other_accuracy->top1)),
                  "top-1 accuracy");
  if (latency.speedup.median > 0)
    tiles +=
        Tile(HtmlNumber(latency.speedup.median), "times the speed of float", latency.speedup.high < 1 ? "bad" : "");
  return tiles;
}

std::string Candidates(const std::vector<MethodCandidate>& candidates) {
  if (candidates.empty()) return "";
  std::string rows;
  for (const MethodCandidate& candidate : candidates) {
    rows += StrCat("<tr>", TextColumn(EscapeHtml(candidate.method)), TextColumn(EscapeHtml(candidate.options)),
                   NumberColumn(candidate.sqnr_db), TextColumn(OutcomeOf(candidate)), "</tr>\n");
  }
  return "<h2>Candidates</h2>\n" + Table({"method", "options", "SQNR, dB", ""}, rows);
}

std::string Fallback(const AccuracyFallback& fallback) {
  if (!fallback.why_none.empty())
    return Note("Layers left in float were not searched: " + EscapeHtml(fallback.why_none));
  if (fallback.trials.empty()) return "";
  std::string rows;
  for (const FallbackTrial& trial : fallback.trials) {
    std::string nodes = Code(trial.nodes.front());
    if (trial.nodes.size() > 1) nodes += StrCat(" and ", trial.nodes.size() - 1, " more");
    rows += StrCat("<tr>", TextColumn(nodes), NumberColumn(trial.sqnr_db), NumberColumn(100 * trial.cost),
                   TextColumn(trial.kept   ? "kept"
                              : trial.slow ? "slow"
                                           : ""),
                   "</tr>\n");
  }
  return "<h2>Nodes tried in float</h2>\n" + Table({"nodes", "SQNR, dB", "latency, %", ""}, rows);
}

std::string Outputs(const Comparison& compare) {
  std::string rows;
  for (const auto& [name, output] : compare.outputs) {
    rows += "<tr>" + TextColumn(Code(name));
    if (output.left_out) {
      rows += "<td>not compared</td><td>–</td><td>–</td><td>–</td></tr>\n";
      continue;
    }
    rows += StrCat(NumberColumn(output.sqnr_db), NumberColumn(output.cosine), NumberColumn(output.l2),
                   NumberColumn(output.max_abs, output.not_finite > 0 ? "bad" : ""), "</tr>\n");
  }
  return StrCat("<h2>Error</h2>\n", Note(StrCat("Against float, on ", CountText(compare.samples, "sample"), ".")),
                Table({"output", "SQNR, dB", "cosine", "L2", "largest difference"}, rows));
}

std::string Latencies(const LatencyPair& latency) {
  if (latency.speedup.median <= 0) return "";
  std::string rows;
  for (const auto& [name, figures] : {std::pair("float", &latency.reference), std::pair("quantized", &latency.other)})
    rows += StrCat("<tr>", TextColumn(name), NumberColumn(figures->p50), NumberColumn(figures->p90),
                   NumberColumn(figures->p99), "</tr>\n");
  const Speedup& speedup = latency.speedup;
  return StrCat("<h2>Latency</h2>\n",
                Note(StrCat(HtmlNumber(speedup.median), " times the speed of float (", HtmlNumber(speedup.low), " to ",
                            HtmlNumber(speedup.high), "), ", CountText(latency.threads, "thread"),
                            speedup.busy ? "; not reliable: the machine was busy" : "", ".")),
                Table({"model", "p50, ms", "p90, ms", "p99, ms"}, rows));
}

// Those with most of the work first.
std::string Nodes(const Placement& placement) {
  std::vector<FloatNode> left = placement.float_nodes;
  std::vector<IntegerNode> integer = placement.integer;
  std::ranges::stable_sort(left, std::greater(), &FloatNode::macs_share);
  std::ranges::stable_sort(integer, std::greater(), &IntegerNode::macs_share);
  const auto begin = [](const std::string& name, const std::string& op) {
    return StrCat("<tr data-name=\"", EscapeHtml(name), "\">", TextColumn(Code(name)), TextColumn(EscapeHtml(op)));
  };
  std::string float_rows, integer_rows;
  for (const FloatNode& node : left) {
    std::string why = node.detail.empty() ? node.reason : StrCat(node.reason, ": ", node.detail);
    if (!node.weights.empty()) why += StrCat("; weights stored as ", node.weights);
    float_rows += StrCat(begin(node.node, node.op), TextColumn(EscapeHtml(why)),
                         NumberColumn(100 * node.macs_share, "", " %"), "</tr>\n");
  }
  for (const IntegerNode& node : integer) {
    integer_rows += StrCat(begin(node.node, node.op), TextColumn(EscapeHtml(node.kernel)),
                           NumberColumn(100 * node.macs_share, "", " %"), "</tr>\n");
  }
  std::string html =
      "<h2>Nodes</h2>\n" + Note("Work: share of the multiply-accumulates. Click a column heading to sort.");
  html += FilterField() + StrCat("<h3>Float: ", left.size(), "</h3>\n");
  if (!left.empty()) html += Table({"node", "operator", "reason", "work"}, float_rows);
  html += StrCat("<h3>Integer: ", integer.size(), "</h3>\n");
  if (!integer.empty()) html += Table({"node", "operator", "kernel", "work"}, integer_rows);
  return html;
}

std::string Facts(const RunFacts& facts) {
  std::string rows;
  for (const auto& [stage, seconds] : facts.seconds)
    rows += StrCat("<tr>", TextColumn(EscapeHtml(stage)), NumberColumn(seconds), "</tr>\n");
  return StrCat("<h2>Time</h2>\n",
                Note(StrCat(HtmlNumber(facts.total_seconds), " s, ", BytesText(facts.peak_rss_bytes), " of memory.")),
                Table({"stage", "seconds"}, rows));
}

std::string Begin(const RunFacts& facts, const std::string& from, const std::string& to) {
  return PageHead(facts.verb, StrCat(EscapeHtml(from), " → ", EscapeHtml(to)));
}

}  // namespace

std::string ReportPage(const QuantizeResult& result) {
  std::string html = Begin(result.facts, result.model, result.output);
  html += Note(StrCat("preon ", result.facts.version, " · method ", EscapeHtml(result.method), ", activations ",
                      EscapeHtml(result.activation), ", weights ", EscapeHtml(result.weight), ", target ",
                      EscapeHtml(result.target), " · ",
                      CountText(result.samples, result.random_data ? "random sample" : "sample")));
  if (!result.rewritten_by.empty())
    html +=
        Note(StrCat("The float model was rewritten by ", EscapeHtml(JoinNames(Split(result.rewritten_by, ';'))), "."));
  std::string tiles = SizeTile(result.float_size_bytes, result.quantized_size_bytes);
  if (result.placement) {
    const Placement& placement = *result.placement;
    tiles += Tile(StrCat(placement.integer_anchors, " of ", placement.integer_anchors + placement.float_anchors),
                  "nodes with multiplications in integers");
    tiles += Tile(Percent(placement.integer_macs_share), "of the work in integers");
  }
  for (const auto& [target, reason] : result.passed_over)
    html += Note(StrCat("Passed over target ", target, ": ", EscapeHtml(reason), "."));
  html += Tiles(tiles + ComparisonTiles(result.compare, result.latency));
  html += Note(StrCat("Measured on ", EscapeHtml(FiguresText(result.figures, result.compare.samples)), "."));
  std::vector<std::string> messages;
  for (const Alarm& alarm : result.alarms) messages.push_back(StrCat("ALARM: ", alarm.message));
  for (const RequirementOutcome& outcome : result.requirements)
    messages.push_back(StrCat("required ", outcome.requirement, ": ", outcome.measured));
  messages.insert(messages.end(), result.warnings.begin(), result.warnings.end());
  html += MarkedLines("warning", messages);
  html +=
      Candidates(result.candidates) + Fallback(result.fallback) + Outputs(result.compare) + Latencies(result.latency);
  if (result.placement) html += Nodes(*result.placement);
  return html + Facts(result.facts) + PageEnd(result.placement.has_value());
}

std::string ReportPage(const CompareResult& result) {
  std::string html = Begin(result.facts, result.reference, result.other);
  html += Note(StrCat("preon ", result.facts.version, " · ", CountText(result.compare.samples, "sample")));
  html += Tiles(SizeTile(result.reference_size_bytes, result.other_size_bytes) +
                ComparisonTiles(result.compare, result.latency));
  html += MarkedLines("warning", result.warnings) + Outputs(result.compare) + Latencies(result.latency);
  return html + Facts(result.facts) + PageEnd(false);
}

}  // namespace preon
