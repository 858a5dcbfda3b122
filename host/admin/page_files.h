// The page's files: held in this program, or read anew from a folder by who works on them.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace host::admin {

struct PageFile {
  std::string_view name;  // "app.css"
  std::string_view text;
};
std::span<const PageFile> page_files();

struct ServedFile {
  std::string text;
  bool lasts = false;  // nothing else will ever be served by this path
};

class PageFiles {
 public:
  // `folder` empty: those in this program.
  explicit PageFiles(std::filesystem::path folder);

  // By its path in a URL: "/", "/page/app.css", and, of this program's, "/page/EDITION/app.css",
  // where "/" says the edition: a browser asks for each of them once. Nothing: there is none.
  std::optional<ServedFile> find(std::string_view path) const;

 private:
  std::string with_edition(std::string_view index) const;

  const std::filesystem::path folder_;
  const std::string edition_;  // a digest of all files; empty: they may change
};

// Of a path as above.
std::string_view content_type_of(std::string_view path);

}  // namespace host::admin
