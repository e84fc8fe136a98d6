// bfloat16 and block formats.
#include <nlohmann/json.hpp>

#include "config/keys/key_setters.h"
#include "config/keys/key_spec.h"
#include "config/option_values.h"

namespace preon {
namespace {

// A JSON object of attributes, each an option of ours.
Status SetAttributes(Options& options, const KeyValue& value, std::string_view option) {
  const nlohmann::json attributes = nlohmann::json::parse(value.text);
  if (!attributes.is_object()) return BadValue(value.text, "a JSON object of attributes");
  for (const auto& [name, setting] : attributes.items()) {
    const std::string text = setting.is_string() ? setting.get<std::string>() : setting.dump();
    if (name == "axis") {  // the operator's default, from which each node's own axis follows
      if (setting == 1) continue;
      return Error(ErrorId::kNotYetSupported, "axis: got ", text, ", wanted 1, which is adapted to each node");
    }
    PREON_RETURN_IF_ERROR(SetOption(options, option, StrCat(name, "=", text)));
  }
  return Status::Ok();
}

constexpr KeySpec kBlocksKeys[] = {
    {.name = "BF16QDQToCast",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "BF16 pairs become Cast pairs",
     .otherwise = "equals EnableVaimlBF16",
     .here = "--bfloat16 casts",
     .set = [](Options& o, const KeyValue& v) { return SetIfOn(o, v, "bfloat16", "casts"); }},
    {.name = "BF16WithClip",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "Clip to the finite BF16 range before each BF16 quantizer",
     .here = "--bfloat16 clip",
     .set = [](Options& o, const KeyValue& v) { return SetIfOn(o, v, "bfloat16", "clip"); }},
    {.name = "BFPAttributes",
     .type = KeyType::kTable,
     .fallback = "{}",
     .meaning = "attributes of the BFP operator",
     .otherwise = "MX4/MX6/MX9 spec pairs fill it",
     .here = "{\"block_size\": 16, ...}: --bfp-attribute",
     .set = [](Options& o, const KeyValue& v) { return SetAttributes(o, v, "bfp-attribute"); }},
    {.name = "EnableVaimlBF16",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "BF16 model with weights stored as float32 for a compiler",
     .here = "--bfloat16 vaiml",
     .set = [](Options& o, const KeyValue& v) { return SetIfOn(o, v, "bfloat16", "vaiml"); }},
    {.name = "MXAttributes",
     .type = KeyType::kTable,
     .fallback = "{}",
     .meaning = "attributes of the MX operator",
     .otherwise = "MXFP*/MXInt8 spec pairs fill it",
     .here = "{\"block_size\": 16, ...}: --mx-attribute",
     .set = [](Options& o, const KeyValue& v) { return SetAttributes(o, v, "mx-attribute"); }},
    {.name = "RefineBlockAxis",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "put the block axis on the reduction dimension",
     .otherwise = "true if activation or weight type is BFP/MX",
     .here = "false: --keep-block-axis",
     .set = [](Options& o, const KeyValue& v) { return SetIfOff(o, v, "keep-block-axis"); }},
};

}  // namespace

std::span<const KeySpec> BlocksKeys() { return kBlocksKeys; }

}  // namespace preon
