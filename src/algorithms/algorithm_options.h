// What an algorithm can be told. Each declares its options in its own file; command line, configuration files, AMD
// Quark's keys and classes, help and pages follow from that.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/key_type.h"

namespace preon {

struct AlgorithmOption {
  std::string_view name;            ///< --algorithm ALGORITHM:name=value
  std::string_view parameter = "";  ///< of the algorithm's class in Quark's Python package; "" = ours alone
  std::string_view key = "";        ///< of Quark's extra_options, "TABLE.ENTRY" for entries of a table; "" = none
  KeyType type = KeyType::kFlag;
  std::string_view fallback;           ///< JSON of the default
  std::string_view meaning;            ///< one clause
  std::string_view range = "";         ///< "LOW..HIGH", either may be missing, or "A|B|C"
  std::string_view ignored = "";       ///< why it has no effect here, whatever its value; "" = it has one
  std::string_view key_fallback = "";  ///< JSON of the key's default in Quark; "" = `fallback`
};

/// Values of one algorithm's options: those that were set, and the defaults of the others. All have been checked
/// against their types and ranges. Asking for an option that was not declared is a bug.
class AlgorithmValues {
 public:
  using Texts = std::map<std::string, std::string, std::less<>>;  ///< by AlgorithmOption::name

  AlgorithmValues(std::span<const AlgorithmOption> options, Texts set) : options_(options), set_(std::move(set)) {}

  bool Flag(std::string_view option) const;
  int64_t Integer(std::string_view option) const;
  double Number(std::string_view option) const;
  /// Empty where nothing was set and the default is null.
  std::string Text(std::string_view option) const;
  std::vector<std::string> TextList(std::string_view option) const;
  const Texts& set() const { return set_; }

 private:
  std::string Of(std::string_view option) const;

  std::span<const AlgorithmOption> options_;
  Texts set_;
};

}  // namespace preon
