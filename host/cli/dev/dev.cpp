// `toolpost dev DIR`: a host for one project, which is built and served again at every save.
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "app/serve/serve.h"
#include "cli/command/tool_arguments.h"
#include "cli/command/verbs.h"
#include "cli/dev/loop.h"
#include "cli/output/exit_code.h"

namespace host::cli {
namespace {

namespace fs = std::filesystem;

// A folder of this process alone, gone with it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "toolpost-dev-XXXXXX").string();
    if (!error && ::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Not with the host that the user runs: what is tried out here is no part of its record. What the
// configuration keeps nowhere is kept nowhere here too.
void keep_state_in(const fs::path& folder, config::Config& config) {
  if (!config.store.file.empty()) config.store.file = folder / "toolpost.db";
  if (!config.audit.file.empty()) config.audit.file = folder / "audit.jsonl";
  if (!config.plugins.manifest_cache.empty()) config.plugins.manifest_cache = folder / "manifests";
}

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
  const TemporaryFolder temporary;
  const fs::path served = temporary.path() / "plugins";
  std::error_code error;
  if (temporary.path().empty() || !fs::create_directory(served, error)) {
    std::cerr << "toolpost: cannot make a temporary folder to serve from\n";
    return kExitFailure;
  }
  keep_state_in(line.state_dir ? fs::absolute(*line.state_dir) : temporary.path() / "state",
                config);
  config.plugins.dirs = {served};
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
    loop = std::make_shared<dev::Loop>(core, std::move(*project), served, *call);
    loop->start();
    return [&loop] { loop->stop(); };
  });
  return exit_code;
}

}  // namespace host::cli
