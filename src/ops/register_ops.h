// The operators under their names in both domains.
#pragma once

// The runtime's own types, by name alone.
struct OrtApiBase;
struct OrtSessionOptions;
struct OrtStatus;

namespace preon {

/// For sessions of a process that is linked with the runtime. Throws what the runtime throws.
void AddQuarkOps(OrtSessionOptions* options);

/// What RegisterCustomOps of the library does: takes over the host's runtime and tells it the operators. Null, or why
/// not.
OrtStatus* RegisterQuarkOps(OrtSessionOptions* options, const OrtApiBase* runtime);

}  // namespace preon
