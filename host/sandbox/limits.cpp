#include "sandbox/limits.h"

#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sandbox/sanitized.h"

namespace host::sandbox {
namespace {

class Limits {
 public:
  // Never above what this process was given itself.
  void set(__rlimit_resource_t resource, const char* name, rlim_t soft, rlim_t hard) {
    rlimit now{};
    ::getrlimit(resource, &now);
    const rlimit wanted{std::min(soft, now.rlim_max), std::min(hard, now.rlim_max)};
    if (::setrlimit(resource, &wanted) == 0) return;
    if (!failed_.empty()) failed_ += ", ";
    failed_ += std::string(name) + ": " + std::strerror(errno);
  }
  void set(__rlimit_resource_t resource, const char* name, rlim_t most) {
    set(resource, name, most, most);
  }
  void say(const std::string& words) { said_ += (said_.empty() ? "" : ", ") + words; }

  Layer layer() const {
    return {LayerName::Limits, failed_.empty(), failed_.empty() ? said_ : failed_};
  }

 private:
  std::string said_;
  std::string failed_;
};

std::string mebibytes(std::uint64_t bytes) {
  return std::to_string(bytes >> 20u) + " MiB";
}

}  // namespace

Layer apply_limits(const Profile& profile) {
  Limits limits;
  limits.set(RLIMIT_CORE, "core", 0);
  limits.set(RLIMIT_NOFILE, "files", profile.open_files);
  limits.set(RLIMIT_MEMLOCK, "locked memory", 0);
  if (profile.memory_bytes == 0) {
    limits.say("memory unlimited");
  } else if (kSanitizer != nullptr) {
    // Its shadow is private and writable, and larger than any limit.
    limits.say(std::string("memory unlimited in a build with ") + kSanitizer);
  } else {
    // Not RLIMIT_AS: it counts address space that runtimes reserve and never use.
    limits.set(RLIMIT_DATA, "memory", profile.memory_bytes);
    limits.say("memory " + mebibytes(profile.memory_bytes));
  }
  if (profile.file_bytes > 0) {
    ::signal(SIGXFSZ, SIG_IGN);  // then such a write fails with EFBIG, and only it
    limits.set(RLIMIT_FSIZE, "file size", profile.file_bytes);
    limits.say("a file " + mebibytes(profile.file_bytes));
  }
  if (profile.cpu_seconds > 0) {
    // SIGXCPU says why it died; SIGKILL is for who does not heed it.
    limits.set(RLIMIT_CPU, "processor time", profile.cpu_seconds, profile.cpu_seconds + 1);
    limits.say("processor " + std::to_string(profile.cpu_seconds) + " s");
  }
  limits.say(std::to_string(profile.open_files) + " descriptors");
  return limits.layer();
}

}  // namespace host::sandbox
