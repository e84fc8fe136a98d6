#include "pipeline/plan_inputs.h"

namespace preon {

QdqPassOptions QdqPassesOf(const PassSelection& chosen) {
  QdqPassOptions passes{.disabled = chosen.disabled, .enabled = chosen.enabled};
  passes.disabled.insert("to_nhwc");
  return passes;
}

}  // namespace preon
