#include "diff/constant_diff.h"

#include <algorithm>
#include <cmath>

#include "eval/compared_parts.h"
#include "eval/values.h"

namespace preon {
namespace {

bool SameBytes(const Tensor& a, const Tensor& b) {
  if (a.type() != b.type() || a.shape() != b.shape()) return false;
  if (a.type() == DataType::kString) return a.strings() == b.strings();
  return std::ranges::equal(a.bytes(), b.bytes());
}

bool HoldsCodes(const FloatView& view, const std::string& constant) {
  const auto& codes = view.CodesOf(constant);
  return !codes.empty() && codes.front().type == view.constants().at(constant)->type();
}

std::optional<double> ShareThatDiffers(const Tensor& a, const Tensor& b) {
  if (a.type() != b.type() || a.shape() != b.shape() || a.count() == 0 || !IsIntType(a.type())) return std::nullopt;
  const auto codes = [](const Tensor& stored) { return DecodeTensor({.codes = stored, .params = {QuantParams()}}); };
  const Tensor of_a = codes(a), of_b = codes(b);
  int64_t differ = 0;
  for (int64_t index = 0; index < a.count(); ++index)
    differ += of_a.floats()[static_cast<size_t>(index)] != of_b.floats()[static_cast<size_t>(index)];
  return static_cast<double>(differ) / static_cast<double>(a.count());
}

void CompareValues(const Tensor& a, const Tensor& b, ChangedValues& changed) {
  if (a.count() != b.count()) return;
  const std::vector<double> of_a = ToDoubles(a), of_b = ToDoubles(b);
  if (of_a.empty() || of_a.size() != of_b.size()) return;
  double signal = 0, noise = 0, most = 0;
  for (size_t index = 0; index < of_a.size(); ++index) {
    const double difference = of_a[index] - of_b[index];
    signal += of_a[index] * of_a[index];
    noise += difference * difference;
    most = std::max(most, std::abs(difference));
  }
  if (!std::isfinite(signal) || !std::isfinite(noise)) return;
  changed.sqnr_db = Decibel(signal, noise);
  changed.max_abs = most;
}

}  // namespace

std::optional<ChangedValues> DiffConstants(const FloatView& a, const std::string& of_a, const FloatView& b,
                                           const std::string& of_b) {
  const Tensor &stored_a = *a.constants().at(of_a), &stored_b = *b.constants().at(of_b);
  if (SameBytes(stored_a, stored_b) && a.CodesOf(of_a) == b.CodesOf(of_b)) return std::nullopt;
  ChangedValues changed;
  if (HoldsCodes(a, of_a) && HoldsCodes(b, of_b)) changed.codes_differ = ShareThatDiffers(stored_a, stored_b);
  const Tensor values_a = a.ValuesOf(of_a), values_b = b.ValuesOf(of_b);
  CompareValues(values_a, values_b, changed);
  return changed;
}

}  // namespace preon
