#include "base/spelling.h"
#include "base/text.h"
#include "report/text_report.h"
#include "report/text_writer.h"

namespace preon {
namespace {

void AddLint(TextWriter& out, const LintReport& report) {
  out.Add("  integer     %s; %.1f %% of the multiply-accumulates\n", CountText(report.integer_nodes, "node").c_str(),
          100 * report.integer_macs_share);
  out.Add("  float       %s\n", CountText(report.float_nodes, "node").c_str());
  for (const LintFinding& finding : report.findings) {
    double macs_share = 0;
    for (const LintNode& node : finding.nodes) macs_share += node.macs_share;
    out.Add("  %s: %s", finding.rule.c_str(), CountText(static_cast<int64_t>(finding.nodes.size()), "node").c_str());
    if (macs_share >= 0.0005) out.Add(", %.1f %% of the work", 100 * macs_share);
    if (finding.speedup) out.Add("; without it an estimated %.2f times the speed", *finding.speedup);
    out.Add("\n");
    constexpr size_t kShownNodes = 3;
    for (size_t index = 0; index < finding.nodes.size() && index < kShownNodes; ++index) {
      const LintNode& node = finding.nodes[index];
      out.Add("              %s '%s': %s\n", Printable(node.op).c_str(), Printable(node.node).c_str(),
              Printable(node.detail).c_str());
    }
    if (finding.nodes.size() > kShownNodes)
      out.Add("              and %zu more (all with --json)\n", finding.nodes.size() - kShownNodes);
    if (!finding.advice.empty()) out.Add("              fix: %s\n", finding.advice.c_str());
    if (!finding.pass.empty()) out.Add("              --fix applies it\n");
  }
}

}  // namespace

std::string ToText(const LintResult& result) {
  TextWriter out;
  out.Add("%s\n", Printable(result.model).c_str());
  AddLint(out, result.report);
  if (result.fix) {
    out.Add("%s\n  changed by  %s\n", Printable(result.fix->output).c_str(), JoinNames(result.fix->passes).c_str());
    AddLint(out, result.fix->report);
    AddComparison(out, result.fix->figures.compare);
    AddLatency(out, result.fix->figures.latency, "the model given");
  }
  AddFacts(out, result.facts);
  AddWarnings(out, result.warnings);
  return out.Take();
}

}  // namespace preon
