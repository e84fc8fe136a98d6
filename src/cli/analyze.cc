#include "api/verbs.h"
#include "cli/render.h"

namespace preon::cli {

Command AnalyzeCommand() {
  return {.verb = kVerbAnalyze,
          .name = "analyze",
          .summary = "outliers, advice on methods, influence of single samples, coverage of production data",
          .positionals = {"FILE"},
          .examples = R"(  preon analyze model.calib --html model.html
  preon analyze model.calib --production served.calib --method minmax --json
  preon analyze model.calib --group-by folder --tolerance 0.05 --cover subset.txt
)",
          .run = [](const std::vector<std::string>& args, RunInputs& run) {
            return Render(AnalyzeVerb(args[0], run), run.options.given.origins);
          }};
}

}  // namespace preon::cli
