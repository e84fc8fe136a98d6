#include "calib/sample_rows.h"

#include "calib/malformed_file.h"

#include <algorithm>

namespace preon {
namespace {

void WriteLabel(const std::optional<int64_t>& label, WireWriter& out) {
  out.Varint(label.has_value());
  if (label) out.Varint(ZigZag(*label));
}

Result<SampleRow> ReadRow(WireReader& in, int64_t index, size_t tensors) {
  SampleRow row{.index = index, .name = std::string(in.Bytes())};
  const uint64_t labelled = in.Varint();
  if (labelled > 1) return Malformed("a sample's label is unreadable");
  if (labelled == 1) row.label = UnZigZag(in.Varint());
  if (in.left() / SampleFacts::kWireBytes < tensors) return Malformed("cut short");
  for (size_t tensor = 0; tensor < tensors; ++tensor) {
    if (!row.tensors.emplace_back(SampleFacts::Read(in)).IsConsistent())
      return Malformed("a sample's facts contradict each other");
  }
  return row;
}

/// Whether the samples together reach as far as the sketch that saw all of them.
bool AddUpTo(const TensorSketch& sketch, size_t tensor, const std::vector<SampleRow>& rows) {
  SampleFacts all;
  for (const SampleRow& row : rows) {
    all.min = std::min(all.min, row.tensors[tensor].min);
    all.max = std::max(all.max, row.tensors[tensor].max);
  }
  return all.empty() ? sketch.finite_count() == 0
                     : sketch.finite_count() > 0 && all.min == sketch.min() && all.max == sketch.max();
}

}  // namespace

void SortRows(std::vector<SampleRow>& rows) { std::ranges::sort(rows, {}, &SampleRow::index); }

void WriteRows(const std::vector<SampleRow>& rows, WireWriter& out) {
  for (const SampleRow& row : rows) {
    out.Bytes(row.name);
    WriteLabel(row.label, out);
    for (const SampleFacts& facts : row.tensors) facts.Write(out);
  }
}

Result<std::vector<SampleRow>> ReadRows(WireReader& in, const SampleRuns& samples,
                                        const std::map<std::string, TensorSketch>& tensors) {
  std::vector<SampleRow> rows;
  for (const auto& [first, last] : samples) {
    for (int64_t index = first; index < last; ++index) {
      PREON_ASSIGN_OR_RETURN(rows.emplace_back(), ReadRow(in, index, tensors.size()));
      if (!in.ok()) return Malformed("cut short");  // before the next one: a damaged count may promise any number
    }
  }
  size_t tensor = 0;
  for (const auto& [name, sketch] : tensors) {
    if (!AddUpTo(sketch, tensor++, rows)) return Malformed("the samples' extremes differ from those of their tensors");
  }
  return rows;
}

}  // namespace preon
