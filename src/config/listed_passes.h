// Lists of passes as AMD Quark writes them for its Shapeshifter, and what each pass is here (docs/design/passes.md).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace preon {

enum class ParameterKind : uint8_t {
  kFlag,
  kInteger,
  kNumber,
  kText,
  kTexts,  ///< a list of texts
  kTextOrTexts,
  kFlagOrTexts,
  kList,  ///< of anything
  kMapping,
};

struct ListedParameter {
  std::string_view name;
  ParameterKind kind;
  bool needed = false;
};

struct ListedPass {
  std::string_view name;  ///< behind "onnx_"
  std::string_view
      passes;  ///< registry names of the passes that it is here, with a blank in between; "" = see run_pass_list
  std::string_view key;  ///< of Quark, that does the same in a run of quantize; "" = `passes` are switched on
  std::span<const ListedParameter> parameters;  ///< the first is its switch, or what it can't do without
};

struct ListedStep {
  const ListedPass* pass;
  nlohmann::json parameters;  ///< an object; those that were given, checked against their kinds

  /// Nothing says that the pass is off.
  bool is_on() const;
  /// Null where it was not given.
  const nlohmann::json& operator[](std::string_view parameter) const;
};

/// The steps in the order of the list: of one of Quark's (a8w8, a16w8, bf16, bfp16, xint8), of a .yaml or .json file,
/// or of JSON text; parameters are of their kinds, but not checked further (ReadPassList). Errors: kBadOptionValue for
/// another name, kBadConfig, kFileNotFound, kIoRead, kUnknownOption for passes and parameters that Quark does not have,
/// kNotYetSupported for preprocessed_model_path.
Result<std::vector<ListedStep>> ListedSteps(const std::string& list);

}  // namespace preon
