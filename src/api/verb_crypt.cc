// `encrypt` and `decrypt`.
#include "api/crypto/crypto_run.h"
#include "api/verbs.h"
#include "base/cipher/quark_cipher.h"
#include "base/cipher/sealed_file.h"
#include "base/file.h"
#include "base/file_kind.h"
#include "base/output/atomic_file.h"
#include "base/text.h"
#include "ir/model_io.h"
#include "pipeline/output.h"

namespace preon {
namespace {

// A model in one piece: what lies beside it would stay readable.
Status CheckEncryptable(const std::string& path) {
  PREON_ASSIGN_OR_RETURN(const Model model, LoadModel(path));
  if (model.external_files.empty()) return Status::Ok();
  return Error(ErrorId::kNotYetSupported, path, ": its weights are in ", JoinNames(model.external_files),
               ", and only a model in one file can be encrypted")
      .WithHint("onnx.save_model(onnx.load('model.onnx'), 'one.onnx') puts them into the file");
}

Result<CryptResult> Written(std::string& content, CryptResult result, const RunContext& context) {
  const Status written = WriteFileAtomically(result.output, content);
  result.size_bytes = static_cast<int64_t>(content.size());
  Wipe(content);
  if (!written.ok()) return written;
  result.facts = RunFactsOf(context, result.encrypted ? "encrypt" : "decrypt");
  return result;
}

}  // namespace

Result<CryptResult> EncryptVerb(const std::string& path, RunInputs& run) {
  const Options& options = run.options;
  PREON_RETURN_IF_ERROR(CheckOutputs("encrypt", options, {path}));
  CryptResult result{
      .model = path, .output = options.outputs.file, .encrypted = true, .warnings = run.choices.warnings};
  PREON_ASSIGN_OR_RETURN(const CipherKey key, OwnKey(options.crypto.key_file, result.warnings));
  run.context.BeginStage("load");
  PREON_RETURN_IF_ERROR(CheckEncryptable(path));
  PREON_ASSIGN_OR_RETURN(std::string content, ReadFile(path));
  run.context.BeginStage("encrypt");
  std::string sealed = Seal(content, key);
  Wipe(content);
  return Written(sealed, std::move(result), run.context);
}

Result<CryptResult> DecryptVerb(const std::string& path, RunInputs& run) {
  const Options& options = run.options;
  PREON_RETURN_IF_ERROR(CheckOutputs("decrypt", options, {path}));
  CryptResult result{.model = path, .output = options.outputs.file, .warnings = run.choices.warnings};
  PREON_ASSIGN_OR_RETURN(const CipherKey key, ReadKey(options.crypto.key_file, result.warnings));
  run.context.BeginStage("decrypt");
  PREON_ASSIGN_OR_RETURN(const std::string file, ReadFile(path));
  if (!key.quark_start && !file.starts_with(kSealedBegin))
    return Error(ErrorId::kNotDecrypted, path, ": is no file that 'preon encrypt' has made");
  Result<std::string> content = key.quark_start ? DecryptQuark(file, key) : Unseal(file, key);
  if (!content.ok()) return std::move(content).status().WithContext(path);
  return Written(*content, std::move(result), run.context);
}

}  // namespace preon
