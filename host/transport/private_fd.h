// A descriptor that may be made non-blocking without anybody else feeling it.
//
// Non-blocking is a property of the open file, which standard input and output share with the
// parent, and with standard error: a log line would fail where it should wait. So pipes and
// terminals are opened anew; what cannot be (sockets, files) is duplicated, and its flags put back
// at the end.
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
