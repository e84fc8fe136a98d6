// ServedSession: an observed session opened inside of another program, from bytes alone and without the ONNX library.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/tensor_spec.h"
#include "runtime/session.h"
#include "runtime/tensor_observer.h"

namespace preon {

/// Where the packed model has its observers.
enum class PackedObservers {
  kOnTheSide,  ///< as markers, to be found again in what the runtime makes of the model on the machine that serves it
  kInPath,     ///< where they work; the runtime optimizes around them
};

/// A model prepared to be opened by ServedSession.
struct PackedModel {
  std::string model;        ///< ONNX, with observers
  std::string block_model;  ///< ONNX: ChannelBlockModel
  size_t tensors = 0;
  PackedObservers observers = PackedObservers::kOnTheSide;
  bool weights_beside = false;  ///< of the optimized model
  bool optimize = true;         ///< false: runtime's optimizer off
};

/// As ObservedSession does it: observers on the side unless `optimize` is false, or a tensor lies in a branch of an If,
/// whose nodes only the ONNX library brings to light. Errors: kNameNotInModel, kModelTypeUnsupported, kModelTooLarge
/// (above 2 GB).
Result<PackedModel> PackForServing(const Model& model, const std::vector<std::string>& tensors, bool optimize);

/// PackedModel without its bytes.
struct ServedSessionOptions {
  size_t tensors = 0;
  PackedObservers observers = PackedObservers::kOnTheSide;
  bool weights_beside = false, optimize = true;
  SessionOptions session;  ///< its `optimization` is not looked at
};

class ServedSession {
 public:
  /// `observer` gets what ObservedSession would show it, on the thread that calls Run; it outlives the session. The
  /// bytes may go once it is open. Where the optimized model can't be used the log says so, and observers go in the
  /// path of the model as it is. Errors: kRuntimeLoad, kModelMalformed.
  static Result<ServedSession> Open(std::string_view model, std::string_view block_model,
                                    const ServedSessionOptions& options, TensorObserver* observer,
                                    const RunContext& context);
  ServedSession(ServedSession&&) noexcept;
  ServedSession& operator=(ServedSession&&) noexcept;
  ~ServedSession();

  const std::vector<TensorSpec>& inputs() const;
  /// As Session::Run.
  Result<std::vector<NamedTensor>> Run(const std::vector<NamedTensor>& feeds, const RunContext& context,
                                       const std::vector<std::string>& wanted);

 private:
  struct Impl;
  explicit ServedSession(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace preon
