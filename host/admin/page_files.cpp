#include "admin/page_files.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace host::admin {
namespace {

constexpr std::string_view kFolder = "/page/";

// "app.css": a name of one of ours, and no way to anything else.
std::string_view name_of(std::string_view path) {
  if (path == "/") return "index.html";
  return path.starts_with(kFolder) ? path.substr(kFolder.size()) : std::string_view();
}

}  // namespace

std::optional<std::string> PageFiles::find(std::string_view path) const {
  const std::string_view name = name_of(path);
  const auto files = page_files();
  if (!folder_.empty()) {
    const bool plain = !name.empty() && name.find('/') == std::string_view::npos && name[0] != '.';
    std::ifstream in;
    if (plain) in.open(folder_ / name, std::ios::binary);
    if (!in.is_open()) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
  const auto found = std::find_if(files.begin(), files.end(),
                                  [name](const PageFile& file) { return file.name == name; });
  if (found == files.end()) return std::nullopt;
  return std::string(found->text);
}

std::string_view content_type_of(std::string_view path) {
  if (path.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (path.ends_with(".css")) return "text/css; charset=utf-8";
  if (path.ends_with(".svg")) return "image/svg+xml";
  return "text/html; charset=utf-8";
}

}  // namespace host::admin
