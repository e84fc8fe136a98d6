#include "api/judge/judge_result.h"

#include "report/text_writer.h"

namespace preon {

Status CheckSize(int64_t bytes, int64_t most_bytes, const std::string& output) {
  if (bytes <= most_bytes) return Status::Ok();
  return Error(ErrorId::kSizeNotReached, output, ": not written: ", BytesText(bytes), ", but --size allows ",
               BytesText(most_bytes))
      .WithHint(
          "int8 and uint8 weights of layers get 4 bits without --target, and with --target simulate, ort or quark");
}

Status JudgeResult(const std::vector<Requirement>& requirements, QuantizeResult& result) {
  const bool is_real = result.figures.origin != FigureOrigin::kMadeUp &&
                       result.figures.origin != FigureOrigin::kNothing && !result.random_data;
  const Comparison nothing;
  const ResultQuality quality{.compare = is_real ? result.compare : nothing,
                              .latency = result.latency,
                              .float_size_bytes = result.float_size_bytes,
                              .quantized_size_bytes = result.quantized_size_bytes};
  PREON_ASSIGN_OR_RETURN(result.requirements, JudgeRequirements(requirements, quality));
  if (const std::string why = WhyNotMet(result.requirements); !why.empty())
    return Error(ErrorId::kRequirementNotMet, result.output, ": not written: ", why);
  for (std::string& warning : WarningsOfUnsure(result.requirements)) result.warnings.push_back(std::move(warning));
  result.alarms = FindAlarms({.compare = is_real ? result.compare : nothing,
                              .speedup = is_real && !result.computes_in_float ? result.latency.speedup : Speedup{},
                              .float_size_bytes = result.float_size_bytes,
                              .quantized_size_bytes = result.quantized_size_bytes,
                              .stored = result.stored});
  return Status::Ok();
}

}  // namespace preon
