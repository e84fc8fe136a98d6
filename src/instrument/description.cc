// The JSON of an Instrumented node.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "calib/calib_file.h"
#include "instrument/instrumented_model.h"

namespace preon {
namespace {

using Json = nlohmann::ordered_json;

// Counted up when what is written changes its meaning.
constexpr int kFormat = 5;

template <typename... Words>
Status Damaged(const Words&... words) {
  return Error(ErrorId::kModelInvalid, "instrumented model: its description is damaged: ", words...)
      .WithHint("make the model again with preon instrument");
}

// Names go into files and messages of the server, where no model may begin a line.
Status CheckText(const std::string& text) {
  return Printable(text) == text ? Status::Ok() : Damaged('\'', Printable(text), "' has control characters");
}
Status CheckTexts(const Json& value) {
  if (value.is_string()) return CheckText(value.get_ref<const std::string&>());
  if (!value.is_structured()) return Status::Ok();
  for (const auto& [key, part] : value.items()) {
    PREON_RETURN_IF_ERROR(CheckText(key));
    PREON_RETURN_IF_ERROR(CheckTexts(part));
  }
  return Status::Ok();
}

Status CheckUnique(std::string_view key, std::vector<std::string> names) {
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  return twice == names.end() ? Status::Ok() : Damaged(key, ": '", *twice, "' is listed twice");
}

// What the reader of .calib files takes is what may be collected: there is no second list of rules.
Status CheckCollectable(const Instrumentation& plan) {
  CalibrationData data = plan.header;
  for (const std::string& tensor : plan.request.tensors) {
    const int64_t channels = plan.request.channel_extremes.contains(tensor) ? 1 : 0;
    data.tensors.emplace(tensor, TensorSketch({.mode = plan.mode, .channels = channels}));
  }
  const Status readable = ParseCalibration(SerializeCalibration(data)).status();
  return readable.ok() ? readable : Damaged(readable.message());
}

Status CheckPlan(const Instrumentation& plan) {
  for (const auto& [key, count] : {std::pair("every", plan.every), {"one_in", plan.one_in}}) {
    if (count < 1) return Damaged(key, ": got ", count, ", wanted at least 1");
  }
  if (plan.inputs.empty() || plan.outputs.empty()) return Damaged("it names no inputs, or no outputs");
  PREON_RETURN_IF_ERROR(CheckUnique("inputs", plan.inputs));
  PREON_RETURN_IF_ERROR(CheckUnique("outputs", plan.outputs));
  PREON_RETURN_IF_ERROR(CheckCollectable(plan));
  return plan.Observed().empty() ? Damaged("it observes no tensor") : Status::Ok();
}

}  // namespace

std::string WriteDescription(const Instrumentation& plan, const PackedModel& packed) {
  Json origins = Json::array();
  for (const TensorOrigin& origin : plan.header.origins) origins.push_back({origin.tensor, origin.op});
  Json derived = Json::array();
  for (const auto& [tensor, from] : plan.header.derived) {
    derived.push_back({tensor, from.source, static_cast<int>(from.function.gate), from.function.alpha,
                       from.function.beta, from.function.times_input});
  }
  Json planned = Json::array();
  for (const auto& [tensor, range] : plan.header.planned) {
    const auto& [format, scale_type] = range.query;
    planned.push_back({tensor, range.observed, static_cast<int>(format.type), format.symmetric, format.reduce_range,
                       static_cast<int>(scale_type), range.method, range.context.is_output,
                       static_cast<int>(range.context.read_activation)});
  }
  const Json json = {{"format", kFormat},
                     {"every", plan.every},
                     {"one_in", plan.one_in},
                     {"fingerprint", plan.header.model_fingerprint},
                     {"setup", plan.header.setup},
                     {"exact", plan.mode == SketchMode::kExact},
                     {"inputs", plan.inputs},
                     {"outputs", plan.outputs},
                     {"tensors", plan.request.tensors},
                     {"per_channel", plan.request.channel_extremes},
                     {"channel_means", plan.request.channel_means},
                     {"shared", plan.header.shared},
                     {"origins", origins},
                     {"derived", derived},
                     {"planned", planned},
                     {"activation", plan.header.activation},
                     {"observers", packed.observers == PackedObservers::kOnTheSide ? "on the side" : "in path"},
                     {"weights_beside", packed.weights_beside},
                     {"optimize", packed.optimize}};
  return json.dump(/*indent=*/-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
}

Result<Description> ParseDescription(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    if (json.at("format") != kFormat) {
      return Error(ErrorId::kModelInvalid, "instrumented model: format ", json.at("format").dump(), ", wanted ",
                   kFormat)
          .WithHint("use a model and an observer library of the same version of preon");
    }
    PREON_RETURN_IF_ERROR(CheckTexts(json));
    Description description;
    Instrumentation& plan = description.plan;
    json.at("every").get_to(plan.every);
    json.at("one_in").get_to(plan.one_in);
    json.at("fingerprint").get_to(plan.header.model_fingerprint);
    json.at("setup").get_to(plan.header.setup);
    plan.mode = json.at("exact").get<bool>() ? SketchMode::kExact : SketchMode::kSampled;
    json.at("inputs").get_to(plan.inputs);
    json.at("outputs").get_to(plan.outputs);
    json.at("tensors").get_to(plan.request.tensors);
    json.at("per_channel").get_to(plan.request.channel_extremes);
    json.at("channel_means").get_to(plan.request.channel_means);
    json.at("shared").get_to(plan.header.shared);
    for (const Json& origin : json.at("origins")) plan.header.origins.push_back({origin.at(0), origin.at(1)});
    for (const Json& one : json.at("derived")) {
      const int gate = one.at(2).get<int>();
      if (gate < 0) return Damaged(one.dump());
      plan.header.derived[one.at(0)] = {one.at(1),
                                        {static_cast<ScalarFunction::Gate>(gate), one.at(3).get<float>(),
                                         one.at(4).get<float>(), one.at(5).get<bool>()}};
    }
    for (const Json& one : json.at("planned")) {
      plan.header.planned[one.at(0)] = {
          .observed = one.at(1),
          .query = {{static_cast<DataType>(one.at(2).get<int>()), one.at(3).get<bool>(), one.at(4).get<bool>()},
                    static_cast<ScaleType>(one.at(5).get<uint8_t>())},
          .method = one.at(6),
          .context = {one.at(7).get<bool>(), static_cast<ReadActivation>(one.at(8).get<uint8_t>())}};
    }
    json.at("activation").get_to(plan.header.activation);
    PREON_RETURN_IF_ERROR(CheckPlan(plan));
    description.session = {
        .tensors = plan.Observed().size(),
        .observers = json.at("observers") == "in path" ? PackedObservers::kInPath : PackedObservers::kOnTheSide,
        .weights_beside = json.at("weights_beside"),
        .optimize = json.at("optimize")};
    return description;
  } catch (const Json::exception& error) {
    return Damaged(error.what());
  }
}

}  // namespace preon
