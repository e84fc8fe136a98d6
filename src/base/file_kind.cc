#include "base/file_kind.h"

#include <algorithm>

#include "base/spelling.h"

namespace preon {
namespace {

struct Kind {
  std::string_view begin;  ///< lower case
  std::string_view is;
};
constexpr Kind kKinds[] = {
    {"version https://git-lfs", "it is a Git LFS pointer, not the file itself; fetch that with 'git lfs pull'"},
    {"<!doctype html", "it is an HTML page, perhaps of a failed download; download the file itself"},
    {"<html", "it is an HTML page, perhaps of a failed download; download the file itself"},
    {"<?xml", "it is an XML file"},
    {"pk\x03\x04", "it is a zip archive; unpack it first (a PyTorch file: export it with torch.onnx.export)"},
    {"\x1f\x8b", "it is compressed with gzip; unpack it first"},
    {"%pdf", "it is a PDF document"},
    {"\x89hdf", "it is an HDF5 file; a Keras model has to be exported to ONNX"},
    {"\x93numpy", "it is a NumPy array"},
    {"\xff\xd8\xff", "it is a JPEG image"},
    {"\x89png", "it is a PNG image"},
    {"riff", "it is a RIFF file (WAV sound or WebP image)"},
    {"{", "it is a JSON file"},
    {"preonenc", "it is encrypted; 'preon decrypt' makes a plain file"},
};

}  // namespace

std::string_view WhatItIsInstead(std::span<const std::byte> bytes) {
  std::string begin = ToLower({reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), kKindBytes)});
  begin.erase(0, begin.find_first_not_of(" \t\r\n"));
  constexpr std::string_view kTfLite = "tfl3";
  if (begin.size() >= 8 && begin.substr(4, 4) == kTfLite) return "it is a TensorFlow Lite model; export it to ONNX";
  const auto kind = std::ranges::find_if(kKinds, [&](const Kind& each) { return begin.starts_with(each.begin); });
  return kind == std::end(kKinds) ? "" : kind->is;
}

std::string KindOrSize(std::span<const std::byte> begin, uint64_t size_bytes) {
  const std::string_view instead = WhatItIsInstead(begin);
  return instead.empty() ? std::to_string(size_bytes) + " bytes" : std::string(instead);
}

}  // namespace preon
