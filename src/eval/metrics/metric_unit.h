// MetricUnit: what a metric's values are measured in, and how people write them.
#pragma once

#include <span>
#include <string_view>

namespace preon {

enum class MetricUnit {
  kShare,  ///< 0 to 1
  kDecibel,
  kNats,
  kNumber,  ///< a plain one
};

struct MetricUnitText {
  MetricUnit unit;
  std::string_view name;     ///< in files and scripts
  std::string_view suffix;   ///< of a drop in --require; "" for none
  double factor;             ///< what values and losses are multiplied by before they are written
  const char* value_format;  ///< with the unit
  const char* loss_format;   ///< without it
  const char* loss_word;
  const char* drop_hint;  ///< what --require wants for it
};

std::span<const MetricUnitText> MetricUnitTexts();
const MetricUnitText& TextOf(MetricUnit unit);

}  // namespace preon
