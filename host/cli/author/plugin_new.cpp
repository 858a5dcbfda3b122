#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <string_view>

#include "app/version.h"
#include "cli/author/installed_sdk.h"
#include "cli/author/templates.h"
#include "cli/command/verbs.h"
#include "cli/output/exit_code.h"
#include "cli/output/shell_word.h"
#include "config/key/form.h"
#include "tool/definition/class.h"

namespace host::cli {
namespace {

constexpr std::size_t kLongestName = 40;  // with a tool's own name behind it, below 64

// A file's stem, a CMake target and a crate at once.
bool is_plugin_name(const std::string& name) {
  const auto legal = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= kLongestName && name[0] >= 'a' && name[0] <= 'z' &&
         std::all_of(name.begin(), name.end(), legal);
}

// As functions in C and the beginning of tools' names have it.
std::string identifier_of(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// A prefix would give each of its tools a meaning that nobody asked for.
bool has_prefix_of_a_class(const std::string& name) {
  return tool::classify(identifier_of(name) + "_greet") != tool::Class::Standard;
}

// CMake makes these targets itself, or the SDK does.
bool is_target_of_the_build(const std::string& name) {
  constexpr std::string_view kTargets[] = {
      "all",           "clean",   "edit_cache",     "help",
      "install",       "package", "package_source", "preinstall",
      "rebuild_cache", "test",    "toolpost_sdk"};
  return std::find(std::begin(kTargets), std::end(kTargets), name) != std::end(kTargets);
}

std::string title_of(const std::string& name) {
  std::string title = name;
  title[0] = static_cast<char>(title[0] - 'a' + 'A');
  std::replace_if(
      title.begin(), title.end(), [](char c) { return c == '_' || c == '-'; }, ' ');
  return title;
}

std::string minor_version() {
  const std::string version = app::kVersion;
  return version.substr(0, version.rfind('.'));
}

}  // namespace

int plugin_new(const CommandLine& line) {
  if (!is_plugin_name(line.name) || has_prefix_of_a_class(line.name) ||
      config::plugin_name_form(line.name) != nullptr || is_target_of_the_build(line.name)) {
    std::cerr
        << "toolpost: \"" << line.name
        << "\" is not a valid plugin name: expected a to z first, then a to z, 0 to 9, _ and -, "
        << kLongestName
        << " characters at most, none of the prefixes pre_, post_, priv_ and mcp_, and none of "
           "the names builtin, host and toolpost, or of the build's own targets such as test\n";
    return kExitUsage;
  }
  const auto prefix = sdk_prefix();
  const std::string argument = prefix ? " -DCMAKE_PREFIX_PATH=" + prefix->string() : "";
  const std::filesystem::path folder = (line.into / line.name).lexically_normal();
  const auto made = make_from_template(line.language, folder,
                                       {{"NAME", line.name},
                                        {"IDENTIFIER", identifier_of(line.name)},
                                        {"ID", "org.example." + line.name},
                                        {"TITLE", title_of(line.name)},
                                        {"SDK_VERSION", minor_version()},
                                        {"PREFIX_ARGUMENT", argument}});
  if (!made) {
    std::cerr << "toolpost: " << made.error().message << '\n';
    return kExitFailure;
  }
  for (const auto& path : *made) std::cout << path.string() << '\n';
  std::cout << "\nNext: toolpost dev " << shell_word(folder.string())
            << "\nor, by hand, what its README.md says.\n";
  return kExitOk;
}

}  // namespace host::cli
