// A run of `quantize` that leaves nothing readable behind; docs/design/encrypted-models.md.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/cipher/cipher_key.h"
#include "pipeline/run_inputs.h"
#include "report/results/crypt_result.h"

namespace preon {

/// By the key CryptoMode, or because a key is named or the model is encrypted.
bool IsCryptoRun(const std::string& model, const CryptoOptions& options);

/// The key of encrypted files. Errors: those of ReadKey, kBadOptionValue for one of AMD Quark's files.
Result<CipherKey> OwnKey(const std::string& key_file, std::vector<std::string>& warnings);

/// `quantize` on a model in memory or an encrypted file: temporary files stay in memory, the output is encrypted unless
/// it is a file in memory, and the result has nothing of the model.
/// Errors: those of SettleCryptoMode, of the key and kNotDecrypted; those of `quantize` with their numbers and titles
/// alone.
Result<CryptoRunResult> QuantizeInCryptoMode(
    const std::string& model, RunInputs& run,
    const std::function<Result<QuantizeResult>(const std::string& model, RunInputs& run)>& quantize);

}  // namespace preon
