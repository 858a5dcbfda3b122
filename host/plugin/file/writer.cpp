#include "plugin/file/writer.h"

#include <fcntl.h>
#include <signal.h>

#include <cerrno>

namespace host::plugin {

// A lease for reading is had for a file without writers alone.
Writer writer_of(int fd) {
  ::fcntl(fd, F_SETSIG, SIGURG);  // to who opens it in this moment; ignored, unlike SIGIO
  const bool leased = ::fcntl(fd, F_SETLEASE, F_RDLCK) == 0;
  if (!leased) return errno == EAGAIN ? Writer::Some : Writer::Unknown;
  ::fcntl(fd, F_SETLEASE, F_UNLCK);
  return Writer::None;
}

}  // namespace host::plugin
