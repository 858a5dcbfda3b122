#include "upstream/stdio/stdio_transport.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <span>

#include "base/log.h"
#include "json/json.h"
#include "json/member_scan.h"
#include "transport/line_splitter.h"
#include "upstream/stdio/pipe_rest.h"
#include "upstream/stdio/process_status.h"
#include "upstream/stdio/stderr_log.h"

namespace host::upstream {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr std::chrono::milliseconds kMostTimeForTheRest{50};
// The keeper writes two lines. toolpost-confine writes more, but not more than its pipe takes.
constexpr std::size_t kMostOfStatus = 64u << 10u;
// A server that does not read may not make the host keep more than this for it.
constexpr std::size_t kMostQueuedMessages = 4;  // of the longest kind
constexpr std::size_t kMostAtOnce = 32;         // messages in one write
// How much longer than its grace period a keeper may take. A server of the same user can stop it.
constexpr std::chrono::milliseconds kKeeperLate{2000};

struct Queued {
  std::string line;
  protocol::Id id;  // of a request, otherwise empty
};

}  // namespace

// Lives until the keeper was reaped, also without its transport.
class StdioProcess : public std::enable_shared_from_this<StdioProcess> {
 public:
  StdioProcess(asio::any_io_executor io, StdioUpstream settings)
      : io_(std::move(io)),
        settings_(std::move(settings)),
        status_(settings_.child),
        lines_(settings_.message_bytes),
        stderr_(settings_.name, settings_.secrets),
        input_(io_),
        output_(io_),
        errors_(io_),
        status_fd_(io_),
        pidfd_(io_),
        pause_(io_),
        rest_(io_),
        errors_rest_(io_),
        keeper_late_(io_) {}

  void open(TransportListener& listener) {
    listener_ = &listener;
    auto child = spawn_upstream(settings_.child);
    if (!child) return end_later(child.error());
    child_ = *std::move(child);
    input_.assign(child_.input.release());
    output_.assign(child_.output.release());
    errors_.assign(child_.errors.release());
    status_fd_.assign(child_.status.release());
    pidfd_.assign(child_.pidfd.release());
    for (auto* const fd : {&input_, &output_, &errors_, &status_fd_}) fd->non_blocking(true);
    read_output();
    read_errors();
    read_status();
    wait_for_end();
  }

  void send(Outgoing message) {
    const bool request = !message.method.empty();
    Queued queued{std::move(message.text), request ? std::move(message.id) : protocol::Id()};
    queued.line += '\n';
    if (queued_bytes_ + queued.line.size() > kMostQueuedMessages * settings_.message_bytes) {
      return refuse(queued.id, "it does not read its input");
    }
    queued_bytes_ += queued.line.size();
    queue_.push_back(std::move(queued));
    if (writing_) return;
    message.is_alone ? write() : write_soon();
  }

  void stop() {
    if (!writing_ && !stopping_) write();  // what waits for the end of this turn
    child_.control.reset();
    error_code ignored;
    if (!writing_) input_.close(ignored);
    if (std::exchange(stopping_, true) || child_.keeper == 0) return;
    keeper_late_.expires_after(settings_.child.grace + kKeeperLate);
    keeper_late_.async_wait([self = shared_from_this()](error_code error) {
      if (error || self->child_.keeper == 0) return;
      log::warning("upstream", "did not end in time: its keeper was killed",
                   {{"upstream", self->settings_.name}});
      kill_keeper(self->child_);
    });
  }

  void leave() {
    listener_ = nullptr;
    stop();
  }

  void pause_reading(std::chrono::milliseconds time) {
    paused_ = true;
    pause_.expires_after(time);
    pause_.async_wait([self = shared_from_this()](error_code error) {
      if (error) return;
      self->paused_ = false;
      if (std::exchange(self->waits_to_read_, false)) self->go_on();
    });
  }

  std::string describe() const {
    return status_.pid() ? "pid " + std::to_string(status_.pid()) : settings_.child.command;
  }
  std::vector<std::string> last_lines() const { return stderr_.last_lines(); }
  const sandbox::Applied& sandbox() const { return status_.sandbox(); }

 private:
  void refuse(const protocol::Id& id, const std::string& why) {
    if (id.empty()) return;
    asio::post(io_, [self = shared_from_this(), id, why] {
      if (self->listener_) self->listener_->failed(id, Reached::No, Error{ErrorKind::Io, why});
    });
  }

  // The messages of one turn of the loop leave in one write, so that the server wakes up once.
  void write_soon() {
    if (std::exchange(write_posted_, true)) return;
    asio::post(io_, [self = shared_from_this()] {
      self->write_posted_ = false;
      if (!self->writing_) self->write();
    });
  }

  void write() {
    while (!queue_.empty() && input_.is_open()) {
      error_code error;
      const std::size_t bytes = queue_.size() == 1 ? input_.write_some(rest_of_first(), error)
                                                   : input_.write_some(next_to_write(), error);
      if (error == asio::error::would_block) return write_later();
      if (error) return cannot_write();
      wrote(bytes);
    }
  }

  asio::const_buffer rest_of_first() const { return asio::buffer(queue_.front().line) + written_; }

  std::array<asio::const_buffer, kMostAtOnce> next_to_write() const {
    std::array<asio::const_buffer, kMostAtOnce> parts;
    std::size_t count = 0;
    for (const Queued& queued : queue_) {
      if (count == parts.size()) break;
      parts[count++] = asio::buffer(queued.line);
    }
    parts[0] += written_;
    return parts;
  }

  void wrote(std::size_t bytes) {
    written_ += bytes;
    while (!queue_.empty() && written_ >= queue_.front().line.size()) {
      const std::size_t whole = queue_.front().line.size();
      written_ -= whole;
      queued_bytes_ -= whole;
      queue_.pop_front();
    }
  }

  void write_later() {
    writing_ = true;
    input_.async_wait(asio::posix::stream_descriptor::wait_write,
                      [self = shared_from_this()](error_code error) {
                        self->writing_ = false;
                        if (!self->input_.is_open()) return;  // its end was handled before this
                        error || self->stopping_ ? self->cannot_write() : self->write();
                      });
  }

  // It cannot be called any more, also if it still runs. The end of the process tells the rest.
  void cannot_write() {
    error_code ignored;
    input_.close(ignored);
    if (!stopping_) stop();
  }

  // ---- what it writes

  void read_output() {
    output_.async_wait(asio::posix::stream_descriptor::wait_read,
                       [self = shared_from_this()](error_code error) {
                         if (!error && self->output_.is_open()) self->take_output();
                       });
  }

  // Nothing is read ahead of a handler: has_ended() reads the rest into the same buffer.
  void take_output() {
    if (paused_) {
      waits_to_read_ = true;
      return;
    }
    const std::span<char> space = lines_.space();
    error_code error;
    const std::size_t bytes = output_.read_some(asio::buffer(space.data(), space.size()), error);
    lines_.filled(bytes);
    output_at_end_ = error && error != asio::error::would_block;
    take_lines(bytes);
  }

  // As many as the budget allows, and none while it is paused.
  void take_lines(std::size_t bytes) {
    Work work(settings_.budget, bytes);
    has_lines_ = true;
    while (has_lines_ && !paused_ && !work.is_long()) {
      const auto line = lines_.next();
      has_lines_ = line.has_value();
      if (line) take(*line);
    }
    if (!output_.is_open()) return;
    const auto debt = work.end();
    if (debt.count() == 0 && (!has_lines_ || paused_)) return go_on();
    resting_ = true;
    rest_.expires_after(debt);
    rest_.async_wait([self = shared_from_this()](error_code error) {
      if (error) return;
      self->resting_ = false;
      self->go_on();
    });
  }

  void go_on() {
    if (!output_.is_open() || resting_) return;
    if (paused_) {
      waits_to_read_ = true;
      return;
    }
    if (has_lines_) return take_lines(0);
    output_at_end_ ? output_ended() : read_output();
  }

  void take(const transport::LineSplitter::Line& line) {
    if (!listener_ || stopping_ || !is_confined_as_ordered()) return;
    if (!line.overlong) return listener_->message(line.text, {});
    if (!overlong_) overlong_.emplace("id");
    overlong_->take(line.text);
    if (!line.ends) return;
    const bool answer = !overlong_->has("method");
    const std::string id(overlong_->kept());
    overlong_.reset();
    log::warning("upstream", "sent a line that is too long: it was dropped",
                 {{"upstream", settings_.name}});
    if (answer && !id.empty() && listener_) {
      listener_->failed(id, Reached::Perhaps,
                        Error{ErrorKind::PluginFault,
                              "its answer is longer than limits.upstream_message_bytes (" +
                                  std::to_string(settings_.message_bytes) + ")"});
    }
  }

  // The newline after its last message can be missing.
  void take_last_line() {
    const auto line = lines_.rest();
    if (line && (line->overlong || is_whole(line->text))) take(*line);
  }

  // It cannot answer any more, also if it still runs.
  void output_ended() {
    take_last_line();
    if (!stopping_) closed_output_ = true;
    stop();
  }

  void read_errors() {
    errors_.async_wait(asio::posix::stream_descriptor::wait_read,
                       [self = shared_from_this()](error_code error) {
                         if (!error && self->errors_.is_open()) self->take_errors();
                       });
  }

  void take_errors() {
    error_code error;
    const std::size_t bytes = errors_.read_some(asio::buffer(error_bytes_), error);
    Work work(settings_.budget, bytes);
    stderr_.add({error_bytes_.data(), bytes});
    if (error && error != asio::error::would_block) return stderr_.end();
    const auto debt = work.end();
    if (debt.count() == 0) return read_errors();
    errors_rest_.expires_after(debt);
    errors_rest_.async_wait([self = shared_from_this()](error_code failed) {
      if (!failed && self->errors_.is_open()) self->read_errors();
    });
  }

  void read_status() {
    status_fd_.async_wait(asio::posix::stream_descriptor::wait_read,
                          [self = shared_from_this()](error_code error) {
                            if (!error && self->status_fd_.is_open()) self->take_more_status();
                          });
  }

  void take_more_status() {
    error_code error;
    const std::size_t bytes = status_fd_.read_some(asio::buffer(status_bytes_), error);
    take_status({status_bytes_.data(), bytes});
    if (!error || error == asio::error::would_block) read_status();
  }

  void take_status(std::string_view bytes) {
    const bool had_report = status_.has_sandbox_report();
    status_.take(bytes);
    if (!had_report && status_.has_sandbox_report()) check_confinement();
  }

  void check_confinement() {
    sandbox_fault_ = status_.sandbox_fault();
    is_confined_ = sandbox_fault_.empty();
    is_confined_ ? status_.log_sandbox(settings_.name) : stop();
  }

  // toolpost-confine reports before it executes the server, so the report precedes all that the
  // server writes. A program in the place of toolpost-confine must not look like a sandbox.
  bool is_confined_as_ordered() {
    if (!settings_.child.sandbox || is_confined_) return true;
    if (!status_.has_sandbox_report() && status_fd_.is_open()) {
      take_rest(status_fd_.native_handle(), kMostOfStatus,
                [this](std::string_view bytes) { take_status(bytes); });
    }
    if (!status_.has_sandbox_report()) check_confinement();
    return is_confined_;
  }

  // ---- the end

  void wait_for_end() {
    pidfd_.async_wait(asio::posix::stream_descriptor::wait_read,
                      [self = shared_from_this()](error_code error) {
                        if (!error) self->has_ended();
                      });
  }

  void has_ended() {
    if (!reap_upstream(child_)) return wait_for_end();
    read_the_rest();
    const Error why = reason();
    error_code ignored;
    for (auto* const fd : {&input_, &output_, &errors_, &status_fd_, &pidfd_}) fd->close(ignored);
    pause_.cancel();
    rest_.cancel();
    errors_rest_.cancel();
    keeper_late_.cancel();
    child_.control.reset();
    fail_unsent(why);
    if (TransportListener* const listener = std::exchange(listener_, nullptr)) listener->ended(why);
  }

  void read_the_rest() {
    const SteadyTime until = steady_now() + kMostTimeForTheRest;
    const auto take_all = [&] {
      while (steady_now() < until) {
        const auto line = lines_.next();
        if (!line) return;
        take(*line);
      }
    };
    take_all();
    error_code error;
    for (std::size_t read = 0; output_.is_open() && read < kMostOfTheRest;) {
      if (steady_now() >= until) break;
      const std::span<char> space = lines_.space();
      const std::size_t bytes = output_.read_some(asio::buffer(space.data(), space.size()), error);
      if (error || bytes == 0) break;
      read += bytes;
      lines_.filled(bytes);
      take_all();
    }
    take_last_line();
    if (errors_.is_open()) {
      take_rest(errors_.native_handle(), kMostOfTheRest,
                [this](std::string_view bytes) { stderr_.add(bytes); });
    }
    stderr_.end();
    if (status_fd_.is_open()) {
      take_rest(status_fd_.native_handle(), kMostOfStatus,
                [this](std::string_view bytes) { take_status(bytes); });
    }
  }

  Error reason() const {
    for (const std::string& fault : {status_.start_fault(), sandbox_fault_})
      if (!fault.empty()) return {ErrorKind::Io, fault};
    // The keeper stopped it, because of that. Any other signal is why the output ended.
    if (closed_output_ && status_.ended_by_stop())
      return {ErrorKind::Unavailable, "it closed its standard output"};
    if (status_.end().empty()) return {ErrorKind::Unavailable, "its keeper ended"};
    return {ErrorKind::Unavailable, "its process " + status_.end()};
  }

  void fail_unsent(const Error& why) {
    if (!queue_.empty() && written_ > 0) queue_.pop_front();  // it may have read that
    for (const Queued& queued : queue_) {
      if (listener_ && !queued.id.empty())
        listener_->failed(queued.id, Reached::No, Error{ErrorKind::Unavailable, why.message});
    }
    queue_.clear();
  }

  void end_later(const Error& why) {
    asio::post(io_, [self = shared_from_this(), why] {
      if (TransportListener* const listener = std::exchange(self->listener_, nullptr))
        listener->ended(why);
    });
  }

  const asio::any_io_executor io_;
  const StdioUpstream settings_;
  TransportListener* listener_ = nullptr;  // null: nobody listens any more
  Child child_;
  ProcessStatus status_;
  transport::LineSplitter lines_;
  std::optional<json::MemberScan> overlong_;  // of the line that is being dropped
  StderrLog stderr_;
  asio::posix::stream_descriptor input_;
  asio::posix::stream_descriptor output_;
  asio::posix::stream_descriptor errors_;
  asio::posix::stream_descriptor status_fd_;
  asio::posix::stream_descriptor pidfd_;
  asio::steady_timer pause_;        // by the listener
  asio::steady_timer rest_;         // by the budget
  asio::steady_timer errors_rest_;  // the same, of standard error
  asio::steady_timer keeper_late_;
  bool paused_ = false;
  bool waits_to_read_ = false;
  bool resting_ = false;
  bool has_lines_ = false;  // that were read and not taken
  bool output_at_end_ = false;
  std::array<char, 4096> error_bytes_{};
  std::array<char, 256> status_bytes_{};
  std::deque<Queued> queue_;  // a part of the first may be written
  std::size_t queued_bytes_ = 0;
  std::size_t written_ = 0;    // bytes of the first
  bool writing_ = false;       // the pipe is full
  bool write_posted_ = false;  // at the end of this turn
  bool stopping_ = false;
  bool closed_output_ = false;
  bool is_confined_ = false;   // toolpost-confine reported the layers that the sandbox requires
  std::string sandbox_fault_;  // why it is not, once that is known
};

namespace {

class StdioTransport final : public Transport {
 public:
  StdioTransport(asio::any_io_executor io, StdioUpstream settings)
      : process_(std::make_shared<StdioProcess>(std::move(io), std::move(settings))) {}
  ~StdioTransport() override { process_->leave(); }

  void open(TransportListener& listener) override { process_->open(listener); }
  void send(Outgoing message) override { process_->send(std::move(message)); }
  void cancel(const protocol::Id&, std::string notification) override {
    Outgoing message;
    message.text = std::move(notification);
    process_->send(std::move(message));
  }
  void negotiated(protocol::Version) override {}
  void close() override { process_->stop(); }
  void pause_reading(std::chrono::milliseconds time) override { process_->pause_reading(time); }
  bool silence_means_legacy() const override { return true; }
  bool is_process() const override { return true; }
  std::string describe() const override { return process_->describe(); }
  std::vector<std::string> last_lines() const override { return process_->last_lines(); }
  sandbox::Applied sandbox() const override { return process_->sandbox(); }

 private:
  const std::shared_ptr<StdioProcess> process_;
};

}  // namespace

std::unique_ptr<Transport> make_stdio_transport(boost::asio::any_io_executor io,
                                                StdioUpstream settings) {
  return std::make_unique<StdioTransport>(std::move(io), std::move(settings));
}

}  // namespace host::upstream
