#include "config/resolve/configured_methods.h"

#include <array>
#include <utility>

#include "ranges/compat/compat_method.h"

namespace preon {
namespace {

// Keys that others say something about: each is judged beside these.
constexpr std::array kSwitches = {"CalibMovingAverage", "MinMSEModePof2Scale"};

}  // namespace

MakeMethod MakerOf(Compat compat, const TensorType& activation, Status fits) {
  if (compat == Compat::kOff)
    return [type = activation.type()](const RangeMethod& method,
                                      const MethodOptions& settings) -> Result<std::unique_ptr<RangeMethod>> {
      PREON_ASSIGN_OR_RETURN(std::unique_ptr<RangeMethod> made, method.WithOptions(settings));
      PREON_RETURN_IF_ERROR(made->CheckType(type));
      return made;
    };
  return [compat, type = activation.type(), fits = std::move(fits)](
             const RangeMethod& method, const MethodOptions& settings) -> Result<std::unique_ptr<RangeMethod>> {
    if (!fits.ok()) return fits;
    return compat::MakeCompatMethod(compat, method.name(), settings, type);
  };
}

Status ConfiguredMethods::Judge(const RangeMethod& method, const std::string& key, const std::string& value) const {
  MethodOptions settings = {{key, value}};
  for (const char* name : kSwitches) {
    const auto other = keys_.find(name);
    if (other != keys_.end() && make_(method, {*other}).ok()) settings.insert(*other);
  }
  return make_(method, settings).status();
}

bool ConfiguredMethods::IsIgnored(const std::string& key, const Status& judged) const {
  if (judged.ok()) return false;
  return judged.id() == ErrorId::kUnknownOption ||
         (judged.id() == ErrorId::kConflictingOptions && hints_.contains(key));
}

Result<std::unique_ptr<RangeMethod>> ConfiguredMethods::Make(const RangeMethod& method, MethodOptions settings) const {
  for (const auto& [key, value] : keys_) {
    if (!settings.contains(key) && !IsIgnored(key, Judge(method, key, value))) settings[key] = value;
  }
  return make_(method, settings);
}

}  // namespace preon
