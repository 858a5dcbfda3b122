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

class PageFiles {
 public:
  // `folder` empty: those in this program.
  explicit PageFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // By its path in a URL: "/" and "/page/app.css". Nothing: there is none.
  std::optional<std::string> find(std::string_view path) const;

 private:
  const std::filesystem::path folder_;
};

// Of a path as above.
std::string_view content_type_of(std::string_view path);

}  // namespace host::admin
