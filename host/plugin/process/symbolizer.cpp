#include "plugin/process/symbolizer.h"

#include <sys/socket.h>
#include <boost/asio/buffer.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <charconv>
#include <memory>
#include <utility>

#include "base/text/encoding.h"
#include "plugin/process/child.h"
#include "plugin/wire/worker_messages.h"

namespace host::plugin {
namespace asio = boost::asio;
namespace {

constexpr std::size_t kMostAnswerBytes = 256u << 10u;
constexpr std::size_t kMostPlaces = 128;
constexpr std::size_t kMostPlaceBytes = 300;

// One such process, until it was reaped.
class Symbolizing : public std::enable_shared_from_this<Symbolizing> {
 public:
  Symbolizing(asio::any_io_executor io, Child child, std::function<void(Trace)> told)
      : child_(std::move(child)), socket_(io), death_(io), timer_(io), told_(std::move(told)) {}
  ~Symbolizing() {
    if (!child_.pidfd) return;
    kill_child(child_);
    reap_child(child_, true);
  }

  void start(const std::string& request, std::chrono::milliseconds patience) {
    boost::system::error_code error;
    socket_.assign(asio::local::stream_protocol(), child_.socket.release(), error);
    socket_.non_blocking(true, error);
    death_.assign(::dup(child_.pidfd.get()), error);
    // Some KiB: the buffer of a fresh socket takes them whole.
    socket_.write_some(asio::buffer(request), error);
    socket_.shutdown(asio::local::stream_protocol::socket::shutdown_send, error);
    timer_.expires_after(patience);
    timer_.async_wait([self = shared_from_this()](boost::system::error_code cancelled) {
      if (!cancelled) self->tell();
    });
    read();
    watch_death();
  }

 private:
  void read() {
    socket_.async_read_some(
        asio::buffer(buffer_),
        [self = shared_from_this()](boost::system::error_code error, std::size_t bytes) {
          self->answer_.append(self->buffer_.data(), bytes);
          if (error || self->answer_.size() > kMostAnswerBytes) return self->tell();
          self->read();
        });
  }

  void tell() {
    timer_.cancel();
    kill_child(child_);
    if (const auto told = std::exchange(told_, nullptr)) told(read_trace(answer_));
  }

  void watch_death() {
    death_.async_wait(asio::posix::stream_descriptor::wait_read,
                      [self = shared_from_this()](boost::system::error_code error) {
                        if (error) return;
                        if (reap_child(self->child_, false).empty()) self->watch_death();
                      });
  }

  Child child_;
  asio::local::stream_protocol::socket socket_;
  asio::posix::stream_descriptor death_;
  asio::steady_timer timer_;
  std::array<char, 4096> buffer_;
  std::string answer_;
  std::function<void(Trace)> told_;
};

std::string as_frame(const TraceRequest& request) {
  WorkerConfig config;
  config.library = request.library;
  config.profile = request.profile;
  for (const std::uint64_t frame : request.frames) {
    char digits[17];
    const auto end = std::to_chars(digits, digits + sizeof digits, frame, 16).ptr;
    config.settings.append(digits, end) += '\n';
  }
  std::string out;
  write_config(out, config);
  return out;
}

std::string_view take_field(std::string_view& line) {
  const std::size_t tab = line.find('\t');
  const std::string_view field = line.substr(0, tab);
  line.remove_prefix(tab == std::string_view::npos ? line.size() : tab + 1);
  return field;
}

bool of_the_system(const SourcePlace& place) {
  return place.file.starts_with("/usr/") || place.file.starts_with("../sysdeps/");
}

}  // namespace

void symbolize(asio::any_io_executor io, const TraceRequest& request,
               std::chrono::milliseconds patience, std::function<void(Trace)> told) {
  auto child = spawn_worker(request.worker, WorkerRole::Symbolize, {});
  if (!child) {
    asio::post(io, [told = std::move(told)] { told({}); });
    return;
  }
  std::make_shared<Symbolizing>(io, std::move(*child), std::move(told))
      ->start(as_frame(request), patience);
}

Trace read_trace(std::string_view text) {
  Trace trace;
  while (!text.empty() && trace.size() < kMostPlaces) {
    const std::size_t newline = text.find('\n');
    if (newline == std::string_view::npos) break;  // cut off
    std::string_view line = text.substr(0, newline);
    text.remove_prefix(newline + 1);
    if (line.empty() || !is_utf8(line)) continue;
    SourcePlace place;
    place.function = utf8_begin(take_field(line), kMostPlaceBytes);
    place.file = utf8_begin(take_field(line), kMostPlaceBytes);
    std::from_chars(line.data(), line.data() + line.size(), place.line);
    trace.push_back(std::move(place));
  }
  return trace;
}

std::string describe(const Trace& trace) {
  std::string words;
  for (const SourcePlace& place : trace) {
    if (!words.empty()) words += " < ";
    words += place.function + " at " + place.file + ":" + std::to_string(place.line);
  }
  return words;
}

std::string describe_own_place(const Trace& trace) {
  if (trace.empty()) return {};
  const SourcePlace* own = &trace.front();
  for (const SourcePlace& place : trace) {
    if (place.file.empty() || of_the_system(place)) continue;
    own = &place;
    break;
  }
  std::string words = own->function.empty() ? "a function without a name" : own->function;
  if (own->file.empty()) return words;
  words += " at " + std::filesystem::path(own->file).filename().string();
  if (own->line > 0) words += ":" + std::to_string(own->line);
  return words;
}

}  // namespace host::plugin
