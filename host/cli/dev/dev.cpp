// `toolpost dev DIR`: a host for one project, which is built and served again at every save.
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "app/serve.h"
#include "cli/dev/loop.h"
#include "cli/exit_code.h"
#include "cli/tool_arguments.h"
#include "cli/verbs.h"

namespace host::cli {
namespace {

namespace fs = std::filesystem;

// A folder of this process alone, gone with it.
class ServedFolder {
 public:
  ServedFolder() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "toolpost-dev-XXXXXX").string();
    if (!error && ::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~ServedFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  ServedFolder(const ServedFolder&) = delete;
  ServedFolder& operator=(const ServedFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

Result<std::optional<dev::LastCall>> call_of(const CommandLine& line) {
  if (line.call.empty()) return std::optional<dev::LastCall>();
  const std::vector<std::string> words(line.call.begin() + 1, line.call.end());
  HOST_TRY_ASSIGN(const json::Document arguments, tool_arguments(words));
  return std::optional(dev::LastCall{line.call[0], json::write(arguments.root()), std::nullopt});
}

}  // namespace

int dev_verb(const CommandLine& line, config::Config config) {
  auto project = dev::Project::open(line.path, line.command);
  const auto call = call_of(line);
  if (!project || !call) {
    const Error& error = project ? call.error() : project.error();
    std::cerr << "toolpost: " << error.message << '\n';
    return error.kind == ErrorKind::NotFound ? kExitNotFound : kExitUsage;
  }
  const ServedFolder served;
  if (served.path().empty()) {
    std::cerr << "toolpost: cannot make a temporary folder to serve from\n";
    return kExitFailure;
  }
  config.plugins.dirs = {served.path()};
  config.plugins.debounce = std::chrono::milliseconds(20);
  if (!line.config) {
    // The one who writes the code is the one who would be asked.
    config.permission.mode = config::PermissionMode::Bypass;
  }
  std::shared_ptr<dev::Loop> loop;
  const int exit_code = app::serve_http(std::move(config), [&](app::Core& core,
                                                               const std::string& address) {
    std::cout << "serving " << project->folder().string() << " on "
              << (app::is_unix(address) ? address + ", MCP at /mcp" : "http://" + address + "/mcp")
              << "; Ctrl-C ends it" << std::endl;
    loop = std::make_shared<dev::Loop>(core, std::move(*project), served.path(), *call);
    loop->start();
    return [&loop] { loop->stop(); };
  });
  return exit_code;
}

}  // namespace host::cli
