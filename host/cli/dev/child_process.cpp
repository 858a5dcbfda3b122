#include "cli/dev/child_process.h"

#include <fcntl.h>
#include <spawn.h>
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

namespace host::cli::dev {
namespace asio = boost::asio;
namespace {

constexpr std::size_t kMostOutput = 1u << 20u;

// The child's pid, or -errno.
pid_t spawn(const std::vector<std::string>& command, const std::filesystem::path& folder,
            int output) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  ::posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t pid = 0;
  const int error =
      ::posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? pid : -error;
}

}  // namespace

asio::awaitable<Result<Ran>> run_child(asio::any_io_executor io, std::vector<std::string> command,
                                       std::filesystem::path folder) {
  const auto began = std::chrono::steady_clock::now();
  int pipes[2];
  if (::pipe2(pipes, O_CLOEXEC) != 0)
    co_return Error{ErrorKind::Io, std::string("cannot make a pipe: ") + std::strerror(errno)};
  asio::posix::stream_descriptor output(io, pipes[0]);
  UniqueFd writing(pipes[1]);
  const pid_t pid = spawn(command, folder, writing.get());
  writing.reset();
  if (pid < 0)
    co_return Error{ErrorKind::Io, "cannot start " + command[0] + ": " + std::strerror(-pid)};

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
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) ran.exit_code = WEXITSTATUS(status);
  ran.took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - began);
  co_return ran;
}

}  // namespace host::cli::dev
