#include "formats/number_formats.h"

namespace preon {
namespace {

NumberFormatRegistry MakeNumberFormats() {
  NumberFormatRegistry formats{"type"};
  formats.Add(MakeInt4Format());
  formats.Add(MakeUInt4Format());
  formats.Add(MakeInt8Format());
  formats.Add(MakeUInt8Format());
  formats.Add(MakeInt16Format());
  formats.Add(MakeUInt16Format());
  formats.Add(MakeInt32Format());
  formats.Add(MakeUInt32Format());
  formats.Add(MakeFloat16Format());
  formats.Add(MakeBFloat16Format());
  formats.Add(MakeFloat8E4M3FNFormat());
  formats.Add(MakeFloat8E5M2Format());
  formats.Add(MakeBfp16Format());
  formats.Add(MakeMx4Format());
  formats.Add(MakeMx6Format());
  formats.Add(MakeMx9Format());
  formats.Add(MakeMxInt8Format());
  formats.Add(MakeMxFp4E2M1Format());
  formats.Add(MakeMxFp6E3M2Format());
  formats.Add(MakeMxFp6E2M3Format());
  formats.Add(MakeMxFp8E5M2Format());
  formats.Add(MakeMxFp8E4M3Format());
  return formats;
}

}  // namespace

const NumberFormatRegistry& NumberFormats() {
  static const NumberFormatRegistry formats = MakeNumberFormats();
  return formats;
}

}  // namespace preon
