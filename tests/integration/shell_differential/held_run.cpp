#include "held_run.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "become_shell.h"
#include "permission/shell/read_only.h"
#include "plugin/serving/grants.h"
#include "sandbox/apply.h"
#include "sandbox/compile_filter.h"

namespace {

using host::sandbox::Profile;

[[noreturn]] void become_held(const std::string& command, const std::string& folder,
                              const std::vector<std::string>& environment, int output,
                              const Profile* profile) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(::open("/dev/null", O_RDONLY), 0);
  ::dup2(output, 1);
  ::dup2(output, 2);
  ::close_range(3, ~0u, 0);
  if (profile != nullptr && !host::sandbox::apply(*profile)) give_up("the sandbox");
  if (::chdir(folder.c_str()) != 0) give_up("chdir");
  become_shell(command, environment);
}

Ran run(const std::string& command, const std::string& folder,
        const std::vector<std::string>& environment, const Profile* profile) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) give_up("pipe");
  const pid_t pid = ::fork();
  if (pid < 0) give_up("fork");
  if (pid == 0) become_held(command, folder, environment, ends[1], profile);
  ::close(ends[1]);
  Ran ran;
  char buffer[4096];
  for (ssize_t count = 0;
       (count = ::read(ends[0], buffer, sizeof buffer)) > 0 || (count < 0 && errno == EINTR);) {
    if (count > 0) ran.output.append(buffer, static_cast<std::size_t>(count));
  }
  ::close(ends[0]);
  ::waitpid(pid, &ran.status, 0);
  return ran;
}

bool tells_of_a_refusal(const Ran& ran) {
  return ran.output.find("ermission denied") != std::string::npos ||
         ran.output.find("not permitted") != std::string::npos;
}

}  // namespace

HeldRun::HeldRun() {
  host::config::Plugin grants;
  grants.exec = true;
  grants.fs = {{"/", false}};
  profile_ = host::plugin::held_to_reading(host::plugin::profile_of(grants, {}),
                                           host::permission::shell::read_only_programs());
  auto filter = host::sandbox::compile_filter(host::sandbox::filter_kind(profile_));
  if (!filter) give_up("compile_filter");
  profile_.filter = *std::move(filter);
}

// Not by what it prints: free blocks and times of access change meanwhile.
std::string HeldRun::lacks(const std::string& command, const std::string& folder,
                           const std::vector<std::string>& environment) const {
  const Ran plain = run(command, folder, environment, nullptr);
  const Ran held = run(command, folder, environment, &profile_);
  if (held.status != plain.status)
    return "ends with " + std::to_string(held.status) + " in place of " +
           std::to_string(plain.status) + ": " + held.output;
  if (tells_of_a_refusal(held) && !tells_of_a_refusal(plain)) return held.output;
  return {};
}

bool HeldRun::prints(std::string_view text, const std::string& command, const std::string& folder,
                     const std::vector<std::string>& environment) {
  return run(command, folder, environment, nullptr).output.find(text) != std::string::npos;
}
