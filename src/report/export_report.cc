#include "base/text.h"
#include "report/json.h"
#include "report/json_object.h"
#include "report/text_report.h"
#include "report/text_writer.h"

namespace preon {

std::string ToJson(const ExportResult& result) {
  JsonObject json = BeginJson(result.facts);
  json["model"] = result.model;
  json["output"] = result.output;
  json["files"] = result.files;
  json["activations"] = result.activations;
  json["weights"] = result.weights;
  json["float_weights"] = result.float_weights;
  json["warnings"] = result.warnings;
  return JsonLine(json);
}

std::string ToText(const ExportResult& result) {
  TextWriter out;
  const std::string folder = Printable(result.output);
  out.Add("%s: %s\n", folder.c_str(), JoinNames(result.files).c_str());
  out.Add("  rounded     %s and %s\n", CountText(result.activations, "activation").c_str(),
          CountText(result.weights, "weight").c_str());
  if (result.float_model.empty())
    out.Add("  values      of weights: the decoded codes; with --float-model FILE those of the float model\n");
  else
    out.Add("  values      of %s: from %s, of the others the decoded codes\n",
            CountText(result.float_weights, "weight").c_str(), Printable(result.float_model).c_str());
  out.Add("  next        train with %s/fake_quant.py, which says how, and come back with\n", folder.c_str());
  out.Add("              preon quantize TRAINED/model.onnx --encodings TRAINED/encodings.json -o OUT.onnx\n");
  AddFacts(out, result.facts);
  AddWarnings(out, result.warnings);
  return out.Take();
}

}  // namespace preon
