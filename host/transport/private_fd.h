// A descriptor that can be made non-blocking without side effects.
//
// Non-blocking is a property of the open file, which standard input and output share with the
// parent process and with standard error: a log line would fail instead of waiting. So pipes and
// terminals are opened again. Descriptors that cannot be opened again (sockets, files) are
// duplicated, and their flags are restored at the end.
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
