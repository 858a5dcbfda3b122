#include "cli/dev/project.h"

#include <algorithm>
#include <functional>
#include <map>

#include "base/text/file_text.h"
#include "cli/author/installed_sdk.h"
#include "cli/dev/child_process.h"
#include "permission/shell/words.h"
#include "plugin/file/elf_check.h"
#include "plugin/file/elf_lint.h"

namespace host::cli::dev {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t kLargestLibrary = 512u << 20u;

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

// One program and its arguments, quoted as for a shell; nothing that would need one.
Result<std::vector<std::string>> words_of(const std::string& command) {
  const auto script = permission::shell::scan(command, {"/", "/"});
  if (!script.trouble.empty() || script.segments.size() != 1 ||
      !script.segments[0].redirects.empty() || !script.segments[0].variables.empty()) {
    return Error{ErrorKind::InvalidArgument,
                 "--build-command takes one program and its arguments: put more into a script"};
  }
  std::vector<std::string> words;
  for (const auto& word : script.segments[0].words) words.push_back(word.text);
  return words;
}

bool is_of_a_build(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name.starts_with('.') || name == "build" || name == "target" || name == "CMakeFiles" ||
         is_there(folder / "CMakeCache.txt");
}

// What editors leave and what builds make beside their sources.
bool is_no_source(const fs::path& name) {
  const std::string text = name.string();
  const std::string extension = name.extension().string();
  return text.starts_with('.') || text.ends_with('~') || text == "Cargo.lock" ||
         extension == ".so" || extension == ".o" || extension == ".a" || extension == ".d" ||
         extension == ".swp" || extension == ".tmp";
}

bool has_entry(const fs::path& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (error || size == 0 || size > kLargestLibrary) return false;
  const auto library = file_text(path);
  return library && plugin::is_plugin(*library);
}

}  // namespace

Result<Project> Project::open(const fs::path& path, const std::optional<std::string>& command) {
  const fs::path folder = fs::absolute(path).lexically_normal();
  std::error_code error;
  if (!fs::is_directory(folder, error))
    return Error{ErrorKind::NotFound, "there is no folder " + folder.string()};
  if (command) {
    HOST_TRY_ASSIGN(std::vector<std::string> words, words_of(*command));
    return Project(folder, Kind::Command, std::move(words));
  }
  if (is_there(folder / "CMakeLists.txt"))
    return Project(folder, Kind::CMake, {"cmake", "--build", "build"});
  if (is_there(folder / "Cargo.toml"))
    return Project(folder, Kind::Cargo, {"cargo", "build", "--release", "--offline"});
  return Error{ErrorKind::NotFound, folder.string() +
                                        " has neither CMakeLists.txt nor Cargo.toml: tell how it "
                                        "is built by --build-command"};
}

std::string Project::how() const {
  std::string out;
  for (const std::string& word : command_) out += (out.empty() ? "" : " ") + word;
  return out;
}

boost::asio::awaitable<Result<Built>> Project::build(boost::asio::any_io_executor io,
                                                     std::shared_ptr<Cancel> cancel) const {
  Built built;
  if (kind_ == Kind::CMake && !is_there(folder_ / "build/CMakeCache.txt")) {
    std::vector<std::string> configure = {"cmake", "-S", ".", "-B", "build"};
    if (const auto prefix = sdk_prefix())
      configure.push_back("-DCMAKE_PREFIX_PATH=" + prefix->string());
    auto configured = co_await run_child(io, std::move(configure), folder_, cancel);
    if (!configured) co_return configured.error();
    built.output = configured->output;
    built.took = configured->took;
    if (configured->exit_code != 0) co_return built;
  }
  auto ran = co_await run_child(io, command_, folder_, std::move(cancel));
  if (!ran) co_return ran.error();
  built.output += ran->output;
  built.took += ran->took;
  built.ok = ran->exit_code == 0;
  co_return built;
}

std::vector<fs::path> Project::source_folders() const {
  std::vector<fs::path> folders = {folder_};
  std::error_code error;
  fs::recursive_directory_iterator at(folder_, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    std::error_code ignored;
    if (!at->is_directory(ignored) || at->is_symlink(ignored)) continue;
    if (is_of_a_build(at->path())) {
      at.disable_recursion_pending();
    } else {
      folders.push_back(at->path());
    }
  }
  return folders;
}

std::uint64_t Project::mark_of_sources() const {
  std::uint64_t mark = 0;
  for (const fs::path& folder : source_folders()) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      std::error_code ignored;
      if (!entry.is_regular_file(ignored) || is_no_source(entry.path().filename())) continue;
      const auto written = entry.last_write_time(ignored).time_since_epoch().count();
      const std::string text = entry.path().string() + ' ' + std::to_string(written) + ' ' +
                               std::to_string(entry.file_size(ignored));
      mark += std::hash<std::string>()(text);  // a sum, for folders have no order
    }
  }
  return mark;
}

std::vector<fs::path> Project::plugins() const {
  std::map<std::string, fs::path> found;
  std::error_code error;
  fs::recursive_directory_iterator at(folder_, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    const fs::path& path = at->path();
    const std::string folder = path.filename().string();
    std::error_code ignored;
    if (at->is_directory(ignored) &&
        (folder == ".git" || folder == "CMakeFiles" || folder == "deps")) {
      at.disable_recursion_pending();
      continue;
    }
    if (path.extension() != ".so" || !at->is_regular_file(ignored) || !has_entry(path)) continue;
    fs::path& known = found[name_of(path)];
    if (known.empty() || fs::last_write_time(known, ignored) < fs::last_write_time(path, ignored)) {
      known = path;
    }
  }
  std::vector<fs::path> paths;
  for (const auto& [name, path] : found) paths.push_back(path);
  return paths;
}

std::string Project::name_of(const fs::path& library) {
  const std::string stem = library.stem().string();
  return stem.starts_with("lib") && stem.size() > 3 ? stem.substr(3) : stem;
}

}  // namespace host::cli::dev
