#include "config/reader/side_file.h"

#include <utility>

#include "config/document/document.h"
#include "config/reader/reader.h"
#include "config/user_folders.h"

namespace host::config {
namespace {

// "/p/hello.toml:3:1: error[C014]: unknown key "tols" in hello.toml; did you mean "tool"?"
std::string in_one_line(const Diagnostic& one) {
  return one.help.empty() ? one.headline() : one.headline() + "; " + one.help;
}

Error first_of(const std::vector<Diagnostic>& faults) {
  std::string message = in_one_line(faults.front());
  if (faults.size() > 1)
    message += " (and " + std::to_string(faults.size() - 1) + " more in this file)";
  return Error{ErrorKind::PluginFault, std::move(message)};
}

// `path` + the keys of the table, down to the keys of one tool.
void note_places(const Node& table, const std::string& path, int depth, const Report& report,
                 std::map<std::string, Diagnostic, std::less<>>& places) {
  for (const Member& member : table.table) {
    const std::string here = path + member.key;
    Diagnostic& place = places.emplace(here, report.place(member.at)).first->second;
    place.source.clear();  // the file has it
    const bool of_tools = here == "tool" || path.starts_with("tool.");
    if (of_tools && depth > 1) note_places(member.value, here + ".", depth - 1, report, places);
  }
}

}  // namespace

std::vector<std::string> SideFile::keys() const {
  constexpr std::size_t kTool = std::string_view("tool.").size();
  std::vector<std::string> keys = plugin_keys();
  for (const auto& [key, place] : places) {
    if (key.starts_with("tool.") && key.find('.', kTool) != key.npos) keys.push_back(key);
  }
  return keys;
}

std::vector<std::string> SideFile::plugin_keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, place] : places) {
    if (key != "tool" && !key.starts_with("tool.")) keys.push_back(key);
  }
  return keys;
}

Error SideFile::fault(std::string_view key, std::string code, std::string message,
                      std::string help) const {
  const auto at = places.find(key);
  Diagnostic one = at == places.end() ? Diagnostic() : at->second;
  one.file = file.string();
  one.code = std::move(code);
  one.message = std::move(message);
  one.help = std::move(help);
  return Error{ErrorKind::PluginFault, in_one_line(one)};
}

Result<std::shared_ptr<const SideFile>> parse_side_file(std::string text,
                                                        const std::filesystem::path& file,
                                                        const char* const* environment) {
  auto side = std::make_shared<SideFile>();
  side->file = file;
  side->text = std::move(text);
  std::vector<Diagnostic> faults;
  Report report(file.string(), side->text, faults);
  const auto root = parse_document(side->text, report);
  if (!root) return first_of(faults);
  Reader(report, {file.parent_path(), user_folders(environment)})
      .read_side_file(*root, side->plugin);
  if (side->plugin.tools.size() > SideFile::kMostTools) {
    report.error(root->find("tool")->at, "C012",
                 "the file has sections for " + std::to_string(side->plugin.tools.size()) +
                     " tools, more than the " + std::to_string(SideFile::kMostTools) + " allowed");
  }
  sort_by_place(faults);
  if (!faults.empty()) return first_of(faults);
  note_places(*root, "", 3, report, side->places);
  return std::shared_ptr<const SideFile>(std::move(side));
}

}  // namespace host::config
