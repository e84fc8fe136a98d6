// Inside ir/: protobuf's encoding, for who can't use its library (https://protobuf.dev/programming-guides/encoding).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace preon {

/// A field of a message. `number` is the value of wire type 0; `bytes` the payload of wire types 1, 2 and 5; `whole`
/// the field with its tag.
struct WireField {
  uint32_t id = 0;
  uint64_t number = 0;
  std::string_view bytes, whole;
};

/// The fields of a message one by one. What is malformed ends the message, and ok() is false.
class WireFields {
 public:
  explicit WireFields(std::string_view message) : rest_(message) {}

  bool Next(WireField& field) {
    if (!ok_ || rest_.empty()) return false;
    const std::string_view start = rest_;
    const uint64_t tag = Varint();
    field = {.id = static_cast<uint32_t>(tag >> 3)};
    switch (tag & 7) {
      case 0:
        field.number = Varint();
        break;
      case 1:
        field.bytes = Take(8);
        break;
      case 2:
        field.bytes = Take(Varint());
        break;
      case 5:
        field.bytes = Take(4);
        break;
      default:
        ok_ = false;
    }
    field.whole = start.substr(0, start.size() - rest_.size());
    return ok_;
  }
  bool ok() const { return ok_; }

 private:
  uint64_t Varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    ok_ = false;
    return 0;
  }
  std::string_view Take(uint64_t size) {
    ok_ = ok_ && size <= rest_.size();
    if (!ok_) return {};
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::string_view rest_;
  bool ok_ = true;
};

inline void AppendVarint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}
inline void AppendNumber(std::string& out, uint32_t id, uint64_t value) {
  AppendVarint(out, uint64_t{id} << 3);
  AppendVarint(out, value);
}
inline void AppendBytes(std::string& out, uint32_t id, std::string_view bytes) {
  AppendVarint(out, uint64_t{id} << 3 | 2);
  AppendVarint(out, bytes.size());
  out.append(bytes);
}

}  // namespace preon
