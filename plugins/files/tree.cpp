#include "tree.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include <dirent.h>
#include <fcntl.h>

namespace {

constexpr std::size_t kMaxEntries = 200'000;

constexpr const char* kBuiltIn[] = {".gitconfig",
                                    ".gitmodules",
                                    ".bashrc",
                                    ".bash_profile",
                                    ".bash_login",
                                    ".bash_logout",
                                    ".profile",
                                    ".zshrc",
                                    ".zprofile",
                                    ".zshenv",
                                    ".zlogin",
                                    ".envrc",
                                    ".git",
                                    ".vscode",
                                    ".idea",
                                    ".netrc",
                                    ".npmrc",
                                    ".pypirc",
                                    ".pgpass",
                                    ".my.cnf",
                                    ".git-credentials",
                                    ".vault-token",
                                    ".env",
                                    ".env.local",
                                    ".env.development",
                                    ".env.development.local",
                                    ".env.test",
                                    ".env.test.local",
                                    ".env.staging",
                                    ".env.staging.local",
                                    ".env.production",
                                    ".env.production.local",
                                    "id_rsa",
                                    "id_dsa",
                                    "id_ecdsa",
                                    "id_ecdsa_sk",
                                    "id_ed25519",
                                    "id_ed25519_sk",
                                    "id_xmss",
                                    ".dockercfg",
                                    ".htpasswd",
                                    ".vault_pass",
                                    "kubeconfig",
                                    ".terraformrc",
                                    "terraform.tfstate",
                                    "terraform.tfstate.backup",
                                    ".ssh",
                                    ".aws",
                                    ".kube",
                                    ".gnupg",
                                    ".azure",
                                    ".docker",
                                    ".password-store",
                                    ".config/gcloud",
                                    ".config/gh",
                                    ".cargo/credentials",
                                    ".cargo/credentials.toml",
                                    ".gem/credentials",
                                    ".composer/auth.json",
                                    "/etc/shadow",
                                    "/etc/gshadow",
                                    "/etc/sudoers",
                                    "/etc/sudoers.d"};

// Secrets by the form of their name, as the host knows them.
constexpr std::string_view kSecretEnds[] = {".pem",      ".key",  ".p8",  ".p12",    ".pfx",
                                            ".jks",      ".ppk",  ".kdb", ".keytab", ".kdbx",
                                            ".keystore", ".ovpn", ".bks", ".agekey"};
constexpr std::string_view kKeyBegins[] = {"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"};

// `name` in lower case.
bool has_secret_form(std::string_view name) {
  const auto ends = [&](std::string_view end) { return name.ends_with(end); };
  const auto begins = [&](std::string_view begin) {
    if (name.size() <= begin.size() || !name.starts_with(begin)) return false;
    const char next = name[begin.size()];
    return next == '_' || next == '-' || next == '.';
  };
  if (std::any_of(std::begin(kSecretEnds), std::end(kSecretEnds), ends)) return true;
  return !name.ends_with(".pub") &&
         std::any_of(std::begin(kKeyBegins), std::end(kKeyBegins), begins);
}

std::string lower(std::string name) {
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

struct Names {
  std::vector<std::string> names;
  bool whole = false;
};

Names names_in(int folder) {
  Names found;
  Fd own(::fcntl(folder, F_DUPFD_CLOEXEC, 0));
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(own ? ::fdopendir(own.get()) : nullptr,
                                                    ::closedir);
  if (!entries) return found;
  own.release();
  errno = 0;
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") found.names.push_back(name);
    if (found.names.size() > kMaxEntries) break;
    errno = 0;
  }
  found.whole = errno == 0;
  std::sort(found.names.begin(), found.names.end());
  return found;
}

class Walk {
 public:
  Walk(std::string start, const Skipped& skipped, const std::function<bool(const Found&)>& visit)
      : start_(std::move(start)), skipped_(skipped), visit_(visit) {}

  void enter(const Fd& folder, const std::string& path, int depth) {
    const Names entries = names_in(folder.get());
    bool whole = entries.whole;
    for (const std::string& name : entries.names) {
      Found found{path + name, name, folder.get(), {}, skipped_.has(start_ + path + name)};
      if (::fstatat(folder.get(), name.c_str(), &found.about, AT_SYMLINK_NOFOLLOW) != 0) {
        whole = whole && errno == ENOENT;
        continue;
      }
      if (found.skipped) ++walked.skipped;
      if (++seen_ > kMaxEntries || !visit_(found)) walked.stopped = true;
      if (walked.stopped) return;
      if (!S_ISDIR(found.about.st_mode) || found.skipped || depth <= 1) continue;
      const Fd below(
          ::openat(folder.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (below) {
        enter(below, found.path + "/", depth - 1);
      } else {
        ++walked.unreadable;
      }
      if (walked.stopped) return;
    }
    if (!whole) ++walked.unreadable;
  }

  Walked walked;

 private:
  const std::string start_;
  const Skipped& skipped_;
  const std::function<bool(const Found&)>& visit_;
  std::size_t seen_ = 0;
};

}  // namespace

Skipped::Skipped(const std::vector<std::string>& more) {
  std::vector<std::string> entries(std::begin(kBuiltIn), std::end(kBuiltIn));
  entries.insert(entries.end(), more.begin(), more.end());
  for (const std::string& entry : entries) {
    const bool is_end = entry.find('/') != entry.npos;
    const std::string slash = is_end && !entry.starts_with('/') ? "/" : "";
    (is_end ? ends_ : names_).push_back(lower(slash + entry));
  }
  std::sort(names_.begin(), names_.end());
}

bool Skipped::has(const std::string& path) const {
  const std::string whole = lower(path);
  const std::string name = whole.substr(whole.rfind('/') + 1);
  return std::binary_search(names_.begin(), names_.end(), name) || has_secret_form(name) ||
         std::any_of(ends_.begin(), ends_.end(),
                     [&](const std::string& end) { return whole.ends_with(end); });
}

Walked walk_tree(const Fd& folder, const std::string& path, int depth, const Skipped& skipped,
                 const std::function<bool(const Found&)>& visit) {
  Walk walk(path == "/" ? path : path + "/", skipped, visit);
  walk.enter(folder, "", depth);
  return walk.walked;
}
