#include "base/cipher/evp_cipher.h"

#include <algorithm>
#include <new>

namespace preon {
namespace {

constexpr size_t kPortion = size_t{1} << 30;  // sizes are int there

void Expect(int result) {
  if (result != 1) throw std::bad_alloc();
}

}  // namespace

EvpCipher::EvpCipher(const EVP_CIPHER* kind, const unsigned char* key, const unsigned char* start, CipherWay way) {
  PrepareOpenSsl();
  context_.reset(EVP_CIPHER_CTX_new());
  Expect(context_ != nullptr);
  Expect(EVP_CipherInit_ex(context_.get(), kind, nullptr, key, start, static_cast<int>(way)));
}

void EvpCipher::Authenticate(std::string_view text) {
  int size = 0;
  Expect(EVP_CipherUpdate(context_.get(), nullptr, &size, RawBytes(text), static_cast<int>(text.size())));
}

void EvpCipher::Update(std::string_view text, std::string& out) {
  for (; !text.empty(); text.remove_prefix(std::min(text.size(), kPortion))) {
    const std::string_view portion = text.substr(0, kPortion);
    const size_t before = out.size();
    out.resize(before + portion.size() + EVP_MAX_BLOCK_LENGTH);
    int size = 0;
    Expect(EVP_CipherUpdate(context_.get(), reinterpret_cast<unsigned char*>(out.data() + before), &size,
                            RawBytes(portion), static_cast<int>(portion.size())));
    out.resize(before + static_cast<size_t>(size));
  }
}

bool EvpCipher::Finish(std::string& out) {
  const size_t before = out.size();
  out.resize(before + EVP_MAX_BLOCK_LENGTH);
  int size = 0;
  const bool fits =
      EVP_CipherFinal_ex(context_.get(), reinterpret_cast<unsigned char*>(out.data() + before), &size) == 1;
  out.resize(before + static_cast<size_t>(size));
  return fits;
}

void EvpCipher::GetTag(std::span<unsigned char> tag) {
  Expect(EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_AEAD_GET_TAG, static_cast<int>(tag.size()), tag.data()));
}

void EvpCipher::ExpectTag(std::string_view tag) {
  std::string copy(tag);  // the library takes no constant
  Expect(EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_AEAD_SET_TAG, static_cast<int>(copy.size()), copy.data()));
}

}  // namespace preon
