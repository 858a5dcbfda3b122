#include "upstream/manager/confinement.h"

#include <algorithm>
#include <string_view>

#include "sandbox/required_layers.h"

namespace host::upstream {
namespace {

constexpr unsigned kMebibyte = 20;       // as a shift
constexpr std::size_t kNamedGrants = 4;  // in a sentence

using config::UpstreamSandbox;

// Errors as the C library, shells, Python and Node write them, and what the sandbox has to do with
// each. Null: the cause depends on the grants.
struct Symptom {
  std::vector<std::string_view> words;
  std::string (*cause)(const UpstreamSandbox&);
};

std::string cause_of_eacces(const UpstreamSandbox& sandbox) {
  const std::string user =
      sandbox.uid > 0 ? ", or a file that user " + std::to_string(sandbox.uid) + " may not use"
                      : std::string();
  return "a path that is missing in `fs`" + user;
}

// The keys that would allow more: `sockets` and `exec`, unless they are set.
std::string cause_of_eperm(const UpstreamSandbox& sandbox) {
  if (!sandbox.sockets && !sandbox.exec) return "a missing `sockets` or `exec`";
  if (!sandbox.sockets) return "a missing `sockets`";
  if (!sandbox.exec) return "a missing `exec`";
  return "a system call that no key allows";
}

std::string cause_of_fork(const UpstreamSandbox& sandbox) {
  return sandbox.exec ? "`processes`" : "a missing `exec`";
}

const std::vector<Symptom>& symptoms() {
  static const std::vector<Symptom> all = {
      {{"Permission denied", "EACCES"}, cause_of_eacces},
      {{"Operation not permitted", "EPERM"}, cause_of_eperm},
      {{"Cannot fork", "Resource temporarily unavailable", "EAGAIN"}, cause_of_fork},
      {{"Cannot allocate memory", "ENOMEM", "MemoryError", "bad_alloc", "out of memory"},
       [](const UpstreamSandbox&) { return std::string("`memory_mib`"); }},
      {{"Too many open files", "EMFILE"},
       [](const UpstreamSandbox&) { return std::string("`open_files`"); }},
      {{"File too large", "EFBIG", "SIGXFSZ"},
       [](const UpstreamSandbox&) { return std::string("`file_mib`"); }},
      {{"SIGXCPU"}, [](const UpstreamSandbox&) { return std::string("`cpu_s`"); }},
  };
  return all;
}

// The first of the words that is in a line; empty: none is.
std::string_view found_in(const std::vector<std::string>& lines,
                          const std::vector<std::string_view>& words) {
  for (const std::string_view word : words) {
    for (const std::string& line : lines) {
      if (line.find(word) != std::string::npos) return word;
    }
  }
  return {};
}

std::string granted_in(const UpstreamSandbox& sandbox) {
  std::string out;
  for (std::size_t i = 0; i < sandbox.fs.size() && i < kNamedGrants; ++i) {
    const sandbox::FsGrant& grant = sandbox.fs[i];
    out += (out.empty() ? "" : ", ") + std::string(grant.write ? "rw:" : "ro:") + grant.path;
  }
  if (sandbox.fs.size() > kNamedGrants)
    out += " and " + std::to_string(sandbox.fs.size() - kNamedGrants) + " more paths";
  if (out.empty()) out = "no paths in `fs`";
  out += sandbox.sockets ? ", with `sockets`" : ", without `sockets`";
  return out + (sandbox.exec ? ", with `exec`" : ", without `exec`");
}

}  // namespace

std::string sandbox_hint(const UpstreamSandbox& sandbox, const std::vector<std::string>& said) {
  std::string out = "it ran in a sandbox with " + granted_in(sandbox);
  for (const Symptom& one : symptoms()) {
    const std::string_view word = found_in(said, one.words);
    if (!word.empty())
      out += "; the cause of \"" + std::string(word) + "\" can be " + one.cause(sandbox);
  }
  return out;
}

bool names_sandbox_error(const std::vector<std::string>& said) {
  return std::any_of(symptoms().begin(), symptoms().end(),
                     [&](const Symptom& one) { return !found_in(said, one.words).empty(); });
}

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
