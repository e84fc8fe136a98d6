#include "formats/block_spec.h"

#include <algorithm>
#include <array>

#include "base/spelling.h"

namespace preon {
namespace {

using Family = BlockSpec::Family;

struct ElementName {
  std::string_view name;
  std::optional<MiniFloat> element;
};
const std::array<ElementName, 6> kElements = {{{"fp8_e5m2", kE5M2},
                                               {"fp8_e4m3", kE4M3},
                                               {"fp6_e3m2", kE3M2},
                                               {"fp6_e2m3", kE2M3},
                                               {"fp4_e2m1", kE2M1},
                                               {"int8", std::nullopt}}};
constexpr std::string_view kBfpMethods[] = {"to_bfp", "to_bfp_prime", "to_bfp_prime_shared"};

Status BadAttribute(std::string_view name, const auto& got, std::string_view wanted) {
  return Error(ErrorId::kFormatAttribute, name, ": got ", got, ", wanted ", wanted);
}

Status UnknownName(std::string_view attribute, std::string_view got, const std::vector<std::string>& known) {
  return Error(ErrorId::kFormatAttribute, attribute, ": got '", got, "'", DidYouMean(got, known),
               " (known: ", JoinNames(known), ")");
}

}  // namespace

double BlockSpec::bits_per_element() const {
  double bits = element_bits() + 8.0 / static_cast<double>(block_size);
  if (family == Family::kMicro) bits += static_cast<double>(sub_block_shift_bits) / static_cast<double>(sub_block_size);
  return bits;
}

Status CheckSpec(const BlockSpec& spec) {
  if (spec.block_size < 1) return BadAttribute("block_size", spec.block_size, "at least 1");
  if (spec.family == Family::kMx) return Status::Ok();
  if (spec.bit_width < 10 || spec.bit_width > 32) return BadAttribute("bit_width", spec.bit_width, "10 to 32");
  if (spec.family == Family::kBfp) {
    if (!spec.raise_exponent || spec.bit_width == 16) return Status::Ok();
    return BadAttribute("use_compiler_version_cpu_kernel", 1, StrCat("0 with bit_width ", spec.bit_width));
  }
  if (spec.sub_block_size < 1) return BadAttribute("sub_block_size", spec.sub_block_size, "at least 1");
  if (spec.block_size % spec.sub_block_size != 0) {
    return BadAttribute("sub_block_size", spec.sub_block_size,
                        StrCat("a divisor of block_size, which is ", spec.block_size));
  }
  if (spec.sub_block_shift_bits < 0 || spec.sub_block_shift_bits > 7) {
    return BadAttribute("sub_block_shift_bits", spec.sub_block_shift_bits, "0 to 7");
  }
  return Status::Ok();
}

BlockGrid GridOf(const BlockSpec& spec) {
  const bool compat = spec.numerics == Numerics::kCompat;
  const int m = spec.magnitude_bits();
  // Where Quark rounds ties to even, it loses the sign of what was no zero.
  const bool loses_sign = compat && spec.rounding == Rounding::kHalfEven;
  BlockGrid grid{.block_size = spec.block_size,
                 .rounding = spec.rounding,
                 .zero_sign = ZeroSign::kOfValue,
                 .nan_block = !compat || spec.family == Family::kMicro,
                 .magnitude_bits = m,
                 .q_min = -((1 << m) - 1),
                 .q_max = (1 << m) - 1};
  switch (spec.family) {
    case Family::kBfp:
      if (loses_sign) grid.zero_sign = ZeroSign::kOfStepQuotient;
      grid.raise_exponent = spec.raise_exponent;
      if (spec.raise_exponent) grid.q_min = -(1 << m);
      break;
    case Family::kMicro:
      grid.sub_block_size = spec.sub_block_size;
      grid.max_shift = (1 << spec.sub_block_shift_bits) - 1;
      grid.flush_denormals = true;
      break;
    case Family::kMx:
      grid.element = spec.element;
      if (spec.element) {
        grid.zero_sign = compat ? ZeroSign::kPositive : ZeroSign::kOfValue;
        if (compat) grid.min_scale_exponent = -127 - spec.element->max_exponent();
      } else if (compat) {
        grid.q_min = -128;
        if (loses_sign) grid.zero_sign = ZeroSign::kOfScaleQuotient;
      } else {
        grid.zero_sign = ZeroSign::kPositive;  // two's complement has one zero
      }
      break;
  }
  return grid;
}

Result<Rounding> RoundingOfMode(int64_t rounding_mode) {
  if (rounding_mode < 0 || rounding_mode > 2) {
    return BadAttribute("rounding_mode", rounding_mode,
                        "0 (ties away from zero), 1 (ties towards +infinity) or 2 (ties to even)");
  }
  return static_cast<Rounding>(rounding_mode);
}

Result<BlockSpec> SpecOf(const BfpAttributes& attributes, Numerics numerics) {
  const auto method = std::ranges::find(kBfpMethods, attributes.bfp_method);
  if (method == std::end(kBfpMethods)) {
    return UnknownName("bfp_method", attributes.bfp_method, {std::begin(kBfpMethods), std::end(kBfpMethods)});
  }
  BlockSpec spec{.family = method == std::begin(kBfpMethods) ? Family::kBfp : Family::kMicro,
                 .block_size = attributes.block_size,
                 .bit_width = attributes.bit_width,
                 .sub_block_size = attributes.sub_block_size,
                 .sub_block_shift_bits = attributes.sub_block_shift_bits,
                 .numerics = numerics,
                 .bfloat_first = attributes.convert_to_bfloat_before_bfp != 0};
  spec.raise_exponent = spec.family == Family::kBfp && attributes.use_compiler_version_cpu_kernel != 0;
  PREON_ASSIGN_OR_RETURN(spec.rounding, RoundingOfMode(attributes.rounding_mode));
  PREON_RETURN_IF_ERROR(CheckSpec(spec));
  return spec;
}

Result<BlockSpec> SpecOf(const MxAttributes& attributes, Numerics numerics) {
  const auto row = std::ranges::find(kElements, attributes.element_dtype, &ElementName::name);
  if (row == kElements.end()) {
    std::vector<std::string> names;
    for (const ElementName& element : kElements) names.emplace_back(element.name);
    return UnknownName("element_dtype", attributes.element_dtype, names);
  }
  BlockSpec spec{
      .family = Family::kMx, .block_size = attributes.block_size, .element = row->element, .numerics = numerics};
  PREON_ASSIGN_OR_RETURN(spec.rounding, RoundingOfMode(attributes.rounding_mode));
  PREON_RETURN_IF_ERROR(CheckSpec(spec));
  return spec;
}

BfpAttributes BfpAttributesOf(const BlockSpec& spec) {
  PREON_CHECK(spec.family != Family::kMx);
  return {.bfp_method = std::string(kBfpMethods[spec.family == Family::kBfp ? 0 : 1]),
          .bit_width = spec.bit_width,
          .block_size = spec.block_size,
          .rounding_mode = static_cast<int64_t>(spec.rounding),
          .sub_block_size = spec.sub_block_size,
          .sub_block_shift_bits = spec.sub_block_shift_bits,
          .convert_to_bfloat_before_bfp = spec.bfloat_first,
          .use_compiler_version_cpu_kernel = spec.raise_exponent};
}

MxAttributes MxAttributesOf(const BlockSpec& spec) {
  PREON_CHECK(spec.family == Family::kMx);
  const auto row = std::ranges::find(kElements, spec.element, &ElementName::element);
  PREON_CHECK(row != kElements.end());
  return {.element_dtype = std::string(row->name),
          .block_size = spec.block_size,
          .rounding_mode = static_cast<int64_t>(spec.rounding)};
}

}  // namespace preon
