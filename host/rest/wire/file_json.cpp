#include "rest/wire/file_json.h"

#include "json/object_text.h"

namespace host::rest {

std::string as_json(const store::FileRecord& file, const std::string& download_url) {
  std::string out = "{";
  json::add_text(out, "file_id", file.id);
  json::add_text(out, "filename", file.name);
  json::add_text(out, "content_type", file.content_type);
  json::add_member(out, "bytes", std::to_string(file.bytes));
  json::add_text(out, "sha256", to_hex(file.digest));
  json::add_text(out, "created", to_rfc3339(file.created));
  json::add_text(out, "expires", to_rfc3339(file.expires));
  if (!download_url.empty()) json::add_text(out, "download_url", download_url);
  return out + "}";
}

}  // namespace host::rest
