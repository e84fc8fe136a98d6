// TensorParams: from a range to parameters of the plan's scale type, with a record of the scales that type has not.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "formats/compat/compat.h"
#include "formats/scale_type.h"

namespace preon {

class TensorParams {
 public:
  /// @param compat  whose rules
  /// @param min_real_range  ranges are at least so wide: their upper bound grows
  explicit TensorParams(Compat compat, std::optional<double> min_real_range = std::nullopt)
      : compat_(compat), min_real_range_(min_real_range) {}
  /// Errors: kRangeInvalid, naming the tensor.
  Result<QuantParams> Make(const std::string& tensor, Range range, const IntFormat& format, ScaleType type);
  /// One line about all scales that were out of reach, each now the nearest in reach (2^-14 with Quark's
  /// rules); none where there were none.
  std::optional<std::string> Warning() const;

 private:
  Compat compat_;
  std::optional<double> min_real_range_;
  int below_ = 0, above_ = 0;  // the type's smallest and largest scale
  std::set<std::string> tensors_;
};

}  // namespace preon
