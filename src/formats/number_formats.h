// The number formats that preon knows, one file each in types/.
#pragma once

#include <memory>

#include "formats/number_format.h"

namespace preon {

/// All of them, in the order of help.
const NumberFormatRegistry& NumberFormats();

std::unique_ptr<NumberFormat> MakeInt4Format();
std::unique_ptr<NumberFormat> MakeUInt4Format();
std::unique_ptr<NumberFormat> MakeInt8Format();
std::unique_ptr<NumberFormat> MakeUInt8Format();
std::unique_ptr<NumberFormat> MakeInt16Format();
std::unique_ptr<NumberFormat> MakeUInt16Format();
std::unique_ptr<NumberFormat> MakeInt32Format();
std::unique_ptr<NumberFormat> MakeUInt32Format();
std::unique_ptr<NumberFormat> MakeFloat16Format();
std::unique_ptr<NumberFormat> MakeBFloat16Format();
std::unique_ptr<NumberFormat> MakeFloat8E4M3FNFormat();
std::unique_ptr<NumberFormat> MakeFloat8E5M2Format();
std::unique_ptr<NumberFormat> MakeBfp16Format();
std::unique_ptr<NumberFormat> MakeMx4Format();
std::unique_ptr<NumberFormat> MakeMx6Format();
std::unique_ptr<NumberFormat> MakeMx9Format();
std::unique_ptr<NumberFormat> MakeMxInt8Format();
std::unique_ptr<NumberFormat> MakeMxFp4E2M1Format();
std::unique_ptr<NumberFormat> MakeMxFp6E3M2Format();
std::unique_ptr<NumberFormat> MakeMxFp6E2M3Format();
std::unique_ptr<NumberFormat> MakeMxFp8E5M2Format();
std::unique_ptr<NumberFormat> MakeMxFp8E4M3Format();

}  // namespace preon
