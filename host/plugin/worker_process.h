// One worker from its start to its end: the handshake, the calls that it has, its death. Whatever
// becomes of it, every call that it was given is finished, once.
//
//   Starting -> Ready -> Retiring -> Gone        and from everywhere: -> Gone, by death
//
// I/O thread only. It lives until its process was reaped, whoever lets go of it.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"
#include "base/result.h"
#include "plugin/child.h"
#include "plugin/frame.h"
#include "plugin/news.h"
#include "plugin/output_log.h"
#include "plugin/pending_call.h"
#include "plugin/worker_messages.h"

namespace host::plugin {

class WorkerProcess : public std::enable_shared_from_this<WorkerProcess> {
 public:
  struct Settings {
    std::filesystem::path executable;
    std::string plugin;  // for messages
    WorkerConfig config;
    bool probe = false;
    std::chrono::milliseconds start_timeout{5000};
    std::chrono::milliseconds grace{2000};  // from a call's cancel to the worker's end
    std::chrono::milliseconds ping_every{5000};
    std::chrono::milliseconds pong_within{15000};  // then it is killed
  };
  using Started = std::function<void(Result<std::string> manifest)>;
  using Ended = std::function<void(const std::string& how)>;

  static std::shared_ptr<WorkerProcess> create(boost::asio::any_io_executor io, Settings settings);
  ~WorkerProcess();

  // `started` comes once, never before this returns: with the manifest, or why there is none.
  void start(Started started);
  // Comes once, after the process was reaped and its calls were finished.
  void on_ended(Ended ended) { ended_ = std::move(ended); }

  bool ready() const { return state_ == State::Ready; }
  bool gone() const { return state_ == State::Gone; }
  pid_t pid() const { return state_ == State::Gone ? 0 : child_.pid; }

  void call(std::shared_ptr<tool::Invocation> invocation);
  void cancel(const tool::Invocation& invocation);

  // What its plugin tells of itself; the next comes after heard_news().
  NewsInbox& news() { return news_; }
  void heard_news();

  // Lets its calls end, then asks it to quiesce and exit; kills it when `drain` is over.
  void retire(std::chrono::milliseconds drain);
  void kill(std::string why);

 private:
  enum class State { Starting, Ready, Retiring, Gone };
  struct Held {
    PendingCall call;
    std::string piece;     // of a push that comes in several records
    SteadyTime kill_at{};  // set once it was cancelled
    bool cancelled = false;
  };
  using Calls = std::unordered_map<std::uint64_t, Held>;

  WorkerProcess(boost::asio::any_io_executor io, Settings settings);

  void settle(Result<std::string> outcome);
  void read();
  bool drain_socket();  // false: nothing more will come
  Result<void> handle_frames();
  Result<void> handle(const Frame& frame);
  Result<void> handle_config_phase(const Frame& frame);
  Result<void> handle_loaded(std::string_view config_schema);
  Result<void> handle_records(Calls::iterator at, BodyReader& body);
  Result<void> handle_record(Held& held, const Record& record);
  static tp_status take_record(PendingCall& call, const Record& record, std::string_view bytes);
  Result<void> handle_done(const Frame& frame);
  void handle_log(const Frame& frame, BodyReader& body);
  void send();  // later in this turn of the loop, with whatever else is to go
  void flush();
  void watch_output();
  void watch_death();
  void died(const std::string& how);
  void cancel(std::uint64_t id, Held& held);
  void quiesce_when_idle();
  void tick();
  void arm_tick();

  boost::asio::any_io_executor io_;
  Settings settings_;
  State state_ = State::Starting;
  Child child_;
  boost::asio::local::stream_protocol::socket socket_;
  boost::asio::posix::stream_descriptor output_;
  boost::asio::posix::stream_descriptor death_;
  boost::asio::steady_timer timer_;  // start, ping, grace, drain
  Started started_;
  Ended ended_;
  OutputLog log_;
  NewsInbox news_;
  std::array<char, 4096> output_buffer_;
  FrameReader reader_;
  std::string out_;     // to be sent
  std::string on_way_;  // being sent
  bool loaded_ = false;
  bool flush_posted_ = false;
  bool writing_ = false;
  bool quiesce_sent_ = false;
  Calls calls_;
  std::uint64_t next_call_ = 1;
  std::string kill_reason_;
  SteadyTime start_by_{};
  SteadyTime drain_by_{};
  SteadyTime pinged_{};
  SteadyTime heard_{};
  bool ticking_fast_ = false;
};

}  // namespace host::plugin
