#include "transport/stdio.h"

#include <fcntl.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <csignal>
#include <string>
#include <utility>

#include "base/log.h"
#include "transport/line_splitter.h"
#include "transport/private_fd.h"

namespace host::transport {
namespace {

namespace asio = boost::asio;
using Descriptor = asio::posix::basic_stream_descriptor<asio::io_context::executor_type>;
using WaitType = asio::posix::descriptor_base::wait_type;

void ignore_broken_pipes() {
  struct sigaction action {};
  if (::sigaction(SIGPIPE, nullptr, &action) == 0 && action.sa_handler == SIG_DFL) {
    ::signal(SIGPIPE, SIG_IGN);
  }
}

}  // namespace

// The waits under way keep it alive; handler_ is taken away when the Stdio dies.
class Stdio::Loop : public std::enable_shared_from_this<Loop> {
 public:
  Loop(asio::io_context& io, int in, int out, StdioOptions options)
      : io_(io),
        in_fd_(in, O_RDONLY),
        out_fd_(out, O_WRONLY),
        in_(io),
        out_(io),
        patience_(io),
        options_(std::move(options)),
        lines_(options_.line_bytes) {
    boost::system::error_code ignored;  // a bad descriptor shows at the first read or write
    if (in_fd_.get() >= 0) in_.assign(in_fd_.get(), ignored);
    if (out_fd_.get() >= 0) out_.assign(out_fd_.get(), ignored);
  }

  ~Loop() {
    if (in_.is_open()) in_.release();  // the PrivateFd closes it
    if (out_.is_open()) out_.release();
  }

  void start(LineHandler& handler) {
    handler_ = &handler;
    asio::post(io_, [self = shared_from_this()] { self->read(); });
  }

  void stop() {
    handler_ = nullptr;
    then_ = nullptr;
    patience_.cancel();
    boost::system::error_code ignored;
    if (in_.is_open()) in_.cancel(ignored);
    if (out_.is_open()) out_.cancel(ignored);
  }

  void send(std::string_view message) {
    if (queue(message) && !delivering_) flush_soon();
  }

  // What cannot be written now waits for flush(), which also hears that the peer is gone: this
  // function calls no handler.
  void send_last(std::string_view message) {
    if (!queue(message) || delivering_) return;
    if (writing_ || write_queue() != 0) return flush_soon();
    drained();
  }

  bool is_behind() const { return queue_.size() - written_ >= options_.backlog_bytes; }

  void close() {
    closing_ = true;
    if (!delivering_) flush_soon();
  }

  void when_written(std::function<void()> then) {
    then_ = std::move(then);
    flush_soon();
  }

  void limit_patience(std::chrono::milliseconds grace) {
    if (handler_ == nullptr) return;
    patience_.expires_after(grace);
    patience_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
      if (error || self->handler_ == nullptr) return;
      self->patience_over_ = true;
      if (self->writing_) self->lose_patience();
    });
  }

 private:
  // Returns false if nobody reads the message any more.
  bool queue(std::string_view message) {
    if (peer_gone_ || closing_) return false;
    queue_.append(message).push_back('\n');
    was_behind_ = was_behind_ || is_behind();
    return true;
  }

  void read() {
    reading_ = false;
    if (handler_ == nullptr || closing_ || input_ended_) return;
    const auto space = lines_.space();
    const ssize_t count = ::read(in_fd_.get(), space.data(), space.size());
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
      return read_later();
    if (count <= 0) {
      input_ended_ = true;
    } else {
      lines_.filled(static_cast<std::size_t>(count));
    }
    deliver();
  }

  void read_later() {
    if (reading_ || handler_ == nullptr || closing_ || input_ended_) return;
    reading_ = true;
    const auto self = shared_from_this();
    if (!in_can_wait_) {
      asio::post(io_, [self] { self->read(); });
      return;
    }
    in_.async_wait(WaitType::wait_read, [self](const boost::system::error_code& error) {
      // What epoll refuses, as a regular file, is always ready.
      if (error == asio::error::operation_not_supported) self->in_can_wait_ = false;
      if (error != asio::error::operation_aborted) self->read();
    });
  }

  // Hands on the lines that are there, as long as the peer takes its answers.
  void deliver() {
    delivering_ = true;
    while (handler_ != nullptr && !closing_) {
      paused_ = is_behind();
      if (paused_) break;
      const auto line = lines_.next();
      if (!line) {
        finish_chunk();
        break;
      }
      hand_on(*line);
    }
    delivering_ = false;
    flush();
  }

  void finish_chunk() {
    if (!input_ended_) return read_later();
    if (end_told_) return;
    const auto rest = lines_.rest();
    if (rest) hand_on(*rest);
    tell_end();
  }

  void hand_on(const LineSplitter::Line& line) {
    if (line.overlong) {
      handler_->on_overlong_line(line.text, line.ends);
    } else {
      handler_->on_line(line.text);
    }
  }

  void tell_end() {
    if (handler_ == nullptr || end_told_) return;
    end_told_ = true;
    handler_->on_end();
  }

  // What is sent until the end of this turn leaves in one write.
  void flush_soon() {
    if (flush_posted_) return;
    flush_posted_ = true;
    asio::post(io_, [self = shared_from_this()] {
      self->flush_posted_ = false;
      self->flush();
    });
  }

  void flush() {
    if (writing_) return;
    const int fault = write_queue();
    if (fault == 0) return drained();
    fault == EAGAIN || fault == EWOULDBLOCK ? write_later() : lose_peer();
  }

  // Returns 0, or the errno of a write that failed.
  int write_queue() {
    if (written_ < queue_.size() && options_.before_write && handler_ != nullptr) {
      options_.before_write();
    }
    while (written_ < queue_.size()) {
      const ssize_t count =
          ::write(out_fd_.get(), queue_.data() + written_, queue_.size() - written_);
      if (count >= 0) {
        written_ += static_cast<std::size_t>(count);
      } else if (errno != EINTR) {
        return errno;
      }
    }
    return 0;
  }

  void write_later() {
    if (patience_over_) return lose_patience();
    writing_ = true;
    // What was written is dropped now and then, not at every turn: large queues would move for
    // ever.
    if (written_ > queue_.size() / 2) {
      queue_.erase(0, written_);
      written_ = 0;
    }
    out_.async_wait(WaitType::wait_write,
                    [self = shared_from_this()](const boost::system::error_code& error) {
                      self->writing_ = false;
                      if (!error) return self->flush();
                      if (error != asio::error::operation_aborted) self->lose_peer();
                    });
  }

  void drained() {
    queue_.clear();
    written_ = 0;
    if (queue_.capacity() > 4 * options_.backlog_bytes) queue_.shrink_to_fit();
    if (std::exchange(paused_, false) && !closing_) {
      asio::post(io_, [self = shared_from_this()] { self->deliver(); });
    }
    if (std::exchange(was_behind_, false) && !closing_) {
      asio::post(io_, [self = shared_from_this()] {
        if (self->handler_ != nullptr && !self->end_told_) self->handler_->on_drained();
      });
    }
    if (closing_) end();
  }

  void lose_patience() {
    log::warning("transport", "the client did not read its answers",
                 {{"bytes", std::to_string(queue_.size() - written_)}});
    lose_peer();
  }

  void lose_peer() {
    peer_gone_ = true;
    queue_.clear();
    written_ = 0;
    input_ended_ = true;
    tell_end();
    end();
  }

  void end() {
    const auto then = std::exchange(then_, nullptr);
    stop();
    if (then) then();
  }

  asio::io_context& io_;
  PrivateFd in_fd_;
  PrivateFd out_fd_;
  Descriptor in_;
  Descriptor out_;
  asio::steady_timer patience_;
  StdioOptions options_;
  LineHandler* handler_ = nullptr;
  LineSplitter lines_;
  std::function<void()> then_;  // of when_written()
  std::string queue_;
  std::size_t written_ = 0;  // of queue_

  bool reading_ = false;
  bool in_can_wait_ = true;
  bool delivering_ = false;
  bool was_behind_ = false;  // since the queue was empty
  bool paused_ = false;      // lines wait in lines_ until the queue has drained
  bool writing_ = false;
  bool flush_posted_ = false;
  bool closing_ = false;
  bool peer_gone_ = false;
  bool patience_over_ = false;
  bool input_ended_ = false;
  bool end_told_ = false;
};

Stdio::Stdio(asio::io_context& io, int in, int out, StdioOptions options) {
  ignore_broken_pipes();
  loop_ = std::make_shared<Loop>(io, in, out, std::move(options));
}

Stdio::~Stdio() {
  loop_->stop();
}

void Stdio::start(LineHandler& handler) {
  loop_->start(handler);
}
void Stdio::send(std::string_view message) {
  loop_->send(message);
}
void Stdio::send_last(std::string_view message) {
  loop_->send_last(message);
}
bool Stdio::is_behind() const {
  return loop_->is_behind();
}
void Stdio::close() {
  loop_->close();
}
void Stdio::when_written(std::function<void()> then) {
  loop_->when_written(std::move(then));
}
void Stdio::limit_patience(std::chrono::milliseconds grace) {
  loop_->limit_patience(grace);
}

}  // namespace host::transport
