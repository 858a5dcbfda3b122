#include "skill/link_check.h"

#include <boost/url/pct_string_view.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cerrno>

#include "skill/folder.h"
#include "skill/links.h"
#include "skill/skill.h"

namespace host::skill {
namespace {

namespace fs = std::filesystem;
using config::Diagnostic;

bool has_scheme(std::string_view target) {
  const std::size_t colon = target.find(':');
  if (colon == 0 || colon == std::string_view::npos) return false;
  return std::all_of(
      target.begin(), target.begin() + static_cast<std::ptrdiff_t>(colon), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '.' || c == '-';
      });
}

// As a path: without query and fragment, decoded.
std::string path_in(std::string_view target) {
  const std::string_view path = target.substr(0, target.find_first_of("?#"));
  const auto encoded = boost::urls::make_pct_string_view(path);
  return encoded ? encoded->decode() : std::string(path);
}

std::string_view line_of(std::string_view text, std::uint32_t line) {
  for (std::uint32_t i = 1; i < line; ++i) text.remove_prefix(text.find('\n') + 1);
  return text.substr(0, text.find('\n'));
}

class Check {
 public:
  explicit Check(const fs::path& folder)
      : folder_(folder), fd_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}

  std::vector<Diagnostic> run() {
    if (!fd_) return {};  // the repository says so
    for (const FileEntry& entry : list_files(fd_.get()).files) {
      if (entry.path.ends_with(".md")) look_at(entry.path);
    }
    return std::move(out_);
  }

 private:
  void look_at(const std::string& file) {
    const auto bytes = read_beneath(fd_.get(), file, kMaxFileBytes);
    if (!bytes) return;
    const std::string text = with_plain_line_ends(*bytes);
    const std::string_view body = file == kSkillFile ? body_of(text) : std::string_view(text);
    const auto above = static_cast<std::uint32_t>(
        std::count(text.begin(), text.end() - static_cast<std::ptrdiff_t>(body.size()), '\n'));
    for (Link& link : links_of(body)) {
      link.line += above;
      judge(file, text, link);
    }
  }

  void judge(const std::string& file, std::string_view text, const Link& link) {
    const std::string_view target = link.target;
    if (target.empty() || target.starts_with('#') || target.starts_with("//") || has_scheme(target))
      return;
    const std::string path = path_in(target);
    if (path.empty()) return;
    const auto tell = [&](const char* code, std::string message, std::string help) {
      out_.push_back({(folder_ / file).string(), link.line, link.column, config::Severity::Error,
                      code, "the link \"" + link.target.substr(0, 200) + "\" " + std::move(message),
                      std::move(help), std::string(line_of(text, link.line).substr(0, 400))});
    };
    std::string from_root = (fs::path(file).parent_path() / path).lexically_normal().string();
    if (from_root.ends_with('/')) from_root.pop_back();
    if (path.starts_with('/') || from_root == ".." || from_root.starts_with("../")) {
      return tell("S015", "leads out of the skill's folder",
                  "copy the file into the folder, or link to a web address");
    }
    if (from_root.empty() || from_root == ".") return;
    if (const std::string why = why_not_there(from_root); !why.empty())
      tell("S014", "leads to nothing that is served: " + from_root + " " + why,
           "correct the path, which is relative to this file, or add the file");
  }

  std::string why_not_there(const std::string& path) const {
    if (const auto fit = check_relative(path); !fit) return "is not valid: " + fit.error().message;
    const UniqueFd fd = open_beneath(fd_.get(), path, 0);
    if (!fd) {
      if (errno == ENOENT || errno == ENOTDIR) return "does not exist";
      return errno == ELOOP ? "is, or is below, a symbolic link" : "cannot be opened";
    }
    struct stat about {};
    struct stat root {};
    if (::fstat(fd.get(), &about) != 0 || ::fstat(fd_.get(), &root) != 0) return "cannot be read";
    if (S_ISDIR(about.st_mode)) return {};
    if (!S_ISREG(about.st_mode)) return "is not a regular file";
    return is_linked_in(about, root) ? "is a hard link to a file of another user" : "";
  }

  const fs::path folder_;
  const UniqueFd fd_;
  std::vector<Diagnostic> out_;
};

}  // namespace

std::vector<Diagnostic> check_links(const fs::path& skill_folder) {
  return Check(skill_folder).run();
}

}  // namespace host::skill
