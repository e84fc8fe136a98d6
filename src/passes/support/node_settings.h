// NodeSettings: what the user set for nodes and constants, as passes may ask it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "ir/graph.h"

namespace preon {

/// What the user set for the node or, with a tensor's name, for the constant that it reads under that name. Texts to be
/// compared: what differs in them stays apart. May be empty: then all nodes are alike to the user.
using NodeSettings = std::function<std::string(const Node& node, std::string_view constant)>;

}  // namespace preon
