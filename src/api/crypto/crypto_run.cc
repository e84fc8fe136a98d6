#include "api/crypto/crypto_run.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/cipher/sealed_file.h"
#include "base/exceptions.h"
#include "base/file.h"
#include "base/output/atomic_file.h"
#include "base/output/memory_file.h"
#include "config/resolve/crypto_mode.h"
#include "ir/model_io.h"
#include "pipeline/output.h"

namespace preon {
namespace {

// What the caller may know of a failure inside of the run.
Status Untold(const Status& status) {
  if (status.id() == ErrorId::kCancelled) return status;
  return Error(status.id(), "quantize: ", GetErrorInfo(status.id()).title, " (in crypto mode no more is told)");
}

Status CheckInput(const std::string& model, const CryptoOptions& options) {
  if (IsSealedFile(model) || IsMemoryFile(model)) return Status::Ok();
  if (!options.mode) {
    PREON_RETURN_IF_ERROR(CheckRunnable(model));
    return Error(ErrorId::kConflictingOptions, "--key-file: the model '", model, "' is not encrypted")
        .WithHint("'preon encrypt MODEL -o MODEL.enc --key-file FILE' encrypts it");
  }
  return Error(ErrorId::kConflictingOptions, "CryptoMode: For the crypto mode, the input model should be in ",
               "onnx.ModelProto format, or a file that 'preon encrypt' has made; got '", model, "'");
}

// The file's content in memory.
Result<MemoryFile> Decrypted(const std::string& path, const CipherKey& key) {
  PREON_ASSIGN_OR_RETURN(const std::string sealed, ReadFile(path));
  Result<std::string> content = Unseal(sealed, key);
  if (!content.ok()) return std::move(content).status().WithContext(path);
  PREON_ASSIGN_OR_RETURN(MemoryFile file, MemoryFile::Create());
  const Status written = WriteFileAtomically(file.path(), *content);
  Wipe(*content);
  if (!written.ok()) return written;
  return file;
}

Result<int64_t> WriteEncrypted(const MemoryFile& file, const CipherKey& key, const std::string& output) {
  PREON_ASSIGN_OR_RETURN(std::string content, ReadFile(file.path()));
  const std::string sealed = Seal(content, key);
  Wipe(content);
  PREON_RETURN_IF_ERROR(WriteFileAtomically(output, sealed));
  return static_cast<int64_t>(sealed.size());
}

// Those of options as they are, the number of those of the model.
std::vector<std::string> ToldOf(const std::vector<std::string>& warnings, const std::vector<std::string>& of_options) {
  std::vector<std::string> told = of_options;
  const auto is_told = [&](const std::string& warning) { return std::ranges::count(of_options, warning) > 0; };
  if (const int64_t others = std::ranges::count_if(warnings, std::not_fn(is_told)); others > 0)
    told.push_back(StrCat(others, others == 1 ? " warning" : " warnings", " of the model: not told in crypto mode"));
  return told;
}

}  // namespace

bool IsCryptoRun(const std::string& model, const CryptoOptions& options) {
  return options.mode || !options.key_file.empty() || IsSealedFile(model);
}

Result<CipherKey> OwnKey(const std::string& key_file, std::vector<std::string>& warnings) {
  PREON_ASSIGN_OR_RETURN(CipherKey key, ReadKey(key_file, warnings));
  if (!key.quark_start) return key;
  return Error(ErrorId::kBadOptionValue, "--key-file: ", key_file, ": got 48 bytes, a key of AMD Quark's files, which ",
               "'preon decrypt' alone takes; wanted 32 bytes or 64 hexadecimal digits");
}

Result<CryptoRunResult> QuantizeInCryptoMode(
    const std::string& model, RunInputs& run,
    const std::function<Result<QuantizeResult>(const std::string& model, RunInputs& run)>& quantize) {
  Options options = run.options;
  PREON_RETURN_IF_ERROR(CheckInput(model, options.crypto));
  PREON_RETURN_IF_ERROR(SettleCryptoMode(options));
  if (run.choices.precision && !run.choices.precision->cache.empty())
    return RefuseReadable("SensitivityCacheFile", "names of nodes");
  PREON_RETURN_IF_ERROR(CheckOutputs("quantize", options, {model}));
  const std::string output = options.outputs.file;
  const bool is_returned = IsMemoryFile(output), is_sealed = IsSealedFile(model);
  std::optional<CipherKey> key;
  std::optional<MemoryFile> decrypted, plain;
  if (!is_returned || is_sealed) {
    PREON_ASSIGN_OR_RETURN(CipherKey own, OwnKey(options.crypto.key_file, options.given.warnings));
    key.emplace(std::move(own));
  }
  if (is_sealed) {
    PREON_ASSIGN_OR_RETURN(MemoryFile file, Decrypted(model, *key));
    decrypted.emplace(std::move(file));
  }
  if (!is_returned) {
    PREON_ASSIGN_OR_RETURN(MemoryFile file, MemoryFile::Create());
    options.outputs.file = plain.emplace(std::move(file)).path();
  }

  if (run.context.Wants(LogLevel::kDebug))
    options.given.warnings.push_back(
        StrCat(options.debug ? "DebugMode" : "--verbose", ": nothing of the model is told in crypto mode"));
  PREON_ASSIGN_OR_RETURN(Choices choices, Resolve(options, run.builtins));
  const std::vector<std::string> of_options = choices.warnings;
  RunContext context = run.context;
  context.log = {};
  context.tmp_dir = kInMemory;
  CryptoRunResult told{.model = model, .output = output};
  try {
    RunInputs again{options, run.builtins, std::move(run.clock), context, std::move(choices), run.samples};
    const Result<QuantizeResult> result = quantize(decrypted ? decrypted->path() : model, again);
    run.clock = std::move(again.clock);
    if (!result.ok()) return Untold(result.status());
    told.facts = result->facts;
    told.size_bytes = result->quantized_size_bytes;
    told.warnings = ToldOf(result->warnings, of_options);
  } catch (const std::exception& problem) {
    return Untold(StatusOf(problem));
  }
  if (plain) {
    PREON_ASSIGN_OR_RETURN(told.size_bytes, WriteEncrypted(*plain, *key, output));
  }
  return told;
}

}  // namespace preon
