#include "sandbox/landlock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/unique_fd.h"
#include "sandbox/programs.h"

namespace host::sandbox {
namespace {

// include/uapi/linux/landlock.h
constexpr long kCreateRuleset = 444;
constexpr long kAddRule = 445;
constexpr long kRestrictSelf = 446;
constexpr std::uint32_t kCreateRulesetVersion = 1;
constexpr int kRulePathBeneath = 1;

constexpr std::uint64_t kExecute = 1u << 0;
constexpr std::uint64_t kWriteFile = 1u << 1;
constexpr std::uint64_t kReadFile = 1u << 2;
constexpr std::uint64_t kReadDir = 1u << 3;
constexpr std::uint64_t kRemoveDir = 1u << 4;
constexpr std::uint64_t kRemoveFile = 1u << 5;
constexpr std::uint64_t kMakeDir = 1u << 7;
constexpr std::uint64_t kMakeReg = 1u << 8;
constexpr std::uint64_t kMakeSym = 1u << 12;
constexpr std::uint64_t kFirstFs = (1u << 13) - 1;  // all of ABI 1
constexpr std::uint64_t kRefer = 1u << 13;          // ABI 2
constexpr std::uint64_t kTruncate = 1u << 14;       // ABI 3
constexpr std::uint64_t kIoctlDev = 1u << 15;       // ABI 5

constexpr std::uint64_t kAllTcp = 3;     // ABI 4: bind, connect
constexpr std::uint64_t kAllScopes = 3;  // ABI 6: abstract UNIX sockets, signals

constexpr std::uint64_t kRead = kReadFile | kReadDir;
// No devices, sockets or pipes: none of them is data.
constexpr std::uint64_t kWrite = kRead | kWriteFile | kTruncate | kMakeReg | kMakeDir | kMakeSym |
                                 kRemoveFile | kRemoveDir | kRefer;
constexpr std::uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate | kIoctlDev;

struct RulesetAttributes {
  std::uint64_t fs = 0;
  std::uint64_t net = 0;     // ABI 4
  std::uint64_t scoped = 0;  // ABI 6

  std::size_t size(std::uint32_t abi) const {
    return abi < 4 ? sizeof fs : abi < kAbiThatHoldsSignals ? 2 * sizeof fs : sizeof *this;
  }
};

struct [[gnu::packed]] PathBeneath {
  std::uint64_t allowed = 0;
  std::int32_t parent = -1;
};

std::uint64_t fs_rights(std::uint32_t abi) {
  return kFirstFs | (abi >= 2 ? kRefer : 0) | (abi >= kAbiThatHoldsWrites ? kTruncate : 0) |
         (abi >= 5 ? kIoctlDev : 0);
}

// What a process needs of the machine to load a library and to tell time and language.
constexpr const char* kReadable[] = {"/usr/lib",
                                     "/usr/lib32",
                                     "/usr/lib64",
                                     "/usr/local/lib",
                                     "/lib",
                                     "/lib64",
                                     "/etc/ld.so.cache",
                                     "/usr/share/zoneinfo",
                                     "/usr/share/locale",
                                     "/etc/localtime",
                                     "/etc/timezone",
                                     "/dev/zero",
                                     "/dev/random",
                                     "/dev/urandom",
                                     "/sys/devices/system/cpu"};
// Names of hosts and whom to believe.
constexpr const char* kReadableWithSockets[] = {
    "/etc/resolv.conf",   "/etc/hosts",    "/etc/host.conf",
    "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/services",
    "/etc/protocols",     "/etc/ssl",      "/usr/share/ca-certificates"};
// Of which runtimes read the settings of OpenSSL also when they connect to nobody.
constexpr const char* kReadableByServers[] = {"/etc/ssl/openssl.cnf", "/etc/ssl/certs",
                                              "/etc/pki/tls/openssl.cnf", "/etc/pki/tls/certs",
                                              "/etc/crypto-policies"};
constexpr const char* kOfTheSystem[] = {"/usr", "/bin", "/sbin", "/lib", "/lib64"};

class Ruleset {
 public:
  Ruleset(std::uint32_t abi, bool sockets) : fs_(fs_rights(abi)) {
    RulesetAttributes attributes;
    attributes.fs = fs_;
    if (abi >= 4 && !sockets) attributes.net = kAllTcp;
    if (abi >= kAbiThatHoldsSignals) attributes.scoped = kAllScopes;
    fd_.reset(static_cast<int>(::syscall(kCreateRuleset, &attributes, attributes.size(abi), 0)));
  }

  bool made() const { return fd_.get() >= 0; }

  // False, and errno: there is no such path, or it may not be opened.
  bool allow(const char* path, std::uint64_t rights) const {
    const UniqueFd at(::open(path, O_PATH | O_CLOEXEC));
    return at && allow(at.get(), rights);
  }
  bool allow(int at, std::uint64_t rights) const {
    struct stat info {};
    if (::fstat(at, &info) != 0) return false;
    if (!S_ISDIR(info.st_mode)) rights &= kOfFiles;
    PathBeneath rule;
    rule.allowed = rights & fs_;
    rule.parent = at;
    return ::syscall(kAddRule, fd_.get(), kRulePathBeneath, &rule, 0) == 0;
  }
  template <class Paths>
  void allow_all(const Paths& paths, std::uint64_t rights) const {
    for (const char* path : paths) allow(path, rights);
  }

  bool restrict_self() const { return ::syscall(kRestrictSelf, fd_.get(), 0) == 0; }

 private:
  std::uint64_t fs_;
  UniqueFd fd_;
};

// The rule holds for the directory as it is in the kernel's cache, and an entry of /proc is made
// anew once it fell out of it: the descriptor keeps it there. A server inherits it.
void allow_proc_self(const Ruleset& rules, const Profile& profile) {
  UniqueFd self(::open("/proc/self", O_PATH | (profile.server ? 0 : O_CLOEXEC)));
  if (self && rules.allow(self.get(), kRead)) static_cast<void>(self.release());
}

// Of named programs the files alone, and all that lies around them to be read.
void allow_programs(const Ruleset& rules, const Profile& profile) {
  rules.allow_all(kOfTheSystem, profile.programs.empty() ? kRead | kExecute : kRead);
  for (const std::string& file : program_files(profile.programs))
    rules.allow(file.c_str(), kReadFile | kExecute);
}

// It replaces itself by another one at most, which is in the same sandbox: so all may be executed.
void allow_server(const Ruleset& rules, const Profile& profile) {
  rules.allow_all(kReadableByServers, kRead);
  rules.allow_all(kOfTheSystem, kRead | kExecute);
  for (const std::string& file : files_of_command(profile.command))
    rules.allow(file.c_str(), kReadFile | kExecute);
}

// A server executes nothing that it can write.
std::uint64_t rights_of(const FsGrant& grant, const Profile& profile) {
  if (grant.write) return kWrite;
  return profile.server ? kRead | kExecute : kRead;
}

void allow_granted(const Ruleset& rules, const Profile& profile, std::vector<std::string>& absent) {
  for (const FsGrant& grant : profile.fs) {
    if (rules.allow(grant.path.c_str(), rights_of(grant, profile))) continue;
    absent.push_back(grant.path + ": " + std::strerror(errno));
  }
}

}  // namespace

std::uint32_t landlock_abi(std::uint32_t most) {
  const long abi = ::syscall(kCreateRuleset, nullptr, 0, kCreateRulesetVersion);
  return abi <= 0 ? 0 : std::min(static_cast<std::uint32_t>(abi), most);
}

Layer enter_landlock(const Profile& profile, std::vector<std::string>& absent) {
  const std::uint32_t abi = landlock_abi(profile.landlock_abi);
  if (abi == 0) return {LayerName::Landlock, false, "this kernel has none, or has it switched off"};
  const Ruleset rules(abi, profile.sockets);
  if (!rules.made()) return {LayerName::Landlock, false, std::strerror(errno)};
  rules.allow_all(kReadable, kRead);
  // It has no ioctl of its own, and must answer so: `cat -n` takes another refusal for a fault.
  rules.allow("/dev/null", kReadFile | kWriteFile | kIoctlDev);
  if (profile.sockets) rules.allow_all(kReadableWithSockets, kRead);
  if (profile.server) {
    allow_server(rules, profile);
  } else if (profile.exec) {
    allow_programs(rules, profile);
  }
  if (const char* zones = std::getenv("TZDIR")) rules.allow(zones, kRead);
  allow_proc_self(rules, profile);
  if (!profile.library.empty() && !rules.allow(profile.library.c_str(), kReadFile))
    absent.push_back(profile.library + ": " + std::strerror(errno));
  allow_granted(rules, profile, absent);
  if (!rules.restrict_self()) return {LayerName::Landlock, false, std::strerror(errno)};
  return {LayerName::Landlock, true, "ABI " + std::to_string(abi)};
}

}  // namespace host::sandbox
