#include "ranges/range_method.h"

namespace preon {

Result<std::unique_ptr<RangeCollector>> RangeMethod::Collect(const RangeQuery&) const {
  PREON_CHECK(!"a method that does not collect");
}

Status NeedsIntegerCodes(std::string_view method, const RangeQuery& query) {
  if (!query.format.floating()) return Status::Ok();
  return Error(ErrorId::kConflictingOptions, method, ": it counts integer codes, got ", DataTypeName(query.format.type),
               "; wanted another method, such as minmax, percentile or minmse");
}

Status NeedsValues(std::string_view method) {
  return Error(ErrorId::kConflictingOptions, method,
               ": with these options it needs the values in the order of the data, statistics hold neither")
      .WithHint("--data SRC instead of statistics: preon quantize MODEL, or preon ranges MODEL");
}

}  // namespace preon
