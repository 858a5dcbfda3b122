#include "cli/author/templates.h"

#include <cerrno>
#include <cstring>
#include <fstream>

namespace host::cli {
namespace fs = std::filesystem;
namespace {

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

std::string filled(std::string_view text, const std::map<std::string, std::string>& values) {
  std::string out(text);
  for (const auto& [key, value] : values) replace_all(out, "@" + key + "@", value);
  return out;
}

// cpp/NAME.cpp.in -> adder.cpp; gitignore.in -> .gitignore, so that it is none here.
fs::path target_of(std::string_view name, std::size_t prefix, const std::string& own_name) {
  constexpr std::string_view kSuffix = ".in";
  std::string out(name.substr(prefix, name.size() - prefix - kSuffix.size()));
  replace_all(out, "NAME", own_name);
  return out == "gitignore" ? fs::path(".gitignore") : fs::path(out);
}

}  // namespace

Result<std::vector<fs::path>> make_from_template(std::string_view which, const fs::path& into,
                                                 const std::map<std::string, std::string>& values) {
  std::error_code error;
  fs::create_directories(into.parent_path().empty() ? "." : into.parent_path(), error);
  if (!error && !fs::create_directory(into, error) && !error) {
    return Error{ErrorKind::InvalidArgument,
                 into.string() + " is there already: choose another name or folder"};
  }
  if (error) return Error{ErrorKind::Io, "cannot make " + into.string() + ": " + error.message()};
  std::vector<fs::path> made;
  const std::string prefix = std::string(which) + "/";
  for (const TemplateFile& file : template_files()) {
    if (!file.name.starts_with(prefix)) continue;
    const fs::path path = into / target_of(file.name, prefix.size(), values.at("NAME"));
    fs::create_directories(path.parent_path(), error);
    std::ofstream out(path, std::ios::binary);
    out << filled(file.text, values);
    if (!out.flush()) {
      const Error why{ErrorKind::Io, "cannot write " + path.string() + ": " + std::strerror(errno)};
      fs::remove_all(into, error);  // so that the same command can be run again
      return why;
    }
    made.push_back(path);
  }
  return made;
}

}  // namespace host::cli
