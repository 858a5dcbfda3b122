#include "checkout/git.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "base/text/encoding.h"
#include "base/text/visible.h"
#include "upstream/stdio/child.h"

namespace host::checkout {
namespace {

using upstream::Child;

constexpr std::chrono::milliseconds kLookAgain{100};  // at the deadline and at `cancelled`
constexpr std::chrono::milliseconds kGrace{500};      // from SIGTERM to SIGKILL
constexpr std::chrono::seconds kKeeperEnds{10};
constexpr std::size_t kMostErrorText = 16u << 10u;
constexpr std::size_t kMostShownError = 600;

// What git and its transports need of the host's environment: programs, the user's keys and
// .netrc, certificates, proxies.
constexpr std::string_view kPassed[] = {"PATH",           "HOME",          "SSH_AUTH_SOCK",
                                        "GIT_SSL_CAINFO", "SSL_CERT_FILE", "SSL_CERT_DIR",
                                        "https_proxy",    "HTTPS_PROXY",   "all_proxy",
                                        "ALL_PROXY",      "no_proxy",      "NO_PROXY"};

// One run of git, with its pipes.
class Running {
 public:
  Running(Child child, const Git::Run& run) : child_(std::move(child)), run_(run) {
    if (run_.input.empty()) child_.input.reset();
  }
  ~Running() { end(); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  // False: git and all its processes have ended, and everything is read.
  bool step() {
    if (!child_.output && !child_.errors && !child_.status) return false;
    std::array<pollfd, 4> what{pollfd{child_.output.get(), POLLIN, 0},
                               {child_.errors.get(), POLLIN, 0},
                               {child_.status.get(), POLLIN, 0},
                               {child_.input.get(), POLLOUT, 0}};
    ::poll(what.data(), what.size(), static_cast<int>(kLookAgain.count()));
    if (what[0].revents != 0) read(child_.output, output, run_.most_output + 1);
    if (what[1].revents != 0) read(child_.errors, errors, kMostErrorText);
    if (what[2].revents != 0) read(child_.status, status_, kMostErrorText);
    if (what[3].revents != 0) write();
    return true;
  }

  bool printed_too_much() const { return output.size() > run_.most_output; }

  // The number after `word` in the keeper's lines (upstream/keeper/control.h).
  std::optional<int> told(std::string_view word) const {
    const std::size_t at = status_.find(std::string(word) + " ");
    if (at == std::string::npos) return std::nullopt;
    return std::atoi(status_.c_str() + at + word.size() + 1);
  }

  std::string output;
  std::string errors;

 private:
  // What is beyond `most` is read and dropped, save the one byte that tells.
  static void read(UniqueFd& from, std::string& into, std::uint64_t most) {
    char piece[16'384];
    const ssize_t count = ::read(from.get(), piece, sizeof piece);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) return from.reset();
    const std::uint64_t room = most - std::min<std::uint64_t>(most, into.size());
    into.append(piece, std::min<std::uint64_t>(room, static_cast<std::uint64_t>(count)));
  }

  void write() {
    const ssize_t count =
        ::write(child_.input.get(), run_.input.data() + written_, run_.input.size() - written_);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count > 0) written_ += static_cast<std::size_t>(count);
    if (count < 0 || written_ == run_.input.size()) child_.input.reset();
  }

  void end() {
    child_.control.reset();  // an order to the keeper, if git still runs
    child_.input.reset();
    child_.output.reset();
    child_.errors.reset();
    pollfd ended{child_.pidfd.get(), POLLIN, 0};
    const auto patience = std::chrono::milliseconds(kKeeperEnds).count();
    if (::poll(&ended, 1, static_cast<int>(patience)) <= 0) {
      upstream::kill_keeper(child_);
      ::poll(&ended, 1, -1);
    }
    while (!upstream::reap_upstream(child_)) {
    }
  }

  Child child_;
  const Git::Run& run_;
  std::size_t written_ = 0;
  std::string status_;
};

// Git's own words, in one line.
std::string words_of(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  std::string out;
  std::string_view rest = text;
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find_first_of("\n\r"));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    for (const std::string_view begin : {"fatal: ", "error: ", "remote: "}) {
      if (line.starts_with(begin)) line.remove_prefix(begin.size());
    }
    if (line.empty()) continue;
    if (!out.empty()) out += "; ";
    out += line;
  }
  if (!is_utf8(out)) return "git's message is not valid UTF-8";
  if (out.size() > kMostShownError) out = std::string(utf8_begin(out, kMostShownError)) + "...";
  return marked(out);
}

Error failure_of(const Running& git, const std::string& command, std::uint64_t file_bytes) {
  const bool was_too_large = git.errors.find("signal 25") != std::string::npos ||
                             git.errors.find("File too large") != std::string::npos;
  if (was_too_large || git.told("killed") == SIGXFSZ) {
    return Error{ErrorKind::InvalidArgument,
                 "the download has more than max_bytes = " + std::to_string(file_bytes) + " bytes"};
  }
  const std::string words = words_of(git.errors);
  return Error{ErrorKind::Io, "git " + command + " failed: " +
                                  (words.empty() ? std::string("it gave no reason") : words)};
}

}  // namespace

std::vector<std::string> git_options(std::string_view scheme) {
  std::vector<std::string> out;
  const auto set = [&out](const std::string& key, const std::string& value) {
    out.insert(out.end(), {"-c", key + "=" + value});
  };
  set("core.hooksPath", "/dev/null");
  set("core.fsmonitor", "false");
  set("core.symlinks", "false");
  set("core.attributesFile", "/dev/null");
  set("core.excludesFile", "/dev/null");
  set("core.bigFileThreshold", "1m");  // larger files are not kept in memory
  set("core.quotePath", "false");
  set("credential.helper", "");
  set("protocol.allow", "never");
  if (!scheme.empty()) set("protocol." + std::string(scheme) + ".allow", "always");
  set("http.followRedirects", "false");
  set("transfer.fsckObjects", "true");
  set("transfer.unpackLimit", "1");  // one file, whose size is limited
  set("transfer.bundleURI", "false");
  set("submodule.recurse", "false");
  set("gc.auto", "0");
  set("maintenance.auto", "false");
  set("pack.threads", "1");
  return out;
}

std::vector<std::string> git_environment(std::string_view scheme,
                                         const std::filesystem::path& folder) {
  std::vector<std::string> out{
      "LC_ALL=C",
      "GIT_CONFIG_NOSYSTEM=1",
      "GIT_CONFIG_GLOBAL=/dev/null",
      "GIT_ATTR_NOSYSTEM=1",
      "GIT_TERMINAL_PROMPT=0",
      "GIT_ASKPASS=",
      "SSH_ASKPASS=",
      "GIT_PROTOCOL_FROM_USER=0",
      "GIT_NO_REPLACE_OBJECTS=1",
      "GIT_LFS_SKIP_SMUDGE=1",
      "GIT_ALLOW_PROTOCOL=" + (scheme.empty() ? std::string("none") : std::string(scheme)),
      "GIT_CEILING_DIRECTORIES=" + folder.parent_path().string()};
  for (const std::string_view name : kPassed) {
    const char* const value = std::getenv(std::string(name).c_str());
    if (value) out.push_back(std::string(name) + "=" + value);
  }
  return out;
}

Git::Git(Settings settings, const std::atomic<bool>& cancelled)
    : settings_(std::move(settings)), cancelled_(cancelled) {
  ::signal(SIGPIPE, SIG_IGN);  // a git that ends early is an error, not the host's end
}

Result<std::string> Git::run(const Run& run) const {
  upstream::ChildSettings child;
  child.keeper = settings_.keeper;
  child.command = "git";
  child.args = git_options(settings_.scheme);
  child.args.insert(child.args.end(), run.arguments.begin(), run.arguments.end());
  child.env = git_environment(settings_.scheme, run.folder);
  child.cwd = run.folder;
  child.grace = kGrace;
  child.file_bytes = settings_.file_bytes;
  child.memory_bytes = kMostGitMemory;
  HOST_TRY_ASSIGN(Child started, upstream::spawn_upstream(child));
  Running git(std::move(started), run);
  while (git.step()) {
    if (cancelled_) return Error{ErrorKind::Cancelled, "the host stops"};
    if (git.printed_too_much()) {
      return Error{ErrorKind::InvalidArgument, "git " + run.arguments.front() +
                                                   " printed more than " +
                                                   std::to_string(run.most_output) + " bytes"};
    }
    if (steady_now() >= settings_.deadline) {
      return Error{ErrorKind::DeadlineExceeded,
                   "git " + run.arguments.front() + " did not end within timeout_s"};
    }
  }
  if (const auto code = git.told("failed")) {
    if (*code != ENOENT) {
      return Error{ErrorKind::Io,
                   std::string("the program git cannot be started: ") + std::strerror(*code)};
    }
    return Error{ErrorKind::NotFound,
                 "there is no program git in the host's PATH: install git, on Debian with `apt-get "
                 "install git`"};
  }
  const auto code = git.told("exited");
  if (code && (*code == 0 || *code == run.also_ok)) return std::move(git.output);
  return failure_of(git, run.arguments.front(), settings_.file_bytes);
}

}  // namespace host::checkout
