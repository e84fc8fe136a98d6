// The runtime's execution providers: which there are, and asking a session for one. (docs/design/cuda.md)
#pragma once

#include <string>
#include <vector>

#include "base/context.h"
#include "base/status.h"

struct OrtSessionOptions;  // the runtime's own, by name alone

namespace preon {

/// Those that the loaded library was built with, by the runtime's names: "CPUExecutionProvider" …
std::vector<std::string> AvailableProviders();

/// Whether sessions can have it. Errors: kProvider, which names those that are there, or with the runtime's words.
Status CheckProvider(const Provider& provider);

/// Sessions with these options compute what the provider can; the CPU computes the rest. Throws what the runtime
/// throws.
void AppendProvider(const Provider& provider, OrtSessionOptions* options);

}  // namespace preon
