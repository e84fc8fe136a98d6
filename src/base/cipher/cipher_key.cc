#include "base/cipher/cipher_key.h"

#include <openssl/crypto.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

#include "base/file.h"

namespace preon {
namespace {

constexpr size_t kKeyBytes = 32, kStartBytes = 16;
constexpr size_t kMostBytes = 256;  // no form has more
constexpr std::string_view kWanted = "32 bytes or 64 hexadecimal digits";

// -1 for anything else.
int DigitOf(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
  return -1;
}

// nullopt: no 64 digits.
std::optional<CipherKey> KeyOfDigits(std::string_view digits) {
  if (digits.size() != 2 * kKeyBytes) return std::nullopt;
  CipherKey key;
  for (size_t byte = 0; byte < kKeyBytes; ++byte) {
    const int high = DigitOf(digits[2 * byte]), low = DigitOf(digits[2 * byte + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    key.key.data()[byte] = static_cast<unsigned char>(high * 16 + low);
  }
  return key;
}

std::string_view WithoutLineEnd(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

// nullopt: none of the forms.
std::optional<CipherKey> KeyOfFile(std::string_view content) {
  if (content.size() != kKeyBytes && content.size() != kStartBytes + kKeyBytes)
    return KeyOfDigits(WithoutLineEnd(content));
  CipherKey key;
  const std::string_view bytes = content.substr(content.size() - kKeyBytes);
  std::ranges::copy(bytes, key.key.data());
  if (content.size() == kKeyBytes) return key;
  SecretBytes<kStartBytes> start;
  std::ranges::copy(content.substr(0, kStartBytes), start.data());
  key.quark_start.emplace(std::move(start));
  return key;
}

// Where the key itself was given, the name of the file is not told.
Status NotRead(const std::string& file, const Status& status) {
  if (!KeyOfFile(file)) return Status(status).WithContext("--key-file");
  return Error(status.id(), "--key-file: can't read the file; its name is not shown, because it looks like a key")
      .WithHint(StrCat("--key-file takes the path of a file with the key; the variable ", kKeyVariable,
                       " takes hexadecimal digits"));
}

void WarnOfReaders(const std::string& file, std::vector<std::string>& warnings) {
  struct stat info;
  if (stat(file.c_str(), &info) != 0 || (info.st_mode & 077) == 0) return;
  char mode[8];
  std::snprintf(mode, sizeof(mode), "%04o", static_cast<unsigned>(info.st_mode & 0777));
  warnings.push_back(StrCat("--key-file ", file, ": other users may read the key (mode ", mode,
                            "); 'chmod 600' leaves it to its owner"));
}

}  // namespace

template <size_t kSize>
void SecretBytes<kSize>::Wipe() {
  OPENSSL_cleanse(bytes_.data(), bytes_.size());
}
template class SecretBytes<kKeyBytes>;
template class SecretBytes<kStartBytes>;
template class SecretBytes<kMostBytes>;

void Wipe(std::string& text) {
  OPENSSL_cleanse(text.data(), text.size());
  text.clear();
}

Result<CipherKey> ReadKey(const std::string& file, std::vector<std::string>& warnings) {
  if (file.empty()) {
    const char* variable = std::getenv(kKeyVariable);
    if (variable == nullptr || *variable == '\0')
      return Error(ErrorId::kMissingOption, "no key; wanted --key-file FILE, or the environment variable ",
                   kKeyVariable, " with 64 hexadecimal digits");
    std::optional<CipherKey> key = KeyOfDigits(variable);
    if (key) return *std::move(key);
    return Error(ErrorId::kBadOptionValue, kKeyVariable, ": got text that is no key, wanted 64 hexadecimal digits");
  }
  SecretBytes<kMostBytes> content;
  const Result<size_t> size = ReadBegin(file, std::as_writable_bytes(std::span(content.data(), kMostBytes)));
  if (!size.ok()) return NotRead(file, size.status());
  std::optional<CipherKey> key = KeyOfFile({reinterpret_cast<const char*>(content.data()), *size});
  if (!key)
    return Error(ErrorId::kBadOptionValue, "--key-file: ", file, ": got ", *size < kMostBytes ? "" : "at least ", *size,
                 " bytes that are no key, wanted ", kWanted);
  WarnOfReaders(file, warnings);
  return *std::move(key);
}

}  // namespace preon
