#include "api/verbs.h"
#include "cli/render.h"

namespace preon::cli {

Command EncryptCommand() {
  return {.verb = kVerbEncrypt,
          .name = "encrypt",
          .summary = "encrypt a model, so that quantize alone reads it",
          .positionals = {"MODEL"},
          .examples = R"(  head -c 32 /dev/urandom > key && chmod 600 key
  preon encrypt model.onnx -o model.enc --key-file key
  preon quantize model.enc -o model.int8.enc --data calib.npz --key-file key
)",
          .run = [](const std::vector<std::string>& args, RunInputs& run) {
            return Render(EncryptVerb(args[0], run), run.options.given.origins);
          }};
}

Command DecryptCommand() {
  return {.verb = kVerbDecrypt,
          .name = "decrypt",
          .summary = "make a plain model of an encrypted one, also of one that AMD Quark has encrypted",
          .positionals = {"MODEL"},
          .examples = R"(  preon decrypt model.int8.enc -o model.int8.onnx --key-file key
  PREON_KEY=$(cat key.hex) preon decrypt model.int8.enc -o model.int8.onnx
)",
          .run = [](const std::vector<std::string>& args, RunInputs& run) {
            return Render(DecryptVerb(args[0], run), run.options.given.origins);
          }};
}

}  // namespace preon::cli
