#include "api/verbs.h"
#include "cli/render.h"

namespace preon::cli {

Command ValidateCommand() {
  return {.verb = kVerbValidate,
          .name = "validate",
          .summary = "judge quantized models: several methods, metric, size, latency, verdict and next step",
          .positionals = {"MODEL..."},
          .examples = R"(  preon validate model.onnx --data calib.npz --eval-data test.npz
  preon validate model.onnx model.int8.onnx --data calib.npz --eval-data test.npz --metric f1
  preon validate model.onnx --data photos/ --preprocess imagenet --require "drop<=1%,speed>=1.5" --json
  preon validate model.onnx --data calib.npz --metric score.py
)",
          .run = [](const std::vector<std::string>& args, RunInputs& run) -> Result<Answer> {
            const Result<ValidateResult> result = ValidateVerb(args, run);
            PREON_ASSIGN_OR_RETURN(Answer answer, Render(result, run.options.given.origins));
            if (!result->meets_requirements) answer.exit_status = GetErrorInfo(ErrorId::kRequirementNotMet).exit_status;
            return answer;
          }};
}

}  // namespace preon::cli
