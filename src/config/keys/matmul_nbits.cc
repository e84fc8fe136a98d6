// Weights alone, in blocks.
#include <nlohmann/json.hpp>

#include "config/compound_options.h"
#include "config/keys/algorithm_settings.h"
#include "config/keys/key_setters.h"
#include "config/keys/key_spec.h"

namespace preon {
namespace {

constexpr std::string_view kGroupSize = "128";  // Quark's default

constexpr std::string_view kParameters = "MatMulNBitsParams", kTarget = "matmul-nbits";

Status SetUseMatMulNBits(Options& options, const KeyValue& value) {
  if (!value.on) return Status::Ok();
  PREON_RETURN_IF_ERROR(SetOption(options, "target", std::string(kTarget)));
  if (!options.plan.block_size) PREON_RETURN_IF_ERROR(SetOption(options, "block-size", std::string(kGroupSize)));
  return SettleBlockParameters(options);
}

Status SetParams(Options& options, const KeyValue& value) {
  options.block_parameters = value.text;
  return SettleBlockParameters(options);
}

// The entries have been checked one by one.
Status SetEntries(Options& options, const std::string& text) {
  int64_t bits = 4;
  bool symmetric = true, half_quadratic = false;
  const auto table = nlohmann::json::parse(text);  // a temporary would not outlive the loop's head
  for (const auto& [name, setting] : table.items()) {
    if (setting.is_null()) continue;
    const std::string entry = setting.is_string() ? setting.get<std::string>() : setting.dump();
    if (name == "Algorithm" && entry == "GPTQ") PREON_RETURN_IF_ERROR(AskForAlgorithm(options.algorithms, "gptq"));
    if (name == "Algorithm" && entry == "HQQ") PREON_RETURN_IF_ERROR(SetOption(options, "weight-method", "hqq"));
    half_quadratic = half_quadratic || (name == "Algorithm" && entry == "HQQ");
    if (name == "GroupSize") PREON_RETURN_IF_ERROR(SetOption(options, "block-size", entry));
    if (name == "AccuracyLevel") PREON_RETURN_IF_ERROR(SetOption(options, "accuracy-level", entry));
    if (name == "Symmetric") symmetric = setting.get<bool>();
    if (name == "Bits") bits = setting.get<int64_t>();
  }
  return SetOption(options, "weight", StrCat(symmetric && !half_quadratic ? "int" : "uint", bits));
}

constexpr KeySpec kMatMulNBitsKeys[] = {
    {.name = "MatMulNBitsParams",
     .type = KeyType::kTable,
     .fallback = "{}",
     .meaning = "settings of UseMatMulNBits",
     .here = "--block-size, --weight, --accuracy-level",
     .set = SetParams},
    {.name = "MatMulNBitsParams.AccuracyLevel",
     .type = KeyType::kInteger,
     .fallback = "0",
     .meaning = "compute type of A: 0 unset, 1 fp32, 2 fp16, 3 bf16, 4 int8",
     .range = "0..4",
     .otherwise = "preset MATMUL_NBITS uses 1",
     .here = "--accuracy-level"},
    {.name = "MatMulNBitsParams.Algorithm",
     .type = KeyType::kText,
     .fallback = "\"DEFAULT\"",
     .meaning = "DEFAULT, GPTQ or HQQ",
     .range = "DEFAULT|HQQ|GPTQ",
     .here = "DEFAULT: with a better search for scales; HQQ: --weight-method hqq, always with zero points; GPTQ: "
             "--algorithm gptq"},
    {.name = "MatMulNBitsParams.Bits",
     .type = KeyType::kInteger,
     .fallback = "4",
     .meaning = "bits per weight",
     .range = "2|4|8",
     .here = "--weight int2, int4, int8"},
    {.name = "MatMulNBitsParams.GroupSize",
     .type = KeyType::kInteger,
     .fallback = "128",
     .meaning = "weights per scale",
     .range = "16|32|64|128|256",
     .here = "--block-size"},
    {.name = "MatMulNBitsParams.Symmetric",
     .type = KeyType::kFlag,
     .fallback = "true",
     .meaning = "no zero points",
     .here = "--weight int4 or uint4"},
    {.name = "UseMatMulNBits",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "block-wise weight-only quantization of MatMul",
     .here = "--target matmul-nbits --block-size 128",
     .set = SetUseMatMulNBits},
};

}  // namespace

Status SettleBlockParameters(Options& options) {
  if (options.block_parameters.empty() || options.target != kTarget) return Status::Ok();
  const size_t set_before = options.given.settings.size();
  PREON_RETURN_IF_ERROR(SetInTheNameOf(
      kParameters, options.given.settings, options.algorithms.asked, options.given.origins,
      [&] { return SetEntries(options, std::exchange(options.block_parameters, "")).WithContext(kParameters); }));
  for (size_t index = set_before; index < options.given.settings.size(); ++index)
    options.given.settings[index].by_another = true;
  return Status::Ok();
}

std::span<const KeySpec> MatMulNBitsKeys() { return kMatMulNBitsKeys; }

}  // namespace preon
