// Reads a method's options from text: by Quark's names, case ignored, checked before any data is seen.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace preon {

/// Options of a method as text, by Quark's names ("Percentile", "LWPMetric", "PercentileCandidates", …).
using MethodOptions = std::map<std::string, std::string>;

/// Each Read leaves `value` as it is where the option is absent. Errors are kept: the first one is what Finish returns.
class OptionReader {
 public:
  OptionReader(std::string_view method, const MethodOptions& options) : method_(method), unread_(options) {}

  /// true or false (also 1/0, yes/no, on/off).
  void Read(std::string_view name, bool* value);
  /// Within [low, high].
  void Read(std::string_view name, double low, double high, double* value);
  /// A whole number within [low, high].
  void Read(std::string_view name, size_t low, size_t high, size_t* value);
  /// "a, b" or "[a, b]": at least one, each within [low, high].
  void Read(std::string_view name, double low, double high, std::vector<double>* value);
  /// Lower case.
  void Read(std::string_view name, std::string* value);
  /// "CalibTensorRangeSymmetric", or "symmetric" as Quark calls it inside.
  void ReadSymmetric(bool* value);
  /// An option of Quark that has no counterpart here: an error that says why, not "unknown", but for the
  /// value that is what happens here anyway (may be empty: none).
  void Refuse(std::string_view name, std::string_view usual, std::string_view why);
  /// Quark's number of bins, for methods that read the sketch's histogram.
  void RefuseNumBins();
  /// For values that only the method can judge.
  void Fail(Status status);

  /// Errors: kBadOptionValue, what Fail was given, kUnknownOption for options that nothing read.
  Status Finish();

 private:
  /// Takes the option out of the unread ones.
  std::optional<std::string> Take(std::string_view name);
  void FailValue(std::string_view name, std::string_view got, std::string_view wanted);

  std::string method_;
  MethodOptions unread_;
  std::vector<std::string> known_;
  Status first_error_;
};

}  // namespace preon
