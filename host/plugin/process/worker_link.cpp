#include "plugin/process/worker_link.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

#include <utility>

namespace host::plugin {
namespace asio = boost::asio;
namespace {

constexpr std::size_t kKeptBytes = 64u << 10u;

}  // namespace

WorkerLink::WorkerLink(asio::any_io_executor io, Heard heard, Broken broken)
    : io_(std::move(io)), socket_(io_), heard_(std::move(heard)), broken_(std::move(broken)) {}

void WorkerLink::open(UniqueFd socket) {
  boost::system::error_code error;
  socket_.assign(asio::local::stream_protocol(), socket.release(), error);
  socket_.non_blocking(true, error);
  heard_at_ = std::chrono::steady_clock::now();
  open_ = true;
  flush();
  read();
}

void WorkerLink::close() {
  open_ = false;
  boost::system::error_code error;
  socket_.close(error);
}

void WorkerLink::read() {
  const auto room = reader_.prepare();
  reading_ = true;
  socket_.async_read_some(
      asio::buffer(room.data(), room.size()),
      [self = shared_from_this()](boost::system::error_code error, std::size_t bytes) {
        self->reading_ = false;
        if (!self->open_) return;
        Result<void> handled;
        if (!error) {
          self->reader_.commit(bytes);
          self->heard_at_ = std::chrono::steady_clock::now();
          handled = self->handle_frames();
        }
        if (self->heard_all_) return self->drain(handled.has_value());
        if (error) return self->broken_({});
        if (!handled) return self->broken_(handled.error().message);
        self->read();
      });
}

void WorkerLink::read_last(std::function<void()> heard_all) {
  heard_all_ = std::move(heard_all);
  // What a read under way has taken already comes with its end: it must not be lost, nor overtaken.
  boost::system::error_code ignored;
  if (reading_) {
    socket_.cancel(ignored);
  } else {
    drain(open_);
  }
}

void WorkerLink::drain(bool more) {
  while (more) {
    const auto room = reader_.prepare();
    boost::system::error_code error;
    const std::size_t bytes = socket_.read_some(asio::buffer(room.data(), room.size()), error);
    if (error || bytes == 0) break;
    reader_.commit(bytes);
    more = handle_frames().has_value();
  }
  std::exchange(heard_all_, nullptr)();
}

Result<void> WorkerLink::handle_frames() {
  for (;;) {
    HOST_TRY_ASSIGN(const std::optional<Frame> frame, reader_.next());
    if (!frame) return {};
    HOST_TRY(heard_(*frame));
  }
}

void WorkerLink::send() {
  if (flush_posted_ || writing_) return;
  flush_posted_ = true;
  asio::post(io_, [self = shared_from_this()] {
    self->flush_posted_ = false;
    self->flush();
  });
}

void WorkerLink::flush() {
  if (writing_ || out_.empty() || !open_) return;
  boost::system::error_code error;
  const std::size_t sent = socket_.write_some(asio::buffer(out_), error);
  if (!error && sent == out_.size()) {
    out_.clear();
    return;
  }
  if (error && error != asio::error::would_block) return;  // its death will be told
  writing_ = true;
  on_way_.swap(out_);
  out_.clear();
  asio::async_write(socket_, asio::buffer(on_way_.data() + sent, on_way_.size() - sent),
                    [self = shared_from_this()](boost::system::error_code failed, std::size_t) {
                      self->writing_ = false;
                      self->on_way_.clear();
                      if (!failed) self->flush();
                    });
}

void WorkerLink::trim() {
  for (std::string* const buffer : {&out_, &on_way_}) {
    if (buffer->empty() && buffer->capacity() > kKeptBytes) std::string().swap(*buffer);
  }
}

}  // namespace host::plugin
