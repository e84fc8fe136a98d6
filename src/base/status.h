// Status and Result<T>: what a user can cause is a value (style: errors carry a documented number).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/str_cat.h"

namespace preon {

/// Kind of failure; decides the exit status and (later) the Python exception.
enum class StatusCode {
  kOk,
  kInvalidArgument,
  kNotFound,
  kUnsupported,
  kFailedPrecondition,
  kCorruptData,
  kNumerical,
  kResourceExhausted,
  kCancelled,
  kIo,
  kInternal,
};

/// Documented errors, one enumerator per row of base/errors.inc (which docs/errors.md is generated from).
enum class ErrorId {
#define PREON_ERROR(name, number, exit_status, code, title, example) name = number,
#include "base/errors.inc"
#undef PREON_ERROR
};

/// One row of the error table.
struct ErrorInfo {
  ErrorId id;
  int number;       ///< printed as E1234
  int exit_status;  ///< errors.inc lists what each means
  StatusCode code;
  std::string_view title;
  std::string_view example;  ///< a message as a user would see it
};

/// The row of `id`.
const ErrorInfo& GetErrorInfo(ErrorId id);
/// All rows in numeric order.
struct ErrorTable {
  const ErrorInfo* begin() const;
  const ErrorInfo* end() const;
};

/// Success, or a documented error with a message (`what, where, got, wanted`, lower case, no full stop) and a hint.
class [[nodiscard]] Status {
 public:
  static Status Ok() { return Status(); }

  bool ok() const { return !id_.has_value(); }
  ErrorId id() const { return *id_; }
  StatusCode code() const { return ok() ? StatusCode::kOk : GetErrorInfo(*id_).code; }
  const std::string& message() const { return message_; }
  const std::string& hint() const { return hint_; }

  /// `[E2104] message`, with the hint behind it on a line of its own where there is one.
  std::string ToString() const;

  /// Puts where it happened in front of the message; no effect on Ok.
  template <typename... Args>
  Status WithContext(const Args&... where) &&;
  Status WithHint(std::string hint) &&;

 private:
  template <typename... Args>
  friend Status Error(ErrorId id, const Args&... parts);

  std::optional<ErrorId> id_;
  std::string message_;
  std::string hint_;
};

/// Builds an error of kind `id`; the parts are put one behind the other.
template <typename... Args>
Status Error(ErrorId id, const Args&... parts) {
  Status status;
  status.id_ = id;
  status.message_ = StrCat(parts...);
  return status;
}

template <typename... Args>
Status Status::WithContext(const Args&... where) && {
  if (!ok()) message_ = StrCat(where..., ": ", message_);
  return std::move(*this);
}

/// A value or the Status that says why there is none. A subset of std::expected.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}                                       // NOLINT: implicit on purpose
  Result(Status status) : status_(std::move(status)) { PREON_CHECK(!status_.ok()); }  // NOLINT

  bool ok() const { return value_.has_value(); }
  const Status& status() const& { return status_; }
  Status status() && { return std::move(status_); }

  T& value() & {
    PREON_CHECK(ok());
    return *value_;
  }
  const T& value() const& {
    PREON_CHECK(ok());
    return *value_;
  }
  T value() && {
    PREON_CHECK(ok());
    return std::move(*value_);
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace preon

#define PREON_CONCAT_INNER(a, b) a##b
#define PREON_CONCAT(a, b) PREON_CONCAT_INNER(a, b)

/// Returns from the enclosing function when `expr` (a Status) is not ok.
#define PREON_RETURN_IF_ERROR(expr)              \
  do {                                           \
    ::preon::Status preon_status = (expr);       \
    if (!preon_status.ok()) return preon_status; \
  } while (false)

/// `PREON_ASSIGN_OR_RETURN(T x, expr)`: x = the value of the Result, or return its Status.
#define PREON_ASSIGN_OR_RETURN(lhs, expr) PREON_ASSIGN_OR_RETURN_IMPL(PREON_CONCAT(preon_result_, __LINE__), lhs, expr)
#define PREON_ASSIGN_OR_RETURN_IMPL(result, lhs, expr) \
  auto result = (expr);                                \
  if (!result.ok()) return std::move(result).status(); \
  lhs = std::move(result).value()
