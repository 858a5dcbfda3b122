#include "cli/dev/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/unique_fd.h"
#include "cli/dev/keeper.h"

namespace host::cli::dev {
namespace asio = boost::asio;
namespace {

constexpr std::size_t kMostOutput = 1u << 20u;
constexpr int kLifeline = STDERR_FILENO + 1;

Error failed(const std::string& what, int fault) {
  return {ErrorKind::Io, what + ": " + std::strerror(fault)};
}

// A keeper at work, and our ends of what leads to it.
struct Kept {
  pid_t keeper = 0;
  UniqueFd output;
  UniqueFd lifeline;  // its close ends the program
};

// Above the numbers that the keeper's own descriptors get, so that no dup2 hits another's source.
UniqueFd above_lifeline(int fd) {
  const UniqueFd given(fd);
  return UniqueFd(::fcntl(fd, F_DUPFD_CLOEXEC, kLifeline + 1));
}

Result<Kept> start_keeper(const std::vector<std::string>& command,
                          const std::filesystem::path& folder) {
  Kept kept;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return failed("cannot make a pipe", errno);
  kept.output.reset(ends[0]);
  const UniqueFd output = above_lifeline(ends[1]);
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return failed("cannot make a socket pair", errno);
  kept.lifeline.reset(ends[0]);
  const UniqueFd lifeline = above_lifeline(ends[1]);

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, output.get(), STDERR_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, lifeline.get(), kLifeline);
  ::posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  ::posix_spawn_file_actions_addclosefrom_np(&actions, kLifeline + 1);
  posix_spawnattr_t attributes;  // a session of its own: what a terminal sends is not for it
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  std::vector<std::string> words = {"toolpost", std::string(kKeeperFlag),
                                    std::to_string(kLifeline)};
  words.insert(words.end(), command.begin(), command.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  // This very program, also where its file has been replaced.
  const int fault = ::posix_spawn(&kept.keeper, "/proc/self/exe", &actions, &attributes,
                                  arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (fault != 0) return failed("cannot start toolpost for " + command[0], fault);
  return kept;
}

// What it sent is there once it has ended.
Result<int> status_told_by(const Kept& kept, const std::string& program) {
  while (::waitpid(kept.keeper, nullptr, 0) < 0 && errno == EINTR) {
  }
  KeptEnd end;
  if (::recv(kept.lifeline.get(), &end, sizeof end, MSG_DONTWAIT) != sizeof end)
    return Error{ErrorKind::Internal, "what ran " + program + " ended before it"};
  if (end.start_fault != 0) return failed("cannot start " + program, end.start_fault);
  return end.status;
}

}  // namespace

asio::awaitable<Result<Ran>> run_child(asio::any_io_executor io, std::vector<std::string> command,
                                       std::filesystem::path folder,
                                       std::shared_ptr<Cancel> cancel) {
  const auto began = std::chrono::steady_clock::now();
  HOST_CO_TRY_ASSIGN(Kept kept, start_keeper(command, folder));
  asio::posix::stream_descriptor output(io, kept.output.release());
  // It kills the program, which ends the output, and then ends itself.
  const auto registration =
      cancel->on_cancel([&kept] { ::shutdown(kept.lifeline.get(), SHUT_WR); });

  Ran ran;
  std::array<char, 16384> buffer;
  for (;;) {
    boost::system::error_code error;
    auto token = asio::redirect_error(asio::use_awaitable, error);
    const std::size_t bytes = co_await output.async_read_some(asio::buffer(buffer), token);
    ran.output.append(buffer.data(), bytes);
    if (ran.output.size() > kMostOutput) ran.output.erase(0, ran.output.size() - kMostOutput);
    if (error) break;
  }
  const Result<int> status = status_told_by(kept, command[0]);
  if (cancel->requested()) co_return Error{ErrorKind::Cancelled, command[0] + " was ended"};
  if (!status) co_return status.error();
  if (WIFEXITED(*status)) ran.exit_code = WEXITSTATUS(*status);
  ran.took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - began);
  co_return ran;
}

}  // namespace host::cli::dev
