#include "ranges/range_method.h"

#include "base/spelling.h"

namespace preon {

Result<std::unique_ptr<RangeMethod>> RangeMethod::WithOptions(const MethodOptions& options) const {
  MethodOptions own = options, common;
  std::optional<bool> graph_aware = graph_aware_;
  for (const auto& [name, value] : options) {
    if (ToLower(name) == ToLower(kGraphAware)) common.insert(own.extract(name));
  }
  if (!common.empty()) {
    OptionReader reader(name(), common);
    reader.Read(kGraphAware, &graph_aware.emplace());
    PREON_RETURN_IF_ERROR(reader.Finish());
  }
  PREON_ASSIGN_OR_RETURN(std::unique_ptr<RangeMethod> method, Configured(own));
  method->graph_aware_ = graph_aware;
  return method;
}

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
