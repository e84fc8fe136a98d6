#include "ir/opset_adapters.h"

#include <algorithm>
#include <iterator>

namespace preon {
namespace {

struct Entry {
  std::string_view op_type;
  int64_t opset;
  OpsetAdapter adapter;
};

constexpr Entry kAdapters[] = {
    {"BatchNormalization", 9, DropSpatial},
    {"Upsample", 9, MoveUpsampleScales},
    {"Dropout", 10, CheckDropoutMask},
    {"Slice", 10, MoveSliceRanges},
    {"TopK", 10, MoveTopK},
    {"Upsample", 10, UpsampleToResize},
    {"Clip", 11, MoveClipBounds},
    {"Pad", 11, MovePadAttributes},
    {"Resize", 11, PinResizeCoordinates},
    {"Scatter", 11, ScatterToElements},
    {"Dropout", 12, MoveDropoutRatio},
    {"Hardmax", 13, KeepFlattenedSoftmax},
    {"LogSoftmax", 13, KeepFlattenedSoftmax},
    {"ReduceSum", 13, MoveAxes},
    {"Softmax", 13, KeepFlattenedSoftmax},
    {"Split", 13, MoveSplitSizes},
    {"Squeeze", 13, MoveAxes},
    {"Unsqueeze", 13, MoveAxes},
    {"BatchNormalization", 14, CheckInferenceBatchNorm},
    {"RoiAlign", 16, PinRoiAlignCoordinates},
    {"ReduceL1", 18, MoveAxes},
    {"ReduceL2", 18, MoveAxes},
    {"ReduceLogSum", 18, MoveAxes},
    {"ReduceLogSumExp", 18, MoveAxes},
    {"ReduceMax", 18, MoveAxes},
    {"ReduceMean", 18, MoveAxes},
    {"ReduceMin", 18, MoveAxes},
    {"ReduceProd", 18, MoveAxes},
    {"ReduceSumSquare", 18, MoveAxes},
    {"Split", 18, CountSplitOutputs},
    {"DFT", 20, MoveDftAxis},
    {"GridSample", 20, RenameGridSampleMode},
    {"GroupNormalization", 21, RefuseGroupNorm},
};

}  // namespace

OpsetAdapter FindOpsetAdapter(std::string_view op_type, int64_t opset) {
  const Entry* entry = std::find_if(std::begin(kAdapters), std::end(kAdapters),
                                    [&](const Entry& e) { return e.op_type == op_type && e.opset == opset; });
  return entry == std::end(kAdapters) ? nullptr : entry->adapter;
}

}  // namespace preon
