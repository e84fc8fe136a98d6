// Inside a program that has an ONNX Runtime of its own and loads preon as a library: the runtime is the program's.
#pragma once

// The runtime's own types, by name alone: its headers are for runtime/.
struct OrtApi;
struct OrtApiBase;

namespace preon {

/// For OrtGetApiBase of a library that is not linked with the runtime: stands in until the host hands its own over.
const OrtApiBase* NoRuntimeYet();

/// From now on the runtime is the one that the process has itself. Before anything else, in a library that is not
/// linked with the runtime.
void UseRuntimeOfHost(const OrtApi* api);
/// Whether the process has its own use for the runtime, and preon is a guest.
bool HasRuntimeOfHost();

}  // namespace preon
