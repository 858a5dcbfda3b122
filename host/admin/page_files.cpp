#include "admin/page_files.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <system_error>
#include <utility>

#include "base/digest.h"
#include "base/text/file_text.h"

namespace host::admin {
namespace {

constexpr std::string_view kFolder = "/page/";
constexpr std::string_view kIndex = "index.html";

std::string digest_of_all() {
  std::string all;
  for (const PageFile& file : page_files()) all.append(file.name).append(1, '\0').append(file.text);
  return to_hex(sha256(all)).substr(0, 16);
}

// "app.css" or "view/login.js" of the URL path.
std::string_view name_of(std::string_view path) {
  if (path == "/") return kIndex;
  return path.starts_with(kFolder) ? path.substr(kFolder.size()) : std::string_view();
}

// True if no part of the name is empty or begins with a dot. Then the name cannot lead out of the
// folder.
bool stays_in_folder(std::string_view name) {
  for (;;) {
    if (name.empty() || name[0] == '.' || name[0] == '/') return false;
    const std::size_t slash = name.find('/');
    if (slash == std::string_view::npos) return true;
    name.remove_prefix(slash + 1);
  }
}

}  // namespace

PageFiles::PageFiles(std::filesystem::path folder)
    : folder_(std::move(folder)), edition_(folder_.empty() ? digest_of_all() : std::string()) {}

std::optional<ServedFile> PageFiles::find(std::string_view path) const {
  std::string_view name = name_of(path);
  if (!folder_.empty()) {
    std::optional<std::string> text;
    std::error_code fault;
    if (stays_in_folder(name) && std::filesystem::is_regular_file(folder_ / name, fault)) {
      text = file_text(folder_ / name);
    }
    if (!text) return std::nullopt;
    return ServedFile{std::move(*text)};
  }
  const bool lasts = name.starts_with(edition_ + "/");
  if (lasts) name.remove_prefix(edition_.size() + 1);
  const auto files = page_files();
  const auto found = std::find_if(files.begin(), files.end(),
                                  [name](const PageFile& file) { return file.name == name; });
  if (found == files.end()) return std::nullopt;
  if (name == kIndex) return ServedFile{with_edition(found->text), false};
  return ServedFile{std::string(found->text), lasts};
}

std::string PageFiles::with_edition(std::string_view index) const {
  std::string out(index);
  const std::string place = "=\"" + std::string(kFolder);
  for (std::size_t at = 0; (at = out.find(place, at)) != std::string::npos;) {
    at += place.size();
    out.insert(at, edition_ + "/");
  }
  return out;
}

std::string_view content_type_of(std::string_view path) {
  if (path.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (path.ends_with(".css")) return "text/css; charset=utf-8";
  if (path.ends_with(".svg")) return "image/svg+xml";
  return "text/html; charset=utf-8";
}

}  // namespace host::admin
