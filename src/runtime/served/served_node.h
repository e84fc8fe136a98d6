// The node preon.instrument.Instrumented, and what opens the model behind it. (docs/design/instrument.md)
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/tensor.h"

namespace preon {

struct HostOptions;
/// What the host has set with AddSessionConfigEntry before it registered the library; "" where it has not.
std::string HostSetting(const HostOptions& host, const char* key);

inline constexpr char kInstrumentDomain[] = "preon.instrument";
inline constexpr char kInstrumentedOp[] = "Instrumented";
/// Its attribute; its first inputs are PackedModel::model and PackedModel::block_model as uint8 constants, the others
/// the model's inputs; its outputs are the model's.
inline constexpr char kDescriptionAttribute[] = "description";

/// The model behind a node.
class ServedModel {
 public:
  virtual ~ServedModel() = default;
  /// Feeds in the order of the node's inputs, whose memory they borrow; results in that of its outputs. Any number at
  /// once.
  virtual Result<std::vector<NamedTensor>> Run(std::vector<Tensor> feeds) = 0;
};

/// What a node has for the one who opens its model; lives as long as the call.
struct ServedSource {
  std::string_view description, model, block_model;
  std::shared_ptr<const HostOptions> host;
};
using OpenServedModel = Result<std::unique_ptr<ServedModel>> (*)(const ServedSource& source);

}  // namespace preon
