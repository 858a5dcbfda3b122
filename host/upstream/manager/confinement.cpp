#include "upstream/manager/confinement.h"

#include "sandbox/required_layers.h"

namespace host::upstream {
namespace {

constexpr unsigned kMebibyte = 20;  // as a shift

}  // namespace

std::optional<sandbox::Profile> profile_of(const config::Upstream& upstream,
                                           const config::Sandbox& sandbox) {
  if (!upstream.sandbox) return std::nullopt;
  const config::UpstreamSandbox& from = *upstream.sandbox;
  sandbox::Profile profile;
  profile.server = true;
  profile.fs = from.fs;
  profile.sockets = from.sockets;
  profile.exec = from.exec;
  profile.memory_bytes = std::uint64_t{from.memory_mib} << kMebibyte;
  profile.file_bytes = std::uint64_t{from.file_mib} << kMebibyte;
  profile.cpu_seconds = from.cpu_s;
  profile.open_files = from.open_files;
  profile.processes = from.processes;
  profile.uid = from.uid;
  profile.required = sandbox::required_layers(sandbox.require);
  return profile;
}

std::vector<std::string> in_words(const config::UpstreamSandbox& sandbox) {
  std::vector<std::string> words;
  for (const sandbox::FsGrant& grant : sandbox.fs)
    words.push_back((grant.write ? "rw:" : "ro:") + grant.path);
  if (sandbox.sockets) words.emplace_back("sockets");
  if (sandbox.exec) words.emplace_back("exec");
  const auto add = [&words](const char* key, std::uint32_t value) {
    if (value > 0) words.push_back(std::string(key) + " " + std::to_string(value));
  };
  add("memory_mib", sandbox.memory_mib);
  add("file_mib", sandbox.file_mib);
  add("cpu_s", sandbox.cpu_s);
  add("open_files", sandbox.open_files);
  add("processes", sandbox.processes);
  add("uid", sandbox.uid);
  return words;
}

}  // namespace host::upstream
