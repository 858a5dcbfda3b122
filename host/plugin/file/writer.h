// Finds out whether a process has a file open for writing. While a process writes a file, the part
// that is already written can look like a complete file.
#pragma once

namespace host::plugin {

enum class Writer {
  None,     // no process has the file open for writing
  Some,     // a process has the file open for writing
  Unknown,  // the kernel cannot tell: the file belongs to a different user, or the file system has
            // no leases
};

// `fd` must be open for reading.
Writer writer_of(int fd);

}  // namespace host::plugin
