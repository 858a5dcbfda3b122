// A descriptor that can be made non-blocking without side effects.
//
// O_NONBLOCK is a property of the open file. Standard input and output share their open file with
// the parent process, and perhaps with standard error. With the flag, a log line would fail instead
// of waiting. So pipes and terminals are opened again. Descriptors that cannot be opened again
// (sockets, files) are duplicated, and the destructor restores their flags.
#pragma once

#include "base/unique_fd.h"

namespace host::transport {

class PrivateFd {
 public:
  // `access` is O_RDONLY or O_WRONLY. Without a usable `fd`, get() is negative.
  PrivateFd(int fd, int access);
  ~PrivateFd();
  PrivateFd(const PrivateFd&) = delete;
  PrivateFd& operator=(const PrivateFd&) = delete;

  int get() const { return fd_.get(); }

 private:
  UniqueFd fd_;
  int flags_to_restore_ = -1;
};

}  // namespace host::transport
