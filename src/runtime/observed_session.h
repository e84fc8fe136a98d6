// ObservedSession: inference at full speed with observers in the path of chosen tensors, put into the graph that the
// runtime has already optimized. (How tensors are found there, blocked layouts: docs/design/observers.md)
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/tensor_spec.h"
#include "runtime/session.h"
#include "runtime/tensor_observer.h"

namespace preon {

struct ObservedSessionOptions {
  SessionOptions session;  ///< its `optimization` is not looked at
  /// false: runtime's optimizer off, values bit for bit those of the plain float graph.
  bool optimize = true;
  /// True: observers read copies, and the graph is as without them: for another processor than the CPU.
  bool beside = false;
  /// With `optimize` off, true: nodes do not lay their weights out anew, which takes time and memory for each of them.
  bool few_runs = false;
};

class ObservedSession {
 public:
  /// `tensors`: float tensors of the model (graph inputs, inner tensors, outputs), unique. `observer` outlives the
  /// session. Errors: kNameNotInModel, kModelTypeUnsupported (a tensor that is not float), those of Session::OpenModel.
  static Result<ObservedSession> Open(const Model& model, const std::vector<std::string>& tensors,
                                      TensorObserver* observer, const ObservedSessionOptions& options,
                                      const RunContext& context);
  ObservedSession(ObservedSession&&) noexcept;
  ObservedSession& operator=(ObservedSession&&) noexcept;
  ~ObservedSession();

  const std::vector<TensorSpec>& inputs() const;
  /// Runs once; the outputs are those of the model. Any number of runs at once. Errors: those of Session::Run.
  Result<std::vector<NamedTensor>> Run(const std::vector<NamedTensor>& feeds, const RunContext& context);
  /// One per tensor.
  const std::vector<ObserverPlace>& places() const;

 private:
  struct Impl;
  explicit ObservedSession(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace preon
