// ConfiguredMethods: range methods with the options and Quark keys that a run was given.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "base/status.h"
#include "formats/compat/compat.h"
#include "formats/tensor_type.h"
#include "ranges/range_method.h"

namespace preon {

/// A method with its options applied. Errors: those of RangeMethod::WithOptions.
using MakeMethod =
    std::function<Result<std::unique_ptr<RangeMethod>>(const RangeMethod& method, const MethodOptions& settings)>;

/// With --compat the method as the other tool computes it. `fits`: what making one says where it has not the types or
/// scales that were asked for.
MakeMethod MakerOf(Compat compat, const TensorType& activation, Status fits);

/// Copies refer to the same keys and hints, which outlive them.
class ConfiguredMethods {
 public:
  /// @param keys   of methods, as Quark has them; each goes to the methods that have it
  /// @param hints  SettingOrigins::hints
  ConfiguredMethods(MakeMethod make, const MethodOptions& keys, const std::set<std::string>& hints)
      : make_(std::move(make)), keys_(keys), hints_(hints) {}

  /// With `settings`, and of the keys those that the method has. Errors: as MakeMethod.
  Result<std::unique_ptr<RangeMethod>> Make(const RangeMethod& method, MethodOptions settings) const;
  /// What the method says of one key. Errors: kUnknownOption for one that it has not.
  Status Judge(const RangeMethod& method, const std::string& key, const std::string& value) const;
  /// A key that the method has not is without effect, as in Quark; one that it has no use for only where it came with
  /// a QConfig.
  bool IsIgnored(const std::string& key, const Status& judged) const;

 private:
  MakeMethod make_;
  const MethodOptions& keys_;
  const std::set<std::string>& hints_;
};

}  // namespace preon
