// What NPUs compute otherwise (spec options §11.7).
#include "config/keys/key_setters.h"
#include "config/keys/key_spec.h"

namespace preon {
namespace {

constexpr KeySpec kKeys[] = {
    {.name = "AdjustHardSigmoid", .type = KeyType::kFlag, .fallback = "true", .meaning = "keep HardSigmoid positions in range",
     .otherwise = "NPU-CNN only"},
    {.name = "AdjustShiftBias", .type = KeyType::kFlag, .fallback = "true", .meaning = "keep the bias shift in range", .otherwise = "NPU-CNN only"},
    {.name = "AdjustShiftCut", .type = KeyType::kFlag, .fallback = "true", .meaning = "keep the cut shift in range", .otherwise = "NPU-CNN only"},
    {.name = "AdjustShiftRead", .type = KeyType::kFlag, .fallback = "true", .meaning = "keep the read shift of Add/Sub in range",
     .otherwise = "NPU-CNN only"},
    {.name = "AdjustShiftSwish", .type = KeyType::kFlag, .fallback = "true", .meaning = "keep the swish shift in range", .otherwise = "NPU-CNN only"},
    {.name = "AdjustShiftWrite", .type = KeyType::kFlag, .fallback = "true", .meaning = "keep the write shift of Add/Mul in range",
     .otherwise = "NPU-CNN only"},
    {.name = "AlignConcat", .type = KeyType::kFlag, .fallback = "true", .meaning = "same scale on all Concat inputs and the output",
     .otherwise = "NPU-CNN: true; Extended: false; others: not read",
     .here = "of the layouts quark and ort: one scale for what it reads and writes", .set = SetFlag<&OpListOptions::align, &AlignOptions::concat>},
    {.name = "AlignPad", .type = KeyType::kFlag, .fallback = "true", .meaning = "same scale around Pad",
     .otherwise = "NPU-CNN: true; Extended: false; others: not read",
     .here = "of the layouts quark and ort: one scale for what it reads and writes", .set = SetFlag<&OpListOptions::align, &AlignOptions::pad>},
    {.name = "AlignPool", .type = KeyType::kFlag, .fallback = "true", .meaning = "same scale around pools",
     .otherwise = "NPU-CNN: true; Extended: false; others: not read",
     .here = "of the layouts quark and ort: one scale for what it reads and writes", .set = SetFlag<&OpListOptions::align, &AlignOptions::pool>},
    {.name = "AlignReshape", .type = KeyType::kFlag, .fallback = "false", .meaning = "same scale around Reshape", .otherwise = "Extended only",
     .here = "of the layouts quark and ort: one scale for what it reads and writes", .set = SetFlag<&OpListOptions::align, &AlignOptions::reshape>},
    {.name = "AlignSlice", .type = KeyType::kFlag, .fallback = "true", .meaning = "same scale around Slice",
     .otherwise = "NPU-CNN: true; Extended: false; others: not read",
     .here = "of the layouts quark and ort: one scale for what it reads and writes", .set = SetFlag<&OpListOptions::align, &AlignOptions::slice>},
    {.name = "AlignTranspose", .type = KeyType::kFlag, .fallback = "false", .meaning = "same scale around Transpose", .otherwise = "Extended only",
     .here = "of the layouts quark and ort: one scale for what it reads and writes", .set = SetFlag<&OpListOptions::align, &AlignOptions::transpose>},
    {.name = "ConvertAvgPoolToDPUVersion", .type = KeyType::kFlag, .fallback = "true", .meaning = "average pools get the DPU factor",
     .otherwise = "NPU-CNN: true; Extended: false; others: not read"},
    {.name = "ConvertClipToDPUVersion", .type = KeyType::kFlag, .fallback = "false", .meaning = "Clip bounds rounded and limited to 8 bits"},
    {.name = "ConvertHardSigmoidToDPUVersion", .type = KeyType::kFlag, .fallback = "true", .meaning = "HardSigmoid gets the DPU factor",
     .otherwise = "NPU-CNN: true; Extended: false; others: not read"},
    {.name = "ConvertInstanceNormToDPUVersion", .type = KeyType::kFlag, .fallback = "false",
     .meaning = "InstanceNormalization replaced by a custom op"},
    {.name = "ConvertLeakyReluToDPUVersion", .type = KeyType::kFlag, .fallback = "true", .meaning = "LeakyRelu slope rounded to n/256",
     .otherwise = "NPU-CNN: true; Extended: false; others: not read"},
    {.name = "ConvertReduceMeanToDPUVersion", .type = KeyType::kFlag, .fallback = "true", .meaning = "ReduceMean gets the DPU factor",
     .otherwise = "NPU-CNN: true; Extended: false; others: not read"},
    {.name = "ConvertSigmoidToHardSigmoid", .type = KeyType::kFlag, .fallback = "true", .meaning = "Sigmoid becomes HardSigmoid",
     .otherwise = "NPU-CNN: true; Extended: false; others: not read"},
    {.name = "ConvertSoftmaxToDPUVersion", .type = KeyType::kFlag, .fallback = "false", .meaning = "Softmax replaced by an approximation"},
    {.name = "MaxLoopNum", .type = KeyType::kInteger, .fallback = "5", .meaning = "most rounds of adjustment", .range = "1..1000",
     .here = "of the layouts quark and ort: rounds of the alignments at most", .set = SetInteger<&OpListOptions::align, &AlignOptions::rounds>},
    {.name = "NPULimitationCheck", .type = KeyType::kFlag, .fallback = "true", .meaning = "master switch of position adjustment and alignment",
     .otherwise = "NPU-CNN and Extended only", .here = "of the layouts quark and ort: false: none of the alignments",
     .set = SetFlag<&OpListOptions::align, &AlignOptions::enabled>},
    {.name = "SimulateDPU", .type = KeyType::kFlag, .fallback = "true", .meaning = "master switch of the DPU approximations",
     .otherwise = "NPU-CNN and Extended only"},
};

}  // namespace

std::span<const KeySpec> NpuKeys() { return kKeys; }

}  // namespace preon
