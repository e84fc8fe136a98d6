#include "ranges/range_method.h"

namespace preon {

Result<std::unique_ptr<RangeCollector>> RangeMethod::Collect(const RangeQuery&) const {
  PREON_CHECK(!"a method that does not collect");
}

Status NeedsIntegerCodes(std::string_view method, const RangeQuery& query) {
  if (!query.format.floating()) return Status::Ok();
  return Error(ErrorId::kConflictingOptions, method, ": only for integer types, got ", DataTypeName(query.format.type),
               "; wanted another method, such as minmax, percentile or minmse");
}

Status NeedsValues(std::string_view method) {
  return Error(ErrorId::kConflictingOptions, method,
               ": with these options it needs the values themselves in the order of the data; "
               "a .calib file has only statistics")
      .WithHint("use --data SRC instead of the .calib file: preon quantize MODEL, or preon ranges MODEL");
}

}  // namespace preon
