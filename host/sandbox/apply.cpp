#include "sandbox/apply.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "sandbox/filter.h"
#include "sandbox/identity.h"
#include "sandbox/landlock.h"
#include "sandbox/limits.h"
#include "sandbox/process_limit.h"

namespace host::sandbox {
namespace {

Error missing(const Layer& layer) {
  return Error{ErrorKind::Denied, "the sandbox lacks \"" + std::string(to_string(layer.name)) +
                                      "\", which sandbox.require names: " + layer.detail};
}

// To make one without a network costs more than all other layers together, and the filter leaves no
// way to a socket: so only where there is no filter.
Network network_for(const Profile& profile) {
  const bool filtered = !profile.without.has(LayerName::Seccomp) && can_filter(profile);
  return profile.sockets || filtered ? Network::Shared : Network::None;
}

// A server that starts no processes does well without it: its threads share one limit of memory.
void add_process_limit(const Profile& profile, Layer& limits) {
  if (profile.processes == 0 || !limits.active) return;
  const Result<void> limited = limit_processes(profile.processes);
  const std::string words = limited ? std::to_string(profile.processes) + " processes"
                                    : "processes not limited: " + limited.error().message;
  limits.active = limited.has_value() || !profile.exec;
  limits.detail = limits.active ? limits.detail + ", " + words : words;
}

}  // namespace

Result<Applied> apply(const Profile& profile) {
  if (!profile.server) ::umask(077);
  if (!profile.work_dir.empty() && ::chdir(profile.work_dir.c_str()) != 0) {
    return Error{ErrorKind::Io, "cannot enter " + profile.work_dir + ": " + std::strerror(errno)};
  }
  Applied applied;
  const auto put_on = [&](LayerName name, auto layer) {
    applied.layers.push_back(profile.without.has(name) ? Layer{name, false, "left out"} : layer());
  };
  put_on(LayerName::Limits, [&] { return apply_limits(profile); });
  if (profile.uid != 0 && profile.uid != ::geteuid()) {
    const Result<void> changed = become(profile.uid);
    if (!changed)
      return changed.error().within("cannot run as user " + std::to_string(profile.uid));
  }
  put_on(LayerName::Namespaces, [&] { return enter_namespaces(network_for(profile)); });
  put_on(LayerName::NoNewPrivs, [] { return set_no_new_privs(); });
  put_on(LayerName::Capabilities, [] { return drop_capabilities(); });
  add_process_limit(profile, applied.layers.front());
  put_on(LayerName::Landlock, [&] { return enter_landlock(profile, applied.absent); });
  put_on(LayerName::Seccomp, [&] { return enter_filter(profile); });
  for (const Layer& layer : applied.layers) {
    if (!layer.active && profile.required.has(layer.name)) return missing(layer);
  }
  return applied;
}

}  // namespace host::sandbox
