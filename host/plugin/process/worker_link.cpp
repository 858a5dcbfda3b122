#include "plugin/process/worker_link.h"

#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

#include <cerrno>
#include <string_view>
#include <utility>

#include "plugin/wire/host_call.h"
#include "plugin/wire/passed_files.h"

namespace host::plugin {
namespace asio = boost::asio;
namespace {

constexpr std::size_t kKeptBytes = 64u << 10u;
// More than the socket's buffer has room for.
constexpr std::size_t kMostLastBytes = 1u << 20u;

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
  heard_all_ = nullptr;
  files_.clear();
  files_on_way_.clear();
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

// A child of the worker may hold the socket open, and write for ever.
void WorkerLink::drain(bool more) {
  for (std::size_t read = 0; more && read < kMostLastBytes;) {
    const auto room = reader_.prepare();
    boost::system::error_code error;
    const std::size_t bytes = socket_.read_some(asio::buffer(room.data(), room.size()), error);
    if (error || bytes == 0) break;
    reader_.commit(bytes);
    read += bytes;
    more = handle_frames().has_value();
  }
  if (const auto heard_all = std::exchange(heard_all_, nullptr)) heard_all();
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
  if (!files_.empty()) {
    begin_on_way();
    return write_on_way();
  }
  boost::system::error_code error;
  const std::size_t sent = socket_.write_some(asio::buffer(out_), error);
  if (!error && sent == out_.size()) {
    out_.clear();
    return;
  }
  if (error && error != asio::error::would_block) return;  // its death will be told
  begin_on_way();
  sent_ = sent;
  write_rest();
}

void WorkerLink::begin_on_way() {
  writing_ = true;
  on_way_.swap(out_);
  files_on_way_.swap(files_);
  out_.clear();
  sent_ = 0;
}

void WorkerLink::write_on_way() {
  while (open_ && !files_on_way_.empty()) {
    if (write_file_on_way()) continue;
    return socket_.async_wait(socket_.wait_write,
                              [self = shared_from_this()](boost::system::error_code failed) {
                                if (!failed) self->write_on_way();
                              });
  }
  if (open_) write_rest();
}

// Sends the bytes before the next file, or that file with the bytes up to the file after it. False:
// the socket is full.
bool WorkerLink::write_file_on_way() {
  const File& next = files_on_way_.front();
  const bool before = sent_ < next.frame;
  const std::size_t end = before                     ? next.frame
                          : files_on_way_.size() > 1 ? files_on_way_[1].frame
                                                     : on_way_.size();
  const std::string_view bytes = std::string_view(on_way_).substr(sent_, end - sent_);
  const int socket = socket_.native_handle();
  const ssize_t count = before ? ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL)
                               : send_with_file(socket, bytes, next.file->get());
  if (count < 0 && errno == EINTR) return true;
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
  if (count < 0 && before) {  // the worker is gone
    files_on_way_.clear();
    return true;
  }
  if (count < 0) mark_file_lost(on_way_, next.frame);
  if (!before) files_on_way_.pop_front();
  if (count > 0) sent_ += static_cast<std::size_t>(count);
  return true;
}

void WorkerLink::write_rest() {
  asio::async_write(socket_, asio::buffer(on_way_.data() + sent_, on_way_.size() - sent_),
                    [self = shared_from_this()](boost::system::error_code failed, std::size_t) {
                      self->writing_ = false;
                      self->on_way_.clear();
                      if (!failed) self->flush();
                    });
}

void WorkerLink::attach(std::size_t frame, std::shared_ptr<UniqueFd> file) {
  files_.push_back({frame, std::move(file)});
}

void WorkerLink::trim() {
  for (std::string* const buffer : {&out_, &on_way_}) {
    if (buffer->empty() && buffer->capacity() > kKeptBytes) std::string().swap(*buffer);
  }
}

}  // namespace host::plugin
