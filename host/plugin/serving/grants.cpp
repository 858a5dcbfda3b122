#include "plugin/serving/grants.h"

#include "base/log.h"
#include "base/process/private_folder.h"
#include "sandbox/required_layers.h"

namespace host::plugin {
namespace {

constexpr unsigned kMebibyte = 20;  // as a shift

namespace fs = std::filesystem;

bool is_below(const fs::path& path, const fs::path& folder) {
  return path.native().starts_with(folder.native() + "/");
}

void add_limit(std::vector<std::string>& words, const char* key, std::uint64_t value) {
  if (value > 0) words.push_back(std::string(key) + " " + std::to_string(value));
}

}  // namespace

sandbox::Profile profile_of(const config::Plugin& settings, const config::Sandbox& sandbox) {
  sandbox::Profile profile;
  profile.fs = settings.fs;
  profile.sockets = settings.sockets;
  profile.exec = settings.exec;
  profile.memory_bytes = std::uint64_t{settings.memory_mib} << kMebibyte;
  profile.file_bytes = std::uint64_t{settings.file_mib} << kMebibyte;
  profile.cpu_seconds = settings.cpu_s;
  profile.uid = settings.uid;
  profile.required = sandbox::required_layers(sandbox.require);
  return profile;
}

void ensure_own_folders(const config::Plugin& settings, const fs::path& own) {
  if (own.empty()) return;
  for (const sandbox::FsGrant& grant : settings.fs) {
    const fs::path path = fs::path(grant.path).lexically_normal();
    std::error_code error;
    if (!grant.write || !is_below(path, own) || fs::exists(path, error)) continue;
    if (const auto made = open_private_folder(path, Make::Yes); !made) {
      log::warning("plugin", "a folder of its fs cannot be created",
                   {{"path", grant.path}, {"error", made.error().message}});
    }
  }
}

sandbox::Profile reading_only(sandbox::Profile profile) {
  for (sandbox::FsGrant& grant : profile.fs) grant.write = false;
  profile.exec = false;
  return profile;
}

sandbox::Profile held_to_reading(sandbox::Profile profile, std::vector<std::string> programs) {
  const bool runs = profile.exec && !programs.empty();
  profile = reading_only(std::move(profile));
  if (!runs) return profile;
  profile.exec = true;
  profile.sockets = false;
  profile.programs = std::move(programs);
  profile.programs.emplace_back("sh");
  return profile;
}

sandbox::Profile for_trial(sandbox::Profile profile, config::Isolation isolation,
                           std::chrono::milliseconds timeout) {
  profile = reading_only(std::move(profile));
  profile.sockets = false;
  profile.cpu_seconds =
      static_cast<std::uint64_t>(std::chrono::ceil<std::chrono::seconds>(timeout).count());
  if (isolation == config::Isolation::Worker) return profile;
  profile.fs = {{"/", false}};
  profile.uid = 0;
  profile.required = {};
  return profile;
}

std::vector<std::string> in_words(const sandbox::Profile& profile,
                                  const std::vector<std::string>& env) {
  std::vector<std::string> words;
  for (const sandbox::FsGrant& grant : profile.fs)
    words.push_back((grant.write ? "rw:" : "ro:") + grant.path);
  if (profile.sockets) words.emplace_back("sockets");
  if (profile.exec) words.emplace_back("exec");
  for (const std::string& name : env) words.push_back("env " + name);
  add_limit(words, "memory_mib", profile.memory_bytes >> kMebibyte);
  add_limit(words, "file_mib", profile.file_bytes >> kMebibyte);
  add_limit(words, "cpu_s", profile.cpu_seconds);
  add_limit(words, "uid", profile.uid);
  return words;
}

}  // namespace host::plugin
