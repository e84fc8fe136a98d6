// Encrypted models, as text and as JSON.
#include "base/spelling.h"
#include "report/figures_text.h"
#include "report/json.h"
#include "report/json_object.h"
#include "report/text_report.h"
#include "report/text_writer.h"

namespace preon {

std::string ToText(const CryptResult& result) {
  TextWriter out;
  out.Add("%s -> %s\n", Printable(result.model).c_str(), Printable(result.output).c_str());
  out.Add("  %-11s %s%s\n", result.encrypted ? "encrypted" : "decrypted", BytesText(result.size_bytes).c_str(),
          result.encrypted ? " (AES-256-GCM)" : "");
  AddFacts(out, result.facts);
  AddWarnings(out, result.warnings);
  return out.Take();
}

std::string ToJson(const CryptResult& result) {
  JsonObject json = BeginJson(result.facts);
  json["model"] = result.model;
  json["output"] = result.output;
  json["encrypted"] = result.encrypted;
  json["size_bytes"] = result.size_bytes;
  json["warnings"] = result.warnings;
  return JsonLine(json);
}

std::string ToText(const CryptoRunResult& result) {
  TextWriter out;
  out.Add("%s -> %s\n", Printable(result.model).c_str(), Printable(result.output).c_str());
  out.Add(
      "  %-11s no names or values of the model are shown; to measure the result, decrypt it and run preon compare\n",
      "crypto mode");
  out.Add("  size        %s\n", BytesText(result.size_bytes).c_str());
  AddFacts(out, result.facts);
  AddWarnings(out, result.warnings);
  return out.Take();
}

std::string ToJson(const CryptoRunResult& result) {
  JsonObject json = BeginJson(result.facts);
  json["model"] = result.model;
  json["output"] = result.output;
  json["size_bytes"] = {{"quantized", result.size_bytes}};
  json["crypto_mode"] = true;
  json["warnings"] = result.warnings;
  return JsonLine(json);
}

}  // namespace preon
