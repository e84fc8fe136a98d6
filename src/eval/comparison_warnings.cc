#include "eval/compare_models.h"

namespace preon {

std::vector<std::string> WarningsOf(const Comparison& comparison) {
  std::vector<std::string> warnings;
  for (const auto& [name, output] : comparison.outputs) {
    if (output.shape_differs > 0)
      warnings.push_back(StrCat("output '", name, "': its shape differs from the float model's in ",
                                output.shape_differs, output.shape_differs == 1 ? " run" : " runs",
                                output.left_out ? "; it is not compared" : "; only the other runs are compared"));
    if (output.float_not_finite > 0)
      warnings.push_back(
          StrCat("output '", name, "': ", output.float_not_finite,
                 output.float_not_finite == 1 ? " value of the float model is" : " values of the float model are",
                 " NaN or infinite; ", output.left_out ? "it is not compared" : "only the others are compared"));
    if (output.unknown_labels > 0)
      warnings.push_back(
          StrCat("output '", name, "': ", output.unknown_labels,
                 output.unknown_labels == 1 ? " label is" : " labels are", " not a class of it; ",
                 output.reference_accuracy ? "top-1 and top-5 are of the other samples" : "there is no accuracy"));
  }
  return warnings;
}

}  // namespace preon
