#include "pipeline/plan_inputs.h"

namespace preon {

QdqPassOptions QdqPassesOf(const Choices& choices) {
  QdqPassOptions passes{.disabled = choices.disabled_passes, .enabled = choices.enabled_passes};
  passes.disabled.insert("to_nhwc");
  return passes;
}

}  // namespace preon
