// Serves the files of the console, which are built into this program, or read from a folder during
// development.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace host::admin {

struct PageFile {
  std::string_view name;  // "app.css", "view/login.js"
  std::string_view text;
};
std::span<const PageFile> page_files();

struct ServedFile {
  std::string text;
  bool lasts = false;  // true: the content at this path never changes
};

class PageFiles {
 public:
  // If `folder` is empty, the host serves the built-in files of the console.
  explicit PageFiles(std::filesystem::path folder);

  // Finds a file by its URL path: "/", "/page/app.css", or "/page/EDITION/app.css" for built-in
  // files. EDITION is a digest of all files, so that a browser loads changed files again. Returns
  // nullopt if no file has this path.
  std::optional<ServedFile> find(std::string_view path) const;

 private:
  std::string with_edition(std::string_view index) const;

  const std::filesystem::path folder_;
  const std::string edition_;  // digest of all files; empty: the files may change
};

// Returns the content type of a file by its URL path.
std::string_view content_type_of(std::string_view path);

}  // namespace host::admin
