#include "page.h"

#include "lower.h"
#include "readable.h"
#include "roots/utf8.h"

namespace {

bool is_latin(std::string_view content_type) {
  const std::string type = lower(content_type);
  for (const char* charset : {"charset=iso-8859-1", "charset=\"iso-8859-1", "charset=windows-1252",
                              "charset=\"windows-1252", "charset=latin1"}) {
    if (type.find(charset) != type.npos) return true;
  }
  return false;
}

std::string from_latin(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      out += c;
    } else {
      out += static_cast<char>(0xc0 | byte >> 6);
      out += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return out;
}

}  // namespace

std::string media_type(std::string_view content_type) {
  std::string type = lower(content_type.substr(0, content_type.find(';')));
  while (!type.empty() && type.back() == ' ') type.pop_back();
  return type;
}

bool is_text(std::string_view type) {
  return type.empty() || type.starts_with("text/") || type.ends_with("+json") ||
         type.ends_with("+xml") || type == "application/json" || type == "application/xml" ||
         type == "application/javascript" || type == "application/yaml" ||
         type == "application/toml" || type == "application/x-sh";
}

std::string page_text(std::string_view content_type, std::string_view body, Form form) {
  const std::string text = printable(is_latin(content_type) ? from_latin(body) : std::string(body));
  const std::string type = media_type(content_type);
  if (form == Form::Raw || (type != "text/html" && type != "application/xhtml+xml")) return text;
  const Readable page = readable(text);
  return page.title.empty() ? page.text : page.title + "\n\n" + page.text;
}
