// The JSON of an Instrumented node.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "instrument/instrumented_model.h"

namespace preon {
namespace {

using Json = nlohmann::ordered_json;

// Counted up when what is written changes its meaning.
constexpr int kFormat = 1;

}  // namespace

std::string WriteDescription(const Instrumentation& plan, const PackedModel& packed) {
  Json origins = Json::array();
  for (const TensorOrigin& origin : plan.header.origins) origins.push_back({origin.tensor, origin.op});
  Json derived = Json::array();
  for (const auto& [tensor, from] : plan.header.derived) {
    derived.push_back({tensor, from.source, static_cast<int>(from.function.gate), from.function.alpha,
                       from.function.beta, from.function.times_input});
  }
  const Json json = {{"format", kFormat},
                     {"calib_out", plan.calib_out},
                     {"every", plan.every},
                     {"one_in", plan.one_in},
                     {"fingerprint", plan.header.model_fingerprint},
                     {"setup", plan.header.setup},
                     {"exact", plan.mode == SketchMode::kExact},
                     {"inputs", plan.inputs},
                     {"outputs", plan.outputs},
                     {"tensors", plan.tensors},
                     {"per_channel", plan.per_channel},
                     {"channel_means", plan.channel_means},
                     {"shared", plan.header.shared},
                     {"origins", origins},
                     {"derived", derived},
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
    Description description;
    Instrumentation& plan = description.plan;
    json.at("calib_out").get_to(plan.calib_out);
    json.at("every").get_to(plan.every);
    json.at("one_in").get_to(plan.one_in);
    json.at("fingerprint").get_to(plan.header.model_fingerprint);
    json.at("setup").get_to(plan.header.setup);
    plan.mode = json.at("exact").get<bool>() ? SketchMode::kExact : SketchMode::kSampled;
    json.at("inputs").get_to(plan.inputs);
    json.at("outputs").get_to(plan.outputs);
    json.at("tensors").get_to(plan.tensors);
    json.at("per_channel").get_to(plan.per_channel);
    json.at("channel_means").get_to(plan.channel_means);
    json.at("shared").get_to(plan.header.shared);
    for (const Json& origin : json.at("origins")) plan.header.origins.push_back({origin.at(0), origin.at(1)});
    for (const Json& one : json.at("derived")) {
      const int gate = one.at(2).get<int>();
      const std::string source = one.at(1);
      if (gate < 0 || gate >= ScalarFunction::kGates || std::ranges::find(plan.tensors, source) == plan.tensors.end())
        return Error(ErrorId::kModelInvalid, "instrumented model: its description is damaged: ", one.dump());
      plan.header.derived[one.at(0)] = {source,
                                        {static_cast<ScalarFunction::Gate>(gate), one.at(3).get<float>(),
                                         one.at(4).get<float>(), one.at(5).get<bool>()}};
    }
    for (const auto& [tensor, derived] : plan.header.derived) {
      if (plan.header.derived.contains(derived.source))
        return Error(ErrorId::kModelInvalid, "instrumented model: its description is damaged: ", tensor);
    }
    description.session = {
        .tensors = plan.Observed().size(),
        .observers = json.at("observers") == "in path" ? PackedObservers::kInPath : PackedObservers::kOnTheSide,
        .weights_beside = json.at("weights_beside"),
        .optimize = json.at("optimize")};
    return description;
  } catch (const Json::exception& error) {
    return Error(ErrorId::kModelInvalid, "instrumented model: its description is damaged: ", error.what());
  }
}

}  // namespace preon
