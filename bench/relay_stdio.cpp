// The floor of bench/upstreams: a program between a client and an MCP server over stdio that only
// copies bytes. What a call through it costs more than a direct one is two more pipes and the
// process switches that they need.
//
//     bench_relay_stdio SERVER [ARGUMENT...]
#include <sys/epoll.h>
#include <unistd.h>

#include <cstdio>
#include <initializer_list>

namespace {

bool write_all(int fd, const char* bytes, ssize_t count) {
  for (ssize_t done = 0; done < count;) {
    const ssize_t written = ::write(fd, bytes + done, static_cast<size_t>(count - done));
    if (written <= 0) return false;
    done += written;
  }
  return true;
}

// The server's standard input and output are the two pipes.
void run_server(const int (&input)[2], const int (&output)[2], char** command) {
  ::dup2(input[0], STDIN_FILENO);
  ::dup2(output[1], STDOUT_FILENO);
  for (const int fd : {input[0], input[1], output[0], output[1]}) ::close(fd);
  ::execv(command[0], command);
  std::perror(command[0]);
  ::_exit(1);
}

// Until one of the two ends.
int relay(int to_server, int from_server) {
  const int poll = ::epoll_create1(EPOLL_CLOEXEC);
  for (const int fd : {STDIN_FILENO, from_server}) {
    epoll_event wanted{};
    wanted.events = EPOLLIN;
    wanted.data.fd = fd;
    if (::epoll_ctl(poll, EPOLL_CTL_ADD, fd, &wanted) != 0) return 1;
  }
  static char bytes[256u << 10u];
  for (;;) {
    epoll_event ready[2];
    const int count = ::epoll_wait(poll, ready, 2, -1);
    if (count < 0) return 1;
    for (int i = 0; i < count; ++i) {
      const int from = ready[i].data.fd;
      const ssize_t read = ::read(from, bytes, sizeof bytes);
      if (read <= 0) return 0;
      if (!write_all(from == STDIN_FILENO ? to_server : STDOUT_FILENO, bytes, read)) return 1;
    }
  }
}

}  // namespace

int main(int count, char** words) {
  int input[2];
  int output[2];
  if (count < 2 || ::pipe(input) != 0 || ::pipe(output) != 0) return 2;
  const pid_t server = ::fork();
  if (server < 0) return 1;
  if (server == 0) run_server(input, output, words + 1);
  ::close(input[0]);
  ::close(output[1]);
  return relay(input[1], output[0]);
}
