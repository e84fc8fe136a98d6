// Channels in fours: the form of an image that the runtime's direct integer convolution takes.
#pragma once

#include "ir/graph.h"

namespace preon {

/// Whether the convolution would take the direct kernel if its input had four channels instead of one to three: 2-D,
/// one group, a window of several pixels, output channels that the kernel takes. Elsewhere copying the input costs more
/// than it saves.
bool GainsFromFourChannels(const Graph& graph, const Node& conv);

}  // namespace preon
