// Tells whether a process may be writing a file. While a process writes a file, the part that is
// already written can look like a complete file.
#pragma once

namespace host::plugin {

enum class Writer {
  None,     // no process has the file open for writing
  Some,     // a process has it open for writing
  Unknown,  // the kernel does not say: the file belongs to a different user, or the file system has
            // no leases
};

// `fd` must be open for reading.
Writer writer_of(int fd);

}  // namespace host::plugin
