// toolpost-worker: one plugin in a process of its own, on the socket that the host left at
// descriptor 3. With --probe it is only looked at: the name in the process list says so. With
// --symbolize it loads nothing and reads debug information.
#include <fcntl.h>
#include <malloc.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <string_view>

#include "base/heap.h"
#include "plugin/instance/call_table.h"
#include "plugin/wire/worker_descriptors.h"
#include "plugin/worker/host_end.h"
#include "plugin/worker/session.h"
#include "plugin/worker/symbolize.h"

namespace {

bool has_socket() {
  int type = 0;
  socklen_t size = sizeof type;
  return ::getsockopt(host::plugin::kWorkerSocket, SOL_SOCKET, SO_TYPE, &type, &size) == 0 &&
         type == SOCK_STREAM;
}

// The host's dup2 took the flag away. A program that the plugin starts must not talk to the host in
// the plugin's name, nor keep a descriptor open that seems to be the worker's end.
void keep_from_programs() {
  using namespace host::plugin;
  for (const int fd : {kWorkerSocket, kWorkerCrashPipe, kWorkerPayloads})
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

void say_stray() {
  std::fprintf(stderr, "the plugin completed a call that had ended, or twice: ignored\n");
}

}  // namespace

int main(int count, char** arguments) {
  if (!has_socket()) {
    std::fprintf(stderr, "toolpost-worker is started by toolpost and is of no use alone\n");
    return 2;
  }
  keep_from_programs();
  host::plugin::worker::die_with_host(host::plugin::kWorkerSocket);
  if (count > 1 && std::string_view(arguments[1]) == "--symbolize")
    return host::plugin::worker::symbolize(host::plugin::kWorkerSocket);
  ::mallopt(M_ARENA_MAX, 2);  // an arena a thread would cost more than it gives
  host::keep_freed_memory();
  host::plugin::CallTable::of_process().on_stray_completion(&say_stray);
  int code = 1;
  try {
    // Never destroyed: its threads wait in it until the process ends.
    code = (new host::plugin::worker::Session(host::plugin::kWorkerSocket,
                                              host::plugin::kWorkerPayloads))
               ->run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "worker: %s\n", error.what());
  }
  std::fflush(nullptr);
  // The library's static destructors are not the host's business, and might hang.
  ::_exit(code);
}
