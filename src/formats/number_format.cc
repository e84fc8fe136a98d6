#include "formats/number_format.h"

namespace preon {

NumberFormat::NumberFormat(std::string_view name, std::vector<std::string_view> aliases, std::string_view summary,
                           Spec spec)
    : name_(name), summary_(summary), aliases_(std::move(aliases)), spec_(std::move(spec)) {
  if (block()) PREON_CHECK(CheckSpec(*block()).ok());
}

double NumberFormat::bits_per_element() const {
  return linear() ? DataTypeBits(linear()->type) : block()->bits_per_element();
}

}  // namespace preon
