// Channels in fours: the form of an image that the runtime's direct integer convolution takes.
#pragma once

#include "ir/graph.h"
#include "quantize/write/qdq_writer.h"

namespace preon {

/// Whether the convolution would take the direct kernel if its input had four channels instead of one to three: 2-D,
/// one group, a window of several pixels, output channels that the kernel takes. Elsewhere copying the input costs more
/// than it saves.
bool GainsFromFourChannels(const Graph& graph, const Node& conv);

/// Repeats channels of the quantized input, in codes, until there are four, with zero weights for the new ones: the
/// result is the same, bit for bit. `conv` reads a DQ with one scale, and codes of a constant through a DQ, which
/// nobody else reads (else nothing happens).
void FillInputChannels(Graph& graph, QdqWriter& writer, Node* conv);

}  // namespace preon
