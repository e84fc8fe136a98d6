// NumberFormat: an entry of the registry of formats, one file each in types/.
#pragma once

#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include "base/registry.h"
#include "formats/block_spec.h"
#include "formats/linear_codec.h"

namespace preon {

/// What a user can name as the type of activations or weights. Linear formats have scales and zero points beside the
/// codes (linear_codec.h), block formats exponents among them (block_codec.h).
class NumberFormat {
 public:
  using Spec = std::variant<LinearSpec, BlockSpec>;

  NumberFormat(std::string_view name, std::vector<std::string_view> aliases, std::string_view summary, Spec spec);

  std::string_view name() const { return name_; }
  std::vector<std::string_view> aliases() const { return aliases_; }
  std::string_view summary() const { return summary_; }

  /// With Numerics::kStrict and ties to even.
  const Spec& spec() const { return spec_; }
  const LinearSpec* linear() const { return std::get_if<LinearSpec>(&spec_); }
  const BlockSpec* block() const { return std::get_if<BlockSpec>(&spec_); }

  /// The type of its codes in an ONNX model; kUndefined for block formats, whose tensors stay float.
  DataType onnx_type() const { return linear() ? linear()->type : DataType::kUndefined; }
  /// Bits of storage, what a full block shares included; scales of linear formats not.
  double bits_per_element() const;

 private:
  std::string_view name_, summary_;
  std::vector<std::string_view> aliases_;
  Spec spec_;
};

using NumberFormatRegistry = Registry<NumberFormat>;

}  // namespace preon
