// Inside runtime/: what a Session holds, and opening one with the extras that ObservedSession needs.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/tensor_spec.h"
#include "runtime/cancel_watcher.h"
#include "runtime/session.h"

namespace preon {

/// The model to open: its bytes, which need to live only while it is opened, or else the file at `path`.
struct ModelSource {
  std::string path;  ///< with bytes: only a name for messages
  std::string_view bytes;
};

struct SessionExtras {
  OrtCustomOpDomain* custom_ops = nullptr;                  ///< of ours; outlives the session; may be null
  std::shared_ptr<const CustomOpLibraries> libraries;       ///< of the user; may be null
  std::vector<std::pair<std::string, std::string>> config;  ///< the runtime's own session options
  Provider provider;
  std::vector<NamedTensor> weights;  ///< those the model says to be in an external file
};

struct Session::Impl {
  /// Errors: those of Session::OpenFile.
  static Result<Session> Open(const ModelSource& source, const SessionOptions& options, const SessionExtras& extras);
  /// The runtime copies the model's weights from where they are.
  static Result<Session> OpenModel(const Model& model, const SessionOptions& options, SessionExtras extras);
  Status ReadSpecs();

  Ort::Session session{nullptr};
  std::vector<TensorSpec> inputs, outputs;
  std::string name;                   ///< the model's, in front of messages
  std::atomic<bool> settled = false;  ///< after the first run, which leaves memory behind that later ones don't use
  std::shared_ptr<CancelWatcher> cancel_watcher = CancelWatcher::Shared();
};

}  // namespace preon
