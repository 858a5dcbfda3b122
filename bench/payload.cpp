// How a large payload gets from a worker to the host: as frames on the socket, or as a sealed memfd
// whose descriptor goes over it. Alternates between the ways, so that a busy machine is busy for
// all.
//
//   bench_payload [ROUNDS]   200 transfers of each way and size; medians, and processor time of
//   both processes
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "plugin/frame.h"

namespace {

using host::plugin::Frame;
using host::plugin::FrameReader;
using host::plugin::FrameType;
using host::plugin::FrameWriter;

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;
constexpr std::size_t kPieceBytes = 1u << 20u;  // as worker/wire_sink.cpp cuts a result

enum class Way : char { Socket, MemfdMapped, MemfdRead };
constexpr Way kWays[] = {Way::Socket, Way::MemfdMapped, Way::MemfdRead};
const char* name_of(Way way) {
  return way == Way::Socket ? "socket" : way == Way::MemfdMapped ? "memfd, mmap" : "memfd, pread";
}

struct Wish {
  Way way;
  std::size_t bytes;
};

void must(bool held, const char* what) {
  if (held) return;
  std::perror(what);
  std::exit(1);
}

void send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    must(count > 0, "send");
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void send_with_descriptor(int socket, std::string_view bytes, int fd) {
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof fd)] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* const head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof fd);
  std::memcpy(CMSG_DATA(head), &fd, sizeof fd);
  must(::sendmsg(socket, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()), "sendmsg");
}

// The worker: answers each wish with the payload, sent that way.
void serve(int socket) {
  const std::string payload(8u << 20u, 'x');
  std::string out;
  for (Wish wish{}; ::recv(socket, &wish, sizeof wish, MSG_WAITALL) == sizeof wish;) {
    out.clear();
    if (wish.way == Way::Socket) {
      for (std::size_t at = 0; at < wish.bytes; at += kPieceBytes) {
        const std::size_t size = std::min(kPieceBytes, wish.bytes - at);
        FrameWriter(out, FrameType::Push, 1).raw(std::string_view(payload).substr(at, size));
        send_all(socket, out);
        out.clear();
      }
      continue;
    }
    const int fd = ::memfd_create("payload", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    must(fd >= 0, "memfd_create");
    for (std::size_t at = 0; at < wish.bytes;) {
      const ssize_t count = ::write(fd, payload.data() + at, wish.bytes - at);
      must(count > 0, "write");
      at += static_cast<std::size_t>(count);
    }
    must(::fcntl(fd, F_ADD_SEALS, kSeals) == 0, "F_ADD_SEALS");
    FrameWriter(out, FrameType::Push, 1).u64(wish.bytes);
    send_with_descriptor(socket, out, fd);
    ::close(fd);
  }
}

// The host: until the payload stands in memory of its own.
class Receiver {
 public:
  explicit Receiver(int socket) : socket_(socket) {}

  void receive(Wish wish, std::string& payload) {
    payload.clear();
    must(::send(socket_, &wish, sizeof wish, MSG_NOSIGNAL) == sizeof wish, "send");
    while (payload.size() < wish.bytes) {
      read_more();
      for (;;) {
        const auto frame = reader_.next();
        must(frame.has_value(), "a frame");
        if (!*frame) break;
        if (wish.way == Way::Socket)
          payload.append((*frame)->body);
        else
          take_memfd(wish, payload);
      }
    }
  }

 private:
  void read_more() {
    pollfd wait{socket_, POLLIN, 0};
    must(::poll(&wait, 1, -1) == 1, "poll");
    const auto room = reader_.prepare();
    iovec part{room.data(), room.size()};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t count = ::recvmsg(socket_, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    must(count > 0, "recvmsg");
    reader_.commit(static_cast<std::size_t>(count));
    if (cmsghdr* head = CMSG_FIRSTHDR(&message)) std::memcpy(&fd_, CMSG_DATA(head), sizeof fd_);
  }

  void take_memfd(Wish wish, std::string& payload) {
    struct stat info {};
    must(::fcntl(fd_, F_GET_SEALS) == kSeals && ::fstat(fd_, &info) == 0 &&
             info.st_size == static_cast<off_t>(wish.bytes),
         "a sealed memfd");
    if (wish.way == Way::MemfdMapped) {
      void* const at = ::mmap(nullptr, wish.bytes, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd_, 0);
      must(at != MAP_FAILED, "mmap");
      payload.assign(static_cast<const char*>(at), wish.bytes);
      ::munmap(at, wish.bytes);
    } else {
      payload.resize(wish.bytes);
      must(::pread(fd_, payload.data(), wish.bytes, 0) == static_cast<ssize_t>(wish.bytes),
           "pread");
    }
    ::close(fd_);
  }

  const int socket_;
  FrameReader reader_;
  int fd_ = -1;
};

double processor_us(pid_t child) {
  timespec theirs{};
  clockid_t clock = 0;
  must(::clock_getcpuclockid(child, &clock) == 0 && ::clock_gettime(clock, &theirs) == 0, "clock");
  timespec ours{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ours);
  const auto us = [](const timespec& time) {
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
  };
  return us(ours) + us(theirs);
}

double median(std::vector<double>& all) {
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2),
                   all.end());
  return all[all.size() / 2];
}

}  // namespace

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::atoi(arguments[1]) : 200;
  int sockets[2];
  must(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0, "socketpair");
  const pid_t child = ::fork();
  must(child >= 0, "fork");
  if (child == 0) {
    ::close(sockets[0]);
    serve(sockets[1]);
    ::_exit(0);
  }
  ::close(sockets[1]);
  Receiver receiver(sockets[0]);
  std::printf("%-10s %-14s %12s %16s\n", "KiB", "way", "median us", "processor us");
  for (const std::size_t bytes : {256u << 10u, 1u << 20u, 8u << 20u}) {
    std::vector<double> took[std::size(kWays)];
    std::vector<double> used[std::size(kWays)];
    for (int round = 0; round < rounds; ++round) {
      for (const Way way : kWays) {
        const auto index = static_cast<std::size_t>(way);
        std::string payload;
        const double before = processor_us(child);
        const auto begun = std::chrono::steady_clock::now();
        receiver.receive({way, bytes}, payload);
        const std::chrono::duration<double, std::micro> time =
            std::chrono::steady_clock::now() - begun;
        took[index].push_back(time.count());
        used[index].push_back(processor_us(child) - before);
      }
    }
    for (const Way way : kWays) {
      const auto index = static_cast<std::size_t>(way);
      std::printf("%-10zu %-14s %12.0f %16.0f\n", bytes >> 10u, name_of(way), median(took[index]),
                  median(used[index]));
    }
  }
  ::close(sockets[0]);
  ::waitpid(child, nullptr, 0);
  return 0;
}
