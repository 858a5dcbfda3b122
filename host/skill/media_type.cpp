#include "skill/media_type.h"

#include "base/text/encoding.h"

namespace host::skill {

bool is_text(std::string_view bytes) {
  return bytes.find('\0') == std::string_view::npos && is_utf8(bytes);
}

std::string_view media_type(std::string_view path, bool text) {
  struct Kind {
    std::string_view ending;
    std::string_view type;
  };
  static constexpr Kind kTexts[] = {{".md", "text/markdown"},      {".json", "application/json"},
                                    {".csv", "text/csv"},          {".html", "text/html"},
                                    {".yaml", "application/yaml"}, {".yml", "application/yaml"},
                                    {".xml", "application/xml"},   {".svg", "image/svg+xml"}};
  static constexpr Kind kOthers[] = {{".png", "image/png"},       {".jpg", "image/jpeg"},
                                     {".jpeg", "image/jpeg"},     {".gif", "image/gif"},
                                     {".webp", "image/webp"},     {".pdf", "application/pdf"},
                                     {".zip", "application/zip"}, {".wasm", "application/wasm"}};
  const auto find = [path](const auto& kinds, std::string_view otherwise) {
    for (const Kind& kind : kinds) {
      if (path.ends_with(kind.ending)) return kind.type;
    }
    return otherwise;
  };
  return text ? find(kTexts, "text/plain") : find(kOthers, "application/octet-stream");
}

}  // namespace host::skill
