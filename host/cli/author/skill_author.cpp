// `toolpost skill new` and `toolpost skill check`.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <tuple>
#include <utility>

#include "cli/author/templates.h"
#include "cli/command/verbs.h"
#include "cli/output/complaint.h"
#include "cli/output/exit_code.h"
#include "json/json.h"
#include "skill/folder_repository.h"
#include "skill/link_check.h"

namespace host::cli {
namespace {

namespace fs = std::filesystem;

// The folder that holds the skill, or the skills.
struct Found {
  skill::Listing listing;
  std::string only;            // the one skill's folder; empty: all of them
  std::vector<fs::path> each;  // the folder of each skill, valid or not
};

bool is_skill(const fs::path& folder) {
  std::error_code error;
  return fs::exists(fs::symlink_status(folder / skill::kSkillFile, error));
}

// Where links are checked: no folder that the repository leaves out.
std::vector<fs::path> skills_below(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const bool is_folder = fs::is_directory(entry.symlink_status(error));
    if (is_folder && !entry.path().filename().native().starts_with('.') && is_skill(entry.path()))
      found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

Found look(const fs::path& path) {
  const fs::path folder = fs::absolute(path).lexically_normal();
  const fs::path named = folder.has_filename() ? folder : folder.parent_path();
  if (!is_skill(folder)) return {skill::FolderRepository(named).list(), {}, skills_below(named)};
  return {skill::FolderRepository(named.parent_path()).list(), named.filename().string(), {named}};
}

bool concerns(const config::Diagnostic& diagnostic, const std::string& only) {
  if (only.empty()) return true;
  return fs::path(diagnostic.file).parent_path().filename() == only ||
         fs::path(diagnostic.file).filename() == only;
}

void print_json(const std::vector<config::Diagnostic>& diagnostics, std::size_t skills, bool ok) {
  std::string out = std::string("{\"ok\":") + (ok ? "true" : "false") +
                    ",\"skills\":" + std::to_string(skills) + ",\"findings\":[";
  for (const config::Diagnostic& diagnostic : diagnostics) {
    if (out.back() != '[') out += ',';
    out += "{\"severity\":";
    out += diagnostic.severity == config::Severity::Error ? "\"error\"" : "\"warning\"";
    out += ",\"line\":" + std::to_string(diagnostic.line) +
           ",\"column\":" + std::to_string(diagnostic.column);
    for (const auto& [key, value] :
         {std::pair{"file", &diagnostic.file}, std::pair{"code", &diagnostic.code},
          std::pair{"message", &diagnostic.message}, std::pair{"help", &diagnostic.help}}) {
      out += std::string(",\"") + key + "\":";
      json::write_string(*value, out);
    }
    out += '}';
  }
  std::cout << out << "]}\n";
}

}  // namespace

int skill_check(const CommandLine& line) {
  std::error_code error;
  if (!fs::is_directory(line.path, error)) {
    return complain({ErrorKind::NotFound, "there is no folder " + line.path.string()});
  }
  const Found found = look(line.path);
  std::vector<config::Diagnostic> diagnostics;
  for (const config::Diagnostic& diagnostic : found.listing.diagnostics) {
    if (concerns(diagnostic, found.only)) diagnostics.push_back(diagnostic);
  }
  for (const fs::path& folder : found.each) {
    for (config::Diagnostic& one : skill::check_links(folder))
      diagnostics.push_back(std::move(one));
  }
  std::stable_sort(diagnostics.begin(), diagnostics.end(), [](const auto& a, const auto& b) {
    return std::tie(a.file, a.line, a.column) < std::tie(b.file, b.line, b.column);
  });
  const auto skills = static_cast<std::size_t>(std::count_if(
      found.listing.skills.begin(), found.listing.skills.end(),
      [&](const auto& skill) { return found.only.empty() || skill->folder == found.only; }));
  const bool faulty = std::any_of(diagnostics.begin(), diagnostics.end(), [&](const auto& one) {
    return line.strict || one.severity == config::Severity::Error;
  });
  const bool nothing = skills == 0 && diagnostics.empty();
  if (line.json) {
    print_json(diagnostics, skills, !faulty && !nothing);
  } else {
    for (const config::Diagnostic& diagnostic : diagnostics)
      std::cout << diagnostic.describe() << '\n';
    std::cout << (faulty    ? "refused: "
                  : nothing ? "there is no SKILL.md here: "
                            : "ok: ")
              << skills << (skills == 1 ? " skill read, " : " skills read, ") << diagnostics.size()
              << (diagnostics.size() == 1 ? " finding\n" : " findings\n");
  }
  if (nothing) return kExitNotFound;
  return faulty ? kExitConfig : kExitOk;
}

int skill_new(const CommandLine& line) {
  if (!skill::is_regular_name(line.name)) {
    std::cerr << "toolpost: \"" << line.name
              << "\" is no name for a skill: words of a to z and 0 to 9, parted by single hyphens, "
                 "64 characters at most\n";
    return kExitUsage;
  }
  std::string title = line.name;
  std::replace(title.begin(), title.end(), '-', ' ');
  if (title[0] >= 'a') title[0] = static_cast<char>(title[0] - 'a' + 'A');
  const auto made = make_from_template("skill", (line.into / line.name).lexically_normal(),
                                       {{"NAME", line.name}, {"TITLE", title}});
  if (!made) {
    std::cerr << "toolpost: " << made.error().message << '\n';
    return kExitFailure;
  }
  for (const fs::path& path : *made) std::cout << path.string() << '\n';
  return kExitOk;
}

}  // namespace host::cli
