#include "sandbox/identity.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/unique_fd.h"

namespace host::sandbox {
namespace {

Error failed(const std::string& what) {
  return Error{ErrorKind::Io, what + ": " + std::strerror(errno)};
}

bool write_file(const char* path, const std::string& text) {
  const UniqueFd fd(::open(path, O_WRONLY | O_CLOEXEC));
  return fd && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// So that in its namespace it is who it was, and its files belong to who they did.
bool map_self(uid_t uid, gid_t gid) {
  const std::string user = std::to_string(uid);
  const std::string group = std::to_string(gid);
  return write_file("/proc/self/uid_map", user + " " + user + " 1") &&
         write_file("/proc/self/setgroups", "deny") &&
         write_file("/proc/self/gid_map", group + " " + group + " 1");
}

}  // namespace

Result<void> become(std::uint32_t uid) {
  int end_of_parent = 0;
  ::prctl(PR_GET_PDEATHSIG, &end_of_parent, 0, 0, 0);
  if (::setgroups(0, nullptr) != 0) return failed("cannot leave its groups");
  if (::setresgid(uid, uid, uid) != 0) return failed("cannot change its group");
  if (::setresuid(uid, uid, uid) != 0) return failed("cannot change its user");
  // The kernel forgets it with the user.
  ::prctl(PR_SET_PDEATHSIG, end_of_parent, 0, 0, 0);
  // Else its own /proc/self would be root's.
  ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  return {};
}

Layer enter_namespaces(Network network) {
  const uid_t uid = ::geteuid();
  const gid_t gid = ::getegid();
  const int inner = CLONE_NEWIPC | (network == Network::None ? CLONE_NEWNET : 0);
  const std::string names = network == Network::None ? "ipc, net" : "ipc";
  if (::unshare(CLONE_NEWUSER | inner) == 0) {
    const bool mapped = map_self(uid, gid);
    return {LayerName::Namespaces, true, "user, " + names + (mapped ? "" : "; user not mapped")};
  }
  const std::string why = std::strerror(errno);
  if (::unshare(inner) == 0) return {LayerName::Namespaces, true, names};  // as root
  return {LayerName::Namespaces, false, why};
}

Layer set_no_new_privs() {
  const bool set = ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
  return {LayerName::NoNewPrivs, set, set ? "" : std::strerror(errno)};
}

Layer drop_capabilities() {
  bool bounded = true;
  for (int capability = 0; ::prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability)
    bounded = ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0 && bounded;
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3]{};
  if (::syscall(SYS_capset, &header, none) != 0)
    return {LayerName::Capabilities, false, std::strerror(errno)};
  return {LayerName::Capabilities, true,
          bounded ? "none left" : "none left; who has none cannot empty the bounding set"};
}

}  // namespace host::sandbox
