#include "report/html/sample_pictures.h"

#include "base/status.h"
#include "report/html/base64.h"
#include "report/html/html_text.h"
#include "report/html/page_parts.h"

namespace preon {
namespace {

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
