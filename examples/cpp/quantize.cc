// Quantizes the glyph classifier with samples from a callback: quantize MODEL OUTPUT SAMPLES
// SAMPLES holds pictures of 32 x 32 float32 values, one after the other, without a header.
#include <array>
#include <fstream>
#include <iostream>

#include "preon/preon.h"

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: quantize MODEL OUTPUT SAMPLES\n";
    return 2;
  }
  std::ifstream file(argv[3], std::ios::binary);
  std::array<float, 32 * 32> picture;

  preon::QuantizeOptions options;
  options.model = argv[1];
  options.output = argv[2];
  options.reader = [&](int64_t index, std::vector<preon::InputArray>& inputs) {
    file.clear();
    file.seekg(index * static_cast<int64_t>(sizeof(picture)));
    if (!file.read(reinterpret_cast<char*>(picture.data()), sizeof(picture))) return false;
    inputs = {{"image", preon::ElementType::kFloat, {1, 1, 32, 32}, picture.data()}};
    return true;
  };

  const auto report = preon::Quantize(options);
  if (!report) {
    std::cerr << report.error().message << "\n" << report.error().hint << "\n";
    return report.error().exit_status;
  }
  std::cout << report->text << "\nmultiplications in integers: " << 100 * report->integer_macs_share << " %\n";
}
