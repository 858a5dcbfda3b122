#include "plugin/process/worker_output.h"

#include <boost/asio/buffer.hpp>

#include <utility>

namespace host::plugin {
namespace asio = boost::asio;
namespace {

constexpr std::size_t kMostRest = 1u << 20u;
constexpr std::size_t kLastLines = 5;

}  // namespace

WorkerOutput::WorkerOutput(asio::any_io_executor io, std::string plugin, Redactor redact)
    : pipe_(std::move(io)), log_(std::move(plugin), std::move(redact)) {}

void WorkerOutput::open(UniqueFd pipe) {
  boost::system::error_code error;
  pipe_.assign(pipe.release(), error);
  pipe_.non_blocking(true, error);
  wait();
}

void WorkerOutput::close() {
  boost::system::error_code error;
  pipe_.close(error);
}

// The event loop only waits. If it read, its bytes could wait for their turn in the buffer, where
// read_rest() would not see them, and would overwrite them.
void WorkerOutput::wait() {
  pipe_.async_wait(asio::posix::stream_descriptor::wait_read,
                   [self = shared_from_this()](boost::system::error_code error) {
                     if (!error) self->read(error);
                     if (error && error != asio::error::would_block) return self->log_.end();
                     self->wait();
                   });
}

std::size_t WorkerOutput::read(boost::system::error_code& error) {
  const std::size_t bytes = pipe_.read_some(asio::buffer(buffer_), error);
  if (!error) log_.add({buffer_.data(), bytes});
  return bytes;
}

void WorkerOutput::read_rest() {
  boost::system::error_code error;
  for (std::size_t all = 0; !error && all < kMostRest;) all += read(error);
  log_.end();
}

void WorkerOutput::add_last_lines(WorkerDeath& death, bool shared) const {
  death.last_lines = log_.last_lines(kLastLines);
  if (!shared) {
    death.own_lines = death.last_lines;
  } else if (death.culprit != 0) {
    death.own_lines = log_.last_lines_of(kLastLines, death.culprit);
  }
}

}  // namespace host::plugin
