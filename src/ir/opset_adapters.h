// What a node must become when an opset changes its operator's meaning or signature.
#pragma once

#include <string_view>

#include "base/status.h"
#include "ir/graph.h"

namespace preon {

/// Rewrites `node`, written for the opset before, in the terms of the opset that it is registered for.
/// Errors: kOpsetConversion with what stands in the way.
using OpsetAdapter = Status (*)(Graph* graph, Node* node);

/// Null where no adapter is needed or known for the step to `opset`.
OpsetAdapter FindOpsetAdapter(std::string_view op_type, int64_t opset);

// Attributes that became inputs (opset_inputs.cc); the opset is the first that wants the input.
Status MoveClipBounds(Graph* graph, Node* node);      // Clip 11
Status MovePadAttributes(Graph* graph, Node* node);   // Pad 11
Status MoveSliceRanges(Graph* graph, Node* node);     // Slice 10
Status MoveTopK(Graph* graph, Node* node);            // TopK 10
Status MoveAxes(Graph* graph, Node* node);            // Squeeze, Unsqueeze, ReduceSum 13; other reductions 18
Status MoveSplitSizes(Graph* graph, Node* node);      // Split 13
Status MoveDropoutRatio(Graph* graph, Node* node);    // Dropout 12
Status MoveUpsampleScales(Graph* graph, Node* node);  // Upsample 9
Status MoveDftAxis(Graph* graph, Node* node);         // DFT 20

// Changed meaning (opset_semantics.cc).
Status KeepFlattenedSoftmax(Graph* graph, Node* node);     // Softmax, LogSoftmax, Hardmax 13
Status UpsampleToResize(Graph* graph, Node* node);         // Upsample 10
Status PinResizeCoordinates(Graph* graph, Node* node);     // Resize 11
Status ScatterToElements(Graph* graph, Node* node);        // Scatter 11
Status DropSpatial(Graph* graph, Node* node);              // BatchNormalization 9
Status CheckInferenceBatchNorm(Graph* graph, Node* node);  // BatchNormalization 14
Status CheckDropoutMask(Graph* graph, Node* node);         // Dropout 10
Status CountSplitOutputs(Graph* graph, Node* node);        // Split 18
Status PinRoiAlignCoordinates(Graph* graph, Node* node);   // RoiAlign 16
Status RenameGridSampleMode(Graph* graph, Node* node);     // GridSample 20
Status RefuseGroupNorm(Graph* graph, Node* node);          // GroupNormalization 21

}  // namespace preon
