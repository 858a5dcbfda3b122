// Reads what a worker writes to its stdout and stderr, and writes the lines to the host's log. The
// WorkerOutput keeps the last lines for crash reports. The functions of this header are called on
// the I/O thread. A WorkerOutput that waits for output keeps itself alive.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include "base/unique_fd.h"
#include "plugin/process/worker_death.h"
#include "plugin/wire/output_log.h"

namespace host::plugin {

class WorkerOutput : public std::enable_shared_from_this<WorkerOutput> {
 public:
  WorkerOutput(boost::asio::any_io_executor io, std::string plugin, Redactor redact);

  // Reads `pipe` until the worker has closed its end, or until close().
  void open(UniqueFd pipe);
  void close();
  // Reads the bytes that are in the pipe now, and logs an incomplete last line. read_rest() reads
  // about 1 MiB at most, because a child of the worker can continue to write.
  void read_rest();

  OutputLog& log() { return log_; }
  // Sets death.last_lines and death.own_lines. `shared` is true if the worker also worked for other
  // callers than the caller of death.culprit.
  void add_last_lines(WorkerDeath& death, bool shared) const;

 private:
  void wait();
  // Returns the number of bytes that were read.
  std::size_t read(boost::system::error_code& error);

  boost::asio::posix::stream_descriptor pipe_;
  OutputLog log_;
  std::array<char, 4096> buffer_;
};

}  // namespace host::plugin
