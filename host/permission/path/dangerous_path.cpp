#include "permission/path/dangerous_path.h"

#include <algorithm>
#include <utility>

#include "base/text/letters.h"
#include "permission/path/glob.h"

namespace host::permission {
namespace {

constexpr std::string_view kBuiltIn[] = {
    // Files that shells, editors and tools run or obey by themselves.
    ".gitconfig", ".gitmodules", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout",
    ".profile", ".zshrc", ".zprofile", ".zshenv", ".zlogin", ".envrc", ".git", ".vscode", ".idea",
    // Secrets by name.
    ".netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", ".git-credentials", ".vault-token", ".env",
    ".env.local", ".env.development", ".env.development.local", ".env.test", ".env.test.local",
    ".env.staging", ".env.staging.local", ".env.production", ".env.production.local", "id_rsa",
    "id_dsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk", "id_xmss", ".dockercfg",
    ".htpasswd", ".vault_pass", "kubeconfig", ".terraformrc", "terraform.tfstate",
    "terraform.tfstate.backup",
    // Secrets by folder.
    ".ssh", ".aws", ".kube", ".gnupg", ".azure", ".docker", ".password-store", ".config/gcloud",
    ".config/gh", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials",
    ".composer/auth.json",
    // Files of the system.
    "/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/sudoers.d"};

// Secrets by the form of their name: private keys, and stores of keys and passwords.
constexpr std::string_view kSecretEnds[] = {".pem",      ".key",  ".p8",  ".p12",    ".pfx",
                                            ".jks",      ".ppk",  ".kdb", ".keytab", ".kdbx",
                                            ".keystore", ".ovpn", ".bks", ".agekey"};
// Names of ssh-keygen's keys, with users' additions: id_rsa_work, id_ed25519.old. Not *.pub.
constexpr std::string_view kKeyBegins[] = {"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"};

// The secret form that a lower-case name has; empty: none.
std::string secret_form(std::string_view name) {
  for (const std::string_view end : kSecretEnds) {
    if (name.ends_with(end)) return "*" + std::string(end);
  }
  if (name.ends_with(".pub")) return {};
  for (const std::string_view begin : kKeyBegins) {
    const bool more = name.size() > begin.size() && name.starts_with(begin);
    const char next = more ? name[begin.size()] : '\0';
    if (next == '_' || next == '-' || next == '.') return std::string(begin) + next + "*";
  }
  return {};
}

bool has_slash(std::string_view entry) {
  return entry.find('/') != std::string_view::npos;
}

std::string_view without_end_slash(std::string_view entry) {
  while (entry.size() > 1 && entry.ends_with('/')) entry.remove_suffix(1);
  return entry;
}

bool same_run(std::span<const std::string_view> a, std::span<const std::string_view> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_letters);
}

bool is_anchored(std::string_view entry) {
  return entry.starts_with('/') || entry.starts_with('~');
}

bool lies_at(std::span<const std::string_view> parts, std::string_view folder) {
  const std::vector<std::string_view> wanted = path_parts(folder);
  return !wanted.empty() && wanted.size() <= parts.size() &&
         same_run(parts.first(wanted.size()), wanted);
}

// True if the normal path with these parts matches `entry`, which has a slash. Links may be in the
// path that the entry names, so its real path counts too.
bool meets_place(std::span<const std::string_view> parts, std::string_view entry,
                 const Place& place, RealPathMemory& real_paths) {
  if (is_anchored(entry)) {
    const std::string absolute = absolute_path(entry, place);
    return lies_at(parts, absolute) || lies_at(parts, real_paths.real(absolute));
  }
  const std::vector<std::string_view> wanted = path_parts(entry);
  if (wanted.empty() || wanted.size() > parts.size()) return false;
  for (std::size_t at = 0; at + wanted.size() <= parts.size(); ++at) {
    if (same_run(parts.subspan(at, wanted.size()), wanted)) return true;
  }
  return false;
}

// A bare `*` could be anything, so only its folder decides.
bool tells_something(std::string_view pattern) {
  return pattern.find_first_not_of("*?") != std::string_view::npos;
}

}  // namespace

std::vector<std::string> places(const std::vector<std::string>& entries, const Place& place) {
  std::vector<std::string> out;
  for (const std::string& entry : entries) {
    const std::string_view plain = without_end_slash(entry);
    if (plain.empty()) continue;
    out.push_back(is_anchored(plain) ? absolute_path(plain, place) : std::string(plain));
    if (!is_anchored(plain)) continue;
    std::string real = real_path(out.back());
    if (real != out.back()) out.push_back(std::move(real));
  }
  return out;
}

DangerousPaths::DangerousPaths(const std::vector<std::string>& extra) {
  const auto add = [this](std::string_view entry) {
    entry = without_end_slash(entry);
    if (entry.empty()) return;
    if (has_slash(entry)) {
      places_.emplace_back(entry);
    } else {
      names_.insert(lower(entry));
    }
  };
  for (const std::string_view entry : kBuiltIn) add(entry);
  for (const std::string& entry : extra) add(entry);
}

std::optional<std::string> DangerousPaths::find(std::string_view path, const Place& place,
                                                std::span<const std::string> extra) const {
  if (path.empty()) return std::nullopt;
  if (path.find('\0') != std::string_view::npos) return "a NUL byte";
  const std::string absolute = absolute_path(path, place);
  const std::string normal = normal_path(absolute);
  if (auto entry = find_normal(normal, place, extra)) return entry;
  const std::string real = real_path(absolute);
  if (real != normal) {
    if (auto entry = find_normal(real, place, extra)) return entry;
  }
  if (absolute == normal) return std::nullopt;
  // The program that opens the path may normalise it first, or leave that to the kernel.
  const std::string real_of_normal = real_path(normal);
  if (real_of_normal == normal || real_of_normal == real) return std::nullopt;
  return find_normal(real_of_normal, place, extra);
}

std::optional<std::string> DangerousPaths::find_normal(std::string_view normal, const Place& place,
                                                       std::span<const std::string> extra) const {
  const std::vector<std::string_view> parts = path_parts(normal);
  std::string name;
  for (const std::string_view part : parts) {
    name.assign(part);
    for (char& c : name) c = lower(c);
    if (names_.contains(name)) return name;
    if (std::string form = secret_form(name); !form.empty()) return form;
  }
  for (const std::string& entry : places_) {
    if (meets_place(parts, entry, place, *real_paths_)) return entry;
  }
  for (const std::string& entry : extra) {
    if (meets_place(parts, without_end_slash(entry), place, *real_paths_)) return entry;
  }
  return std::nullopt;
}

std::optional<std::string> DangerousPaths::find_expansion(
    std::string_view pattern, const Place& place, std::span<const std::string> extra) const {
  for (const std::string_view part : path_parts(pattern)) {
    if (!has_wildcard(part) || !tells_something(part)) continue;
    const std::string wanted = lower(part);
    if (std::string form = secret_form(wanted); !form.empty()) return form;
    for (const std::string& name : names_) {
      if (glob_match(wanted, name, LeadingDot::Explicit)) return name;
    }
    for (const std::string& entry : extra) {
      if (glob_match(wanted, lower(entry), LeadingDot::Explicit)) return entry;
    }
  }
  const std::string whole = lower(normal_path(absolute_path(pattern, place)));
  for (const std::string& entry : places_) {
    if (!is_anchored(entry)) continue;
    const std::string absolute = absolute_path(entry, place);
    if (glob_match(whole, lower(absolute)) || glob_match(whole, lower(real_paths_->real(absolute))))
      return entry;
  }
  return find(pattern, place, extra);
}

}  // namespace host::permission
