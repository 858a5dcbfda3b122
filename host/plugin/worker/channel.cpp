#include "plugin/worker/channel.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace host::plugin::worker {
namespace {

thread_local bool gathers = false;

}  // namespace

bool Channel::gathers_on_this_thread() {
  return gathers;
}

void Channel::begin_batch() {
  gathers = true;
}

void Channel::end_batch() {
  gathers = false;
  const std::lock_guard lock(mutex_);
  flush();
}

void Channel::flush() {
  std::size_t sent = 0;
  while (sent < out_.size()) {
    const ssize_t count = ::send(socket_, out_.data() + sent, out_.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) ::_exit(0);  // nobody is left to answer
    sent += static_cast<std::size_t>(count);
  }
  out_.clear();
  if (out_.capacity() > 2 * kBatchBytes) std::string().swap(out_);
}

}  // namespace host::plugin::worker
