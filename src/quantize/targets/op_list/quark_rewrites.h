// What Quark's preprocessing makes of a float graph where our passes make something else: with --compat quark the
// graphs are the same (docs/compat.md).
#pragma once

#include <string_view>

#include "ir/graph.h"
#include "passes/support/preprocessing.h"

namespace preon {

/// Does Quark rewrite in these stages what the pass does? `ours`: does the target want the pass without --compat?
bool QuarkRewrites(std::string_view pass, bool ours, const Preprocessing& stages);
/// Does Quark leave this node in these stages as it is, which the pass could rewrite?
bool QuarkLeaves(std::string_view pass, const Model& model, const Node& node, const Preprocessing& stages);

}  // namespace preon
