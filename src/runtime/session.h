// Session: a model loaded in ONNX Runtime. The only layer that sees the runtime's headers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/context.h"
#include "base/status.h"
#include "base/tensor.h"
#include "base/tensor_spec.h"
#include "ir/graph.h"

struct OrtSessionOptions;  // the runtime's own, by name alone

namespace preon {

enum class Optimization { kOff, kBasic, kExtended, kAll };

/// The session options of a program that has loaded preon as a custom-operator library.
struct HostOptions;

struct SessionOptions {
  int threads = 1;  ///< threads inside an operator; operators run one after the other
  Optimization optimization = Optimization::kAll;
  std::string save_optimized_to;  ///< path; empty = don't
  /// Workers busy-wait behind a run, too, for some 10 ms (the runtime's default); between operators they always do.
  bool spin_between_runs = true;
  /// Threads, memory and log as the host has them, instead of `threads` and `spin_between_runs`.
  std::shared_ptr<const HostOptions> host;
};

class Session {
 public:
  /// With the operators of `context.custom_ops`, but for OpenBytes.
  /// Errors: kRuntimeLoad with the runtime's words, kModelTypeUnsupported for inputs or outputs that are no tensors.
  static Result<Session> OpenFile(const std::string& path, const SessionOptions& options, const RunContext& context);
  static Result<Session> OpenBytes(std::string_view bytes, const SessionOptions& options);
  /// The runtime takes the weights from the model's memory; any size.
  static Result<Session> OpenModel(const Model& model, const SessionOptions& options, const RunContext& context);
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  const std::vector<TensorSpec>& inputs() const;
  const std::vector<TensorSpec>& outputs() const;
  /// Runs once. `feeds` by name, every input present; outputs in the model's order (all when `wanted` is empty).
  /// Inputs are borrowed, not copied; outputs keep the runtime's memory. Any number of
  /// runs at once.
  /// Errors: kDataInputName, kDataType, kDataShape, kRuntimeRun, kCancelled (`context.cancel` ends a run in the
  /// middle).
  Result<std::vector<NamedTensor>> Run(const std::vector<NamedTensor>& feeds, const RunContext& context,
                                       const std::vector<std::string>& wanted = {});

  struct Impl;  ///< for runtime/ alone

 private:
  explicit Session(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Adds operators beside the runtime's own to a session's options; throws what the runtime throws.
using AddOperators = void (*)(OrtSessionOptions* options);
/// Every session that the process opens from now on has these, but for those of a program that loaded preon as a
/// library, which brings its own.
void UseOperators(AddOperators add);

/// Makes the environment that all sessions share, which takes some 10 ms: ahead of the first session, on another
/// thread.
void StartRuntime();

/// "1.30.0" of the loaded library.
std::string RuntimeVersion();

}  // namespace preon
