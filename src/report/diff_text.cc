#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/spelling.h"
#include "base/text.h"
#include "report/text_report.h"
#include "report/text_writer.h"

namespace preon {
namespace {

constexpr size_t kShownDifferences = 8;  // of each kind

// Prints the first lines of many, and how many more there are.
template <typename Items, typename Print>
void AddFirst(TextWriter& out, const Items& items, const Print& print) {
  for (size_t index = 0; index < std::min(items.size(), kShownDifferences); ++index) print(items[index]);
  if (items.size() > kShownDifferences)
    out.Add("              and %zu more (all with --json)\n", items.size() - kShownDifferences);
}

std::string ChangeText(const Change& change) {
  const auto side = [](const std::string& text) { return text.empty() ? "none" : Printable(text); };
  return StrCat(Printable(change.what), ": ", side(change.a), " -> ", side(change.b));
}

std::string CodesText(const std::vector<StoredCodes>& all) {
  if (all.empty()) return "float";
  std::string text;
  for (const StoredCodes& codes : all) {
    if (!text.empty()) text += " and ";
    text += Printable(codes.format);
    if (codes.params.size() == 1)
      text += StrCat(" scale ", codes.params[0].scale, " zero point ", codes.params[0].zero_point);
    if (codes.params.size() > 1) {
      const auto [least, most] = std::ranges::minmax(codes.params, {}, &QuantParams::scale);
      text += StrCat(" ", codes.params.size(), " scales ", least.scale, " to ", most.scale, " along axis ", codes.axis);
    }
    if (codes.block_size > 0) text += StrCat(", one per ", codes.block_size);
    if (const auto range = RangeOfCodes(codes)) text += StrCat(" (", range->min, " to ", range->max, ")");
  }
  return text;
}

std::string ValuesText(const ChangedValues& values) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (values.codes_differ) add(StrCat(FigureText(values.codes_differ, "%.2f", 100), " % of the codes differ"));
  if (values.sqnr_db) add(StrCat("SQNR ", SqnrText(*values.sqnr_db)));
  if (values.max_abs) add(StrCat("largest difference ", *values.max_abs));
  return text.empty() ? "other values, not comparable" : text;
}

void AddTensor(TextWriter& out, const ChangedTensor& tensor) {
  const bool renamed = tensor.a != tensor.b && !tensor.a.empty() && !tensor.b.empty();
  out.Add("              '%s'%s%s%s", Printable(tensor.a.empty() ? tensor.b : tensor.a).c_str(), renamed ? " ('" : "",
          renamed ? Printable(tensor.b).c_str() : "", renamed ? "' in B)" : "");
  if (tensor.codes_a != tensor.codes_b)
    out.Add(": %s -> %s", CodesText(tensor.codes_a).c_str(), CodesText(tensor.codes_b).c_str());
  for (const Change& change : tensor.changes) out.Add("; %s", ChangeText(change).c_str());
  if (tensor.values) out.Add("; %s", ValuesText(*tensor.values).c_str());
  out.Add("\n");
}

// "35 Clip: 'relu6_0', 'relu6_2', …", by operator.
void AddOnly(TextWriter& out, const char* where, const std::vector<DiffNode>& nodes) {
  constexpr size_t kShownNames = 4;
  std::map<std::string, std::vector<std::string>> by_operator;
  for (const DiffNode& node : nodes) by_operator[node.op].push_back(StrCat("'", Printable(node.node), "'"));
  for (const auto& [op, names] : by_operator) {
    const std::vector<std::string> shown(names.begin(), names.begin() + std::min(names.size(), kShownNames));
    out.Add("              only in %s: %zu %s: %s%s\n", where, names.size(), Printable(op).c_str(),
            JoinNames(shown).c_str(), names.size() > kShownNames ? ", …" : "");
  }
}

void AddNodes(TextWriter& out, const NodeDiff& diff) {
  out.Add("  nodes       %s the same, %zu changed, %zu only in A, %zu only in B\n",
          CountText(diff.same, "node").c_str(), diff.changed.size(), diff.only_in_a.size(), diff.only_in_b.size());
  AddFirst(out, diff.changed, [&](const ChangedNode& node) {
    out.Add("              %s '%s'", Printable(node.a.op).c_str(), Printable(node.a.node).c_str());
    for (const Change& change : node.changes)
      out.Add("%s %s", &change == &node.changes.front() ? ":" : ";", ChangeText(change).c_str());
    out.Add("\n");
  });
  AddOnly(out, "A", diff.only_in_a);
  AddOnly(out, "B", diff.only_in_b);
}

// Those that both have, then how many one model alone has.
void AddTensorsOf(TextWriter& out, const std::vector<ChangedTensor>& changed, bool constant) {
  std::vector<ChangedTensor> both;
  int64_t only_a = 0, only_b = 0;
  for (const ChangedTensor& tensor : changed) {
    if (tensor.constant != constant) continue;
    if (tensor.a.empty() || tensor.b.empty())
      ++(tensor.b.empty() ? only_a : only_b);
    else
      both.push_back(tensor);
  }
  // Constants that are farthest from each other first.
  std::ranges::stable_sort(both, std::ranges::less(), [](const ChangedTensor& tensor) {
    return tensor.values ? tensor.values->sqnr_db.value_or(-kExactSqnrDb) : kExactSqnrDb;
  });
  out.Add("  %s %zu changed, %lld only in A, %lld only in B\n", constant ? "constants  " : "activations", both.size(),
          static_cast<long long>(only_a), static_cast<long long>(only_b));
  AddFirst(out, both, [&](const ChangedTensor& tensor) { AddTensor(out, tensor); });
}

void AddTensors(TextWriter& out, const TensorDiff& diff) {
  out.Add("  quantized   %s in A, %s in B\n", CountText(diff.quantized_a, "tensor").c_str(),
          CountText(diff.quantized_b, "tensor").c_str());
  out.Add("  equal       %s and constants\n", CountText(diff.same, "tensor").c_str());
  AddTensorsOf(out, diff.changed, false);
  AddTensorsOf(out, diff.changed, true);
}

}  // namespace

std::string ToText(const DiffResult& result) {
  TextWriter out;
  out.Add("A %s\nB %s\n", Printable(result.a).c_str(), Printable(result.b).c_str());
  if (result.diff.same()) out.Add("  no difference\n");
  for (const Change& change : result.diff.header) out.Add("  header      %s\n", ChangeText(change).c_str());
  AddNodes(out, result.diff.nodes);
  AddTensors(out, result.diff.tensors);
  if (result.outputs) {
    AddComparison(out, *result.outputs);
    for (const auto& [name, output] : result.outputs->outputs) {
      if (!output.left_out && result.outputs->outputs.size() > 1)
        out.Add("  output      '%s': SQNR %s, largest difference %.6g\n", Printable(name).c_str(),
                SqnrText(output.sqnr_db).c_str(), output.max_abs);
    }
  }
  AddFacts(out, result.facts);
  AddWarnings(out, result.warnings);
  return out.Take();
}

}  // namespace preon
