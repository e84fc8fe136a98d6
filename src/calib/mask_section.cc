#include "calib/mask_section.h"

#include <algorithm>

#include "calib/malformed_file.h"
#include "calib/read_map.h"

namespace preon {
namespace {

bool HasMask(const PlannedRanges::value_type& range) { return range.second.mask != MaskRole(); }

std::vector<std::string> ReadNames(WireReader& in) {
  std::vector<std::string> names;
  for (uint64_t count = in.Varint(); count > 0 && in.ok(); --count) names.emplace_back(in.Bytes());
  return names;
}

void WriteNames(const std::vector<std::string>& names, WireWriter& out) {
  out.Varint(names.size());
  for (const std::string& name : names) out.Bytes(name);
}

}  // namespace

bool HasMasks(const PlannedRanges& planned) { return std::ranges::any_of(planned, HasMask); }

void WriteMasks(const PlannedRanges& planned, WireWriter& out) {
  out.Varint(static_cast<uint64_t>(std::ranges::count_if(planned, HasMask)));
  for (const auto& range : planned) {
    if (!HasMask(range)) continue;
    const MaskRole& role = range.second.mask;
    out.Bytes(range.first);
    WriteNames(role.operands, out);
    WriteNames(role.beside, out);
    out.Varint(role.constant ? 1 : 0);
    if (!role.constant) continue;
    out.Float(role.constant->min);
    out.Float(role.constant->max);
  }
}

Status ReadMasks(WireReader& in, PlannedRanges& planned) {
  const auto read = [&]() -> Result<MaskRole> {
    MaskRole role;
    role.operands = ReadNames(in);
    role.beside = ReadNames(in);
    const uint64_t has_constant = in.Varint();
    if (has_constant > 1) return Malformed("an unknown mask");
    if (has_constant == 0) return role;
    const float min = in.Float(), max = in.Float();
    if (!(min <= max)) return Malformed("a mask without a range");
    role.constant = Range{min, max};
    return role;
  };
  std::map<std::string, MaskRole> masks;
  PREON_RETURN_IF_ERROR(ReadMap(in, masks, read));
  for (auto& [tensor, role] : masks) {
    const auto range = planned.find(tensor);
    if (range == planned.end() || role == MaskRole()) return Malformed("a mask of no tensor");
    range->second.mask = std::move(role);
  }
  return masks.empty() ? Malformed("unexpected data after the end") : Status::Ok();
}

}  // namespace preon
