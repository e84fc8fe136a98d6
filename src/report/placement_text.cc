#include "report/placement_text.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "eval/fusion_report.h"
#include "quantize/plan/float_reason.h"
#include "quantize/plan/float_storage.h"

namespace preon {
namespace {

// What stays float, grouped by reason and operator, the largest share of the work first.
void AddFloatNodes(TextWriter& out, const std::vector<FloatNode>& nodes) {
  struct Group {
    int count = 0;
    double macs_share = 0;
    const FloatNode* first = nullptr;
  };
  std::map<std::pair<std::string, std::string>, Group> groups;
  for (const FloatNode& node : nodes) {
    Group& group = groups[{node.reason, node.op}];
    if (group.count++ == 0) group.first = &node;
    group.macs_share += node.macs_share;
  }
  std::vector<std::pair<std::pair<std::string, std::string>, Group>> sorted(groups.begin(), groups.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return std::pair(a.second.macs_share, a.second.count) > std::pair(b.second.macs_share, b.second.count);
  });
  constexpr size_t kMaxGroups = 12;
  for (size_t index = 0; index < sorted.size() && index < kMaxGroups; ++index) {
    const auto& [key, group] = sorted[index];
    out.Add("              %3d %-18s %s%s\n", group.count, Printable(key.second).c_str(),
            Printable(ReasonText(key.first, group.first->detail)).c_str(), WorkText(group.macs_share).c_str());
  }
  if (sorted.size() > kMaxGroups)
    out.Add("              and %zu more groups (all with --json)\n", sorted.size() - kMaxGroups);
}

// "", or the reasons in brackets, the most frequent first; with numbers where there are several.
std::string ReasonsText(const std::map<std::string, int64_t>& counts) {
  std::vector<std::pair<std::string, int64_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::greater(), &std::pair<std::string, int64_t>::second);
  std::string text;
  for (const auto& [why, count] : sorted) {
    if (why.empty()) continue;
    text += text.empty() ? " (" : "; ";
    text += sorted.size() > 1 ? StrCat(count, ": ", why) : why;
  }
  return text.empty() ? "" : text + ")";
}

// How weights of float nodes are stored, each storage with its reasons; the smallest storage first.
void AddStoredWeights(TextWriter& out, const std::vector<FloatNode>& nodes) {
  std::map<std::string, std::map<std::string, int64_t>> reasons;  // of each storage
  for (const FloatNode& node : nodes)
    if (!node.weights.empty()) ++reasons[node.weights][node.weights_why];
  if (reasons.empty()) return;
  std::string text;
  for (const FloatStorage storage : {FloatStorage::kInt8, FloatStorage::kFloat16, FloatStorage::kFloat32}) {
    const auto found = reasons.find(std::string(FloatStorageName(storage)));
    if (found == reasons.end()) continue;
    int64_t nodes_so = 0;
    for (const auto& [why, count] : found->second) nodes_so += count;
    text += StrCat(text.empty() ? "" : ", ", nodes_so, " as ", found->first, ReasonsText(found->second));
  }
  out.Add("  weights     of float nodes: %s\n", Printable(text).c_str());
}

// The runtime's operators behind the integer nodes, the most frequent first.
void AddKernels(TextWriter& out, const std::vector<IntegerNode>& nodes) {
  std::map<std::string, int64_t> counts;
  for (const IntegerNode& node : nodes)
    if (IsIntegerKernel(node.kernel)) ++counts[node.kernel];
  if (counts.empty()) return;
  std::vector<std::pair<std::string, int64_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::greater(), &std::pair<std::string, int64_t>::second);
  std::string text;
  for (const auto& [kernel, count] : sorted) text += StrCat(text.empty() ? "" : ", ", count, " ", kernel);
  out.Add("  kernels     %s\n", text.c_str());
}

}  // namespace

bool HasQuantizers(std::string_view reason) { return reason == FloatReasonName(FloatReason::kNotFused); }

std::string ReasonText(std::string_view reason, std::string_view detail) {
  return StrCat(reason, detail.empty() ? "" : ": ", detail);
}

std::string WorkText(double macs_share) {
  constexpr double kNextToNone = 0.0005;
  return macs_share < kNextToNone ? "" : FigureText(100 * macs_share, " (%.1f %% of the work)");
}

void AddQuantizedNodes(TextWriter& out, const Placement& placement) {
  std::vector<FloatNode> left;
  std::ranges::copy_if(placement.float_nodes, std::back_inserter(left),
                       [](const FloatNode& node) { return !HasQuantizers(node.reason); });
  const size_t nodes = placement.integer.size() + placement.float_nodes.size();
  out.Add("  quantizers  Q/DQ around %zu of %zu nodes, which compute in float\n", nodes - left.size(), nodes);
  AddFloatNodes(out, left);
}

void AddPlacement(TextWriter& out, const Placement& placement, const char* kind) {
  const bool known = placement.integer_anchors == 0 || placement.integer_macs_share > 0;
  const std::string share =
      known ? StrCat(FigureText(100 * placement.integer_macs_share, "%.1f %%"), " of the multiply-accumulates")
            : "their share of the work is not known, because shapes are not";
  out.Add("  %-11s %lld of %lld %s nodes; %s\n", kind, static_cast<long long>(placement.integer_anchors),
          static_cast<long long>(placement.integer_anchors + placement.float_anchors),
          placement.recurrent > 0 ? "Conv, MatMul, Gemm, LSTM, GRU and RNN" : "Conv, MatMul and Gemm", share.c_str());
  if (!placement.runs_on.empty())
    out.Add("  made for    %s, which is not used here: this lists what is planned; its speed was not measured\n",
            Printable(placement.runs_on).c_str());
  AddKernels(out, placement.integer);
  if (placement.float_nodes.empty()) return;
  out.Add("  float       %s:\n", CountText(static_cast<int64_t>(placement.float_nodes.size()), "node").c_str());
  AddFloatNodes(out, placement.float_nodes);
  AddStoredWeights(out, placement.float_nodes);
}

}  // namespace preon
