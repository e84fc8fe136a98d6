// Attributes of nodes as text for people.
#pragma once

#include <string>

#include "ir/graph.h"

namespace preon {

/// "3", "[1, 2]"; of tensors and sub-graphs what they are.
std::string AttributeText(const AttributeValue& value);

}  // namespace preon
