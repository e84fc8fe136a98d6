#include "runtime/channel_block.h"

#include <algorithm>
#include <vector>

namespace preon {

namespace {

// Two pixels: channel 0 of pixel 1 follows the first block of channels of pixel 0.
constexpr int64_t kChannels = 64, kPixels = 2;

Shape ProbeShape() { return {1, kChannels, 1, kPixels}; }

}  // namespace

Model ChannelBlockModel() {
  Model model;
  model.ir_version = 8;
  model.opsets = {{"", 13}, {"com.microsoft.nchwc", 1}};
  model.graph.name = "channel_block";
  model.graph.AddInput("x", {.type = DataType::kFloat, .shape = ProbeShape()});
  model.graph.AddNode("ReorderInput", {"x"}, {"y"}, "", "com.microsoft.nchwc");
  model.graph.AddOutput("y", {.type = DataType::kFloat, .shape = ProbeShape()});
  return model;
}

Result<int64_t> ChannelBlockOf(Session& session, const RunContext& context) {
  std::vector<float> values(kChannels * kPixels);
  const float marked = 1;
  values[1] = marked;  // channel 0, pixel 1
  PREON_ASSIGN_OR_RETURN(const std::vector<NamedTensor> outputs,
                         session.Run({{"x", Tensor::FromFloats(ProbeShape(), values)}}, context));
  const std::span<const float> reordered = outputs[0].tensor.floats();
  const int64_t block = std::find(reordered.begin(), reordered.end(), marked) - reordered.begin();
  if (block < 2 || kChannels % block != 0)
    return Error(ErrorId::kInternal, "the runtime's channel block seems to be ", block);
  return block;
}

}  // namespace preon
