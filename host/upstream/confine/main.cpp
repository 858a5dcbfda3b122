// toolpost-confine: see order.h. Once it has executed the server, nothing of it is left.
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sandbox/apply.h"
#include "sandbox/compile_filter.h"
#include "upstream/confine/order.h"
#include "upstream/confine/report.h"
#include "upstream/keeper/control.h"

namespace host::upstream {
namespace {

// A host that does not read any more has ended, and so has this process soon.
void send_report(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(kKeeperStatus, text.data(), text.size());
    if (count < 0 && errno != EINTR) return;
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
}

int refuse(const Error& why) {
  send_report(refusal_report(why.message));
  return 126;
}

int confine(std::span<const char* const> words, char** command) {
  ::fcntl(kKeeperStatus, F_SETFD, FD_CLOEXEC);
  auto profile = profile_in(words);
  if (!profile) return refuse(profile.error());
  profile->command = command[0];
  const auto filter = sandbox::compile_filter(sandbox::filter_kind(*profile));
  if (filter) profile->filter = *filter;  // otherwise the layer is reported as absent
  const auto applied = sandbox::apply(*profile);
  if (!applied) return refuse(applied.error());
  send_report(report_of(*applied));
  ::execvp(command[0], command);
  send_report("failed " + std::to_string(errno) + "\n");
  return 127;
}

}  // namespace
}  // namespace host::upstream

int main(int argc, char** argv) {
  char** const end = argv + argc;
  char** const mark =
      std::find_if(argv + 1, end, [](const char* word) { return std::string_view(word) == "--"; });
  if (argc < 3 || end - mark < 2 || ::fcntl(host::upstream::kKeeperStatus, F_GETFD) < 0) {
    std::fputs("toolpost-confine is started by toolpost-keeper and is of no use alone\n", stderr);
    return 2;
  }
  return host::upstream::confine({argv + 1, mark}, mark + 1);
}
