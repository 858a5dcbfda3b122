// A PrivateFd is a descriptor that can be made non-blocking without side effects.
//
// O_NONBLOCK is a property of the open file. Standard input and output share their open file with
// the parent process, and perhaps with standard error. If O_NONBLOCK were set on a shared open
// file, writing a log line to a full pipe would fail instead of waiting. To get an open file of its
// own, PrivateFd opens a pipe or terminal again. PrivateFd duplicates descriptors that cannot be
// opened again (sockets, files), and its destructor restores their flags.
#pragma once

#include "base/unique_fd.h"

namespace host::transport {

class PrivateFd {
 public:
  // `access` is O_RDONLY or O_WRONLY. If `fd` is not usable, get() returns a negative number.
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
