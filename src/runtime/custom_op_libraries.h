// Shared libraries with operators of the user's own, as programs register them in ONNX Runtime.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"

// The runtime's own types, by name alone.
struct OrtApiBase;
struct OrtSessionOptions;
struct OrtStatus;

namespace preon {

/// A library, open as long as the process lives.
struct CustomOpLibrary {
  using Register = OrtStatus* (*)(OrtSessionOptions* options, const OrtApiBase* runtime);

  std::string path;  ///< as the user has it
  Register add = nullptr;
};

/// Those of one run (RunContext::custom_ops). They come from the user alone, never from a model or a .calib file: a
/// library is a program that runs.
class CustomOpLibraries {
 public:
  /// Opens each library, once per process and file, and registers all of them in a session that is not kept: no model
  /// is opened before it is known that they work, and work together.
  /// Errors: kFileNotFound, kIoRead, kCustomOpLibrary with the words of the loader, the library or the runtime.
  static Result<std::shared_ptr<const CustomOpLibraries>> Open(const std::vector<std::string>& paths);

  const std::vector<CustomOpLibrary>& libraries() const { return libraries_; }
  /// All but one.
  std::shared_ptr<const CustomOpLibraries> Without(size_t index) const;
  /// Throws Ort::Exception.
  void RegisterIn(OrtSessionOptions* options) const;

 private:
  std::vector<CustomOpLibrary> libraries_;
};

}  // namespace preon
