#include "app/core/state_check.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/process/private_folder.h"
#include "config/user_folders.h"
#include "store/audit/file.h"

namespace host::app {
namespace {

// The configuration says what every plugin may do. It may be a link, root's, or a group's that
// maintains it, but not everybody's.
Result<void> check_configuration(const std::filesystem::path& file) {
  struct stat about {};
  if (file.empty() || ::stat(file.c_str(), &about) != 0) return {};
  if (about.st_uid != ::geteuid() && about.st_uid != 0) {
    return Error{ErrorKind::Denied,
                 "the configuration " + file.string() + " belongs to user " +
                     std::to_string(about.st_uid) + ", and toolpost runs as user " +
                     std::to_string(::geteuid()) +
                     ": run toolpost as that user, or make the file this user's or root's"};
  }
  if ((about.st_mode & S_IWOTH) == 0) return {};
  return Error{ErrorKind::Denied, "other users may write to the configuration " + file.string() +
                                      ": check what is in it, then run `chmod o-w " +
                                      file.string() + "`"};
}

// Operators put the audit below shared folders, and collectors read it.
Result<void> check_audit(const std::filesystem::path& file) {
  if (file.empty()) return {};
  HOST_TRY(check_private_place(file, Others::MayRead, Above::Trusted));
  return check_private_place(store::audit_mark_file(file), Others::MayRead, Above::Trusted);
}

Result<void> check_store(const std::filesystem::path& file) {
  if (file.empty()) return {};
  // Those beside the database as well: SQLite takes their content for its own.
  for (const char* const suffix : {"", "-wal", "-shm", "-journal"})
    HOST_TRY(check_private_place(file.string() + suffix, Others::None));
  return {};
}

}  // namespace

Result<void> StateCheck::all() const {
  if (!configuration) return configuration;
  return store ? audit : store;
}

StateCheck check_state(const config::Config& config) {
  return {check_configuration(config.file), check_store(config.store.file),
          check_audit(config.audit.file)};
}

std::vector<std::string> doubts_about_folders(const config::Config& config,
                                              const char* const* environment) {
  std::vector<std::string> doubts;
  for (const std::string& variable : config::ignored_variables(environment)) {
    doubts.push_back("the environment variable " + variable +
                     " is not an absolute path, so it is ignored: write it from /");
  }
  const config::UserFolders folders = config::user_folders(environment);
  const auto elsewhere = config::database_elsewhere(folders);
  if (elsewhere && config.store.file.parent_path() == folders.state) {
    doubts.push_back("an earlier host left its database " + elsewhere->string() +
                     ", and this host uses " + folders.state.string() +
                     " (XDG_STATE_HOME), without its keys: stop the host and move the folder "
                     "there, or unset XDG_STATE_HOME");
  }
  const auto is_there = [](const std::filesystem::path& folder) {
    std::error_code error;
    return std::filesystem::is_directory(folder, error);
  };
  const auto doubt_all = [&](const std::vector<std::filesystem::path>& dirs, const char* what) {
    if (std::any_of(dirs.begin(), dirs.end(), is_there)) return;
    std::string all;
    for (const auto& folder : dirs) all += (all.empty() ? "" : ", ") + folder.string();
    doubts.push_back(std::string("no folder of ") + what + ".dirs exists, so there are no " + what +
                     ": " + (all.empty() ? "the list is empty" : all));
  };
  doubt_all(config.plugins.dirs, "plugins");
  if (!config.skills.dirs.empty()) doubt_all(config.skills.dirs, "skills");
  return doubts;
}

}  // namespace host::app
