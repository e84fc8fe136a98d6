#include "formats/block_attributes.h"

#include <array>
#include <variant>
#include <vector>

#include "base/spelling.h"
#include "base/text.h"

namespace preon {
namespace {

template <typename Attributes>
struct Row {
  std::string_view name;
  std::variant<int64_t Attributes::*, std::string Attributes::*> member;
};

constexpr std::array kBfpRows = {
    Row<BfpAttributes>{"bfp_method", &BfpAttributes::bfp_method},
    Row<BfpAttributes>{"bit_width", &BfpAttributes::bit_width},
    Row<BfpAttributes>{"block_size", &BfpAttributes::block_size},
    Row<BfpAttributes>{"rounding_mode", &BfpAttributes::rounding_mode},
    Row<BfpAttributes>{"sub_block_size", &BfpAttributes::sub_block_size},
    Row<BfpAttributes>{"sub_block_shift_bits", &BfpAttributes::sub_block_shift_bits},
    Row<BfpAttributes>{"convert_to_bfloat_before_bfp", &BfpAttributes::convert_to_bfloat_before_bfp},
    Row<BfpAttributes>{"use_compiler_version_cpu_kernel", &BfpAttributes::use_compiler_version_cpu_kernel}};
constexpr std::array kMxRows = {Row<MxAttributes>{"element_dtype", &MxAttributes::element_dtype},
                                Row<MxAttributes>{"block_size", &MxAttributes::block_size},
                                Row<MxAttributes>{"rounding_mode", &MxAttributes::rounding_mode}};

template <typename Attributes, size_t kCount>
Status Set(const std::array<Row<Attributes>, kCount>& rows, const std::string& name, const std::string& value,
           Attributes& attributes) {
  std::vector<std::string> names;
  for (const Row<Attributes>& row : rows) {
    names.emplace_back(row.name);
    if (row.name != name) continue;
    if (const auto* text = std::get_if<std::string Attributes::*>(&row.member)) {
      attributes.** text = value;
      return Status::Ok();
    }
    const std::optional<int64_t> number = ParseNumber<int64_t>(value);
    if (!number) return Error(ErrorId::kBadOptionValue, name, ": got '", value, "', wanted an integer");
    attributes.*std::get<int64_t Attributes::*>(row.member) = *number;
    return Status::Ok();
  }
  return Error(ErrorId::kUnknownOption, "unknown attribute '", name, "'", DidYouMean(name, names),
               " (known: ", JoinNames(names), ")");
}

template <typename Attributes, typename Rows>
Result<BlockSpec> SpecWith(Attributes own, const Rows& rows, const BlockAttributes& attributes, Numerics numerics) {
  for (const auto& [name, value] : attributes) PREON_RETURN_IF_ERROR(Set(rows, name, value, own));
  PREON_ASSIGN_OR_RETURN(const BlockSpec spec, SpecOf(own, numerics));
  PREON_RETURN_IF_ERROR(CheckSpec(spec));
  return spec;
}

}  // namespace

Result<BlockSpec> WithAttributes(const BlockSpec& spec, const BlockAttributes& attributes) {
  if (spec.family == BlockSpec::Family::kMx) return SpecWith(MxAttributesOf(spec), kMxRows, attributes, spec.numerics);
  return SpecWith(BfpAttributesOf(spec), kBfpRows, attributes, spec.numerics);
}

}  // namespace preon
