#include "report/html/sample_pictures.h"

#include "base/status.h"
#include "report/html/html_text.h"
#include "report/html/page_parts.h"

namespace preon {
namespace {

std::string Base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view group = bytes.substr(at, 3);
    uint32_t bits = 0;
    for (size_t index = 0; index < 3; ++index)
      bits = bits << 8 | (index < group.size() ? static_cast<unsigned char>(group[index]) : 0);
    for (size_t digit = 0; digit < 4; ++digit)
      text += digit <= group.size() ? kDigits[bits >> (18 - 6 * digit) & 63] : '=';
  }
  return text;
}

// By how the file begins.
const char* MediaType(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG")) return "image/png";
  if (bytes.starts_with("RIFF")) return "image/webp";
  if (bytes.starts_with("BM")) return "image/bmp";
  return "image/jpeg";
}

}  // namespace

std::string SamplePictures(const std::vector<ChangedSample>& samples,
                           const std::map<std::string, std::string>& pictures) {
  std::string html = "<h2>Samples that change most</h2>\n" + Note("SQNR of the worst output, sample by sample.");
  html += "<div class=\"samples\">\n";
  for (const ChangedSample& sample : samples) {
    const std::string name = EscapeHtml(sample.name.empty() ? StrCat("sample ", sample.index) : sample.name);
    html += "<figure>";
    const auto picture = pictures.find(sample.name);
    if (picture != pictures.end())
      html += StrCat("<img alt=\"", name, "\" src=\"data:", MediaType(picture->second), ";base64,",
                     Base64(picture->second), "\">");
    html += StrCat("<figcaption><b>", HtmlNumber(sample.sqnr_db), " dB</b> <code>", name,
                   "</code></figcaption></figure>\n");
  }
  return html + "</div>\n";
}

}  // namespace preon
