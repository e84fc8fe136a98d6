// Lines of a text report about where nodes run.
#pragma once

#include <string>
#include <string_view>

#include "report/results/results.h"
#include "report/text_writer.h"

namespace preon {

/// Of a target that puts quantizers around operators: has it put some around a float node?
bool HasQuantizers(std::string_view reason);
/// "no gain: one clause".
std::string ReasonText(std::string_view reason, std::string_view detail);
/// " (3.2 % of the work)"; nothing where it is next to none.
std::string WorkText(double macs_share);
/// Of a target that puts quantizers around operators which then compute in float: which have them, and what has none.
void AddQuantizedNodes(TextWriter& out, const Placement& placement);
/// How many nodes compute in integers (the line's title is `kind`), by which kernels, and what stays float and why.
void AddPlacement(TextWriter& out, const Placement& placement, const char* kind);

}  // namespace preon
