#include "report/positions_report.h"

#include <algorithm>

#include "base/text.h"

namespace preon {
namespace {

JsonObject PositionJson(const std::optional<int>& position) {
  return position ? JsonObject(*position) : JsonObject(nullptr);
}

JsonObject SideJson(const NodePositions& positions) {
  JsonObject side = {{"inputs", JsonObject::array()}};
  for (const std::optional<int>& input : positions.inputs) side["inputs"].push_back(PositionJson(input));
  if (positions.weight) side["weight"] = *positions.weight;
  if (positions.bias) side["bias"] = *positions.bias;
  side["output"] = PositionJson(positions.output);
  JsonObject shifts = JsonObject::object();
  for (const NpuShift& shift : positions.shifts) shifts[std::string(shift.name)] = shift.value;
  side["shifts"] = std::move(shifts);
  return side;
}

bool IsOutside(const PositionRow& row) { return !std::ranges::all_of(row.after.shifts, &NpuShift::inside); }

bool IsMoved(const PositionRow& row) {
  return row.before.inputs != row.after.inputs || row.before.weight != row.after.weight ||
         row.before.bias != row.after.bias || row.before.output != row.after.output;
}

// "5" or "5 to 2".
std::string Moved(const std::optional<int>& before, const std::optional<int>& after) {
  if (!after) return "float";
  return before && *before != *after ? StrCat(*before, " to ", *after) : StrCat(*after);
}

std::string Row(const PositionRow& row) {
  std::string text;
  for (size_t input = 0; input < row.after.inputs.size(); ++input)
    text += StrCat(input == 0 ? "in " : ", ", Moved(row.before.inputs[input], row.after.inputs[input]));
  if (row.after.weight) text += "; weight " + Moved(row.before.weight, row.after.weight);
  if (row.after.bias) text += "; bias " + Moved(row.before.bias, row.after.bias);
  text += "; out " + Moved(row.before.output, row.after.output);
  for (const NpuShift& shift : row.after.shifts)
    text += StrCat("; ", shift.name, " ", shift.value, shift.inside() ? " in " : " OUTSIDE ", shift.lowest, "..",
                   shift.highest);
  return text;
}

}  // namespace

void AddPositionsJson(JsonObject& json, const PositionTable& table) {
  if (table.rows.empty()) return;
  JsonObject nodes = JsonObject::array();
  for (const PositionRow& row : table.rows) {
    JsonObject limits = JsonObject::object();
    for (const NpuShift& shift : row.after.shifts) limits[std::string(shift.name)] = {shift.lowest, shift.highest};
    nodes.push_back({{"node", row.node},
                     {"op", row.op},
                     {"before", SideJson(row.before)},
                     {"after", SideJson(row.after)},
                     {"limits", std::move(limits)},
                     {"inside", !IsOutside(row)}});
  }
  json["positions"] = {{"rounds", table.rounds}, {"cycle", table.cycle}, {"nodes", std::move(nodes)}};
}

void AddPositions(TextWriter& out, const PositionTable& table) {
  if (table.rows.empty()) return;
  const auto moved = std::ranges::count_if(table.rows, IsMoved);
  const auto outside = std::ranges::count_if(table.rows, IsOutside);
  out.Add(
      "  shifts      %s with limits; positions of %lld moved, %s\n",
      CountText(static_cast<int64_t>(table.rows.size()), "node").c_str(), static_cast<long long>(moved),
      outside == 0 ? "all shifts inside their limits" : StrCat(outside, " with a shift outside its limits").c_str());
  for (const PositionRow& row : table.rows) {
    if (IsMoved(row) || IsOutside(row))
      out.Add("              %s '%s': %s\n", row.op.c_str(), Printable(row.node).c_str(), Row(row).c_str());
  }
}

void AddDpuCosts(TextWriter& out, const std::vector<DpuCost>& costs) {
  for (const DpuCost& cost : costs)
    out.Add("  dpu         %s: %s, %s without it (both with nearest codes)\n", cost.pass.c_str(),
            SqnrText(cost.with_db).c_str(), SqnrText(cost.without_db).c_str());
}

}  // namespace preon
