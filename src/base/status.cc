#include "base/status.h"

namespace preon {
namespace {

constexpr ErrorInfo kErrors[] = {
#define PREON_ERROR(name, number, exit_status, code, title, example) \
  {ErrorId::name, number, exit_status, StatusCode::code, title, example},
#include "base/errors.inc"
#undef PREON_ERROR
};

}  // namespace

const ErrorInfo* ErrorTable::begin() const { return std::begin(kErrors); }
const ErrorInfo* ErrorTable::end() const { return std::end(kErrors); }

const ErrorInfo& GetErrorInfo(ErrorId id) {
  for (const ErrorInfo& info : kErrors) {
    if (info.id == id) return info;
  }
  CheckFailed(__FILE__, __LINE__, "error id is in base/errors.inc");
}

std::string Status::ToString() const {
  if (ok()) return "ok";
  std::string text = StrCat("[E", GetErrorInfo(*id_).number, "] ", message_);
  if (!hint_.empty()) text += "\nhint: " + hint_;
  return text;
}

Status Status::WithHint(std::string hint) && {
  if (!ok()) hint_ = std::move(hint);
  return std::move(*this);
}

void CheckFailed(const char* file, int line, const char* condition) {
  throw InternalError(StrCat(file, ":", line, ": ", condition));
}

}  // namespace preon
