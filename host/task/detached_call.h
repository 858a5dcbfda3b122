// One detached call from its start to its end: it keeps the record while the call passes the call
// pipeline. I/O thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/result.h"
#include "task/records.h"
#include "tool/call/call.h"
#include "tool/call/recorder.h"

namespace host::task {

class DetachedCall final : public tool::Recorder {
 public:
  // `records` outlives it. `waits_for_person`: called when the call begins to wait for a person.
  DetachedCall(boost::asio::any_io_executor executor, Records& records, const tool::Record& record,
               std::function<void(DetachedCall& call)> waits_for_person);

  const std::string& id() const { return id_; }
  const std::string& principal() const { return principal_; }
  // Of its run. {}: it does not run.
  SteadyTime deadline() const { return deadline_; }
  void has_run() {
    deadline_ = {};
    call_ = nullptr;
  }

  // The call as it is passed to the pipeline, without its arguments.
  tool::Call make(const tool::Record& record);
  // False: the host stops, and the call must not go on.
  boost::asio::awaitable<bool> pause(std::chrono::milliseconds time);
  // `code`: of its record, which has ended.
  void cancel(Cancel::By by, std::string_view code = {});
  // From now on `call` passes the pipeline, and lives until has_run().
  void runs(tool::Call& call) { call_ = &call; }
  // The host stops.
  void end_waits();

  boost::asio::awaitable<Result<void>> is_accepted() override;
  void waits(std::string_view reason) override;
  boost::asio::awaitable<bool> waits_for_room() override;
  boost::asio::awaitable<Result<void>> begins(const tool::Call& call) override;
  bool was_executed() const override { return was_executed_; }

  bool is_in_lane = false;

 private:
  void take_back();
  void change(tool::Record next);

  Records& records_;
  const std::string id_;
  const std::string principal_;
  const bool was_executed_;
  const std::function<void(DetachedCall& call)> waits_for_person_;
  const std::shared_ptr<Cancel> cancel_ = std::make_shared<Cancel>();
  boost::asio::steady_timer timer_;
  std::chrono::milliseconds next_pause_;
  SteadyTime deadline_{};
  tool::Call* call_ = nullptr;
  bool stopping_ = false;
};

// The call of a record, without its arguments.
tool::Call call_of(const tool::Record& record);

// By whom a record is changed, if it was the host.
inline constexpr std::string_view kByHost = "host";

// A call that did not begin is tried again after such pauses, the second one twice as long as the
// first, and so on.
inline constexpr std::chrono::milliseconds kFirstPause{250};
inline constexpr std::chrono::milliseconds kLongestPause{15'000};

// Writes to the log that a change of a record failed.
void report_lost(const std::string& id, const Error& why);

}  // namespace host::task
