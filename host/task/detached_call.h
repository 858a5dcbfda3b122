// A DetachedCall is one detached call from its start to its end. A DetachedCall updates the call's
// record while the call passes through the pipeline. The functions of DetachedCall are called on
// the I/O thread.
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
  // `records` must outlive the DetachedCall. The DetachedCall calls `waits_for_person` when the
  // call begins to wait for an approval, a one-time code or an answer.
  DetachedCall(boost::asio::any_io_executor executor, Records& records, const tool::Record& record,
               std::function<void(DetachedCall& call)> waits_for_person);

  const std::string& id() const { return id_; }
  const std::string& principal() const { return principal_; }
  // Returns the deadline of the running call. deadline() returns {} if the call does not run.
  SteadyTime deadline() const { return deadline_; }
  void has_run() {
    deadline_ = {};
    call_ = nullptr;
  }

  // Returns a tool::Call for the call pipeline, without arguments. The caller must set the call's
  // arguments.
  tool::Call make(const tool::Record& record);
  // Waits for `time`. Returns false if the host is stopping. If pause() returns false, the call
  // must not continue.
  boost::asio::awaitable<bool> pause(std::chrono::milliseconds time);
  // `code` is the code with which the call's record ends.
  void cancel(Cancel::By by, std::string_view code = {});
  // Call runs() before `call` enters the pipeline. `call` must exist until has_run() is called.
  void runs(tool::Call& call) { call_ = &call; }
  // Ends the waits of the call, because the host is stopping.
  void end_waits();

  boost::asio::awaitable<Result<void>> is_accepted() override;
  void waits(std::string_view reason, std::string_view approval) override;
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

// Returns the call of a record, without its arguments.
tool::Call call_of(const tool::Record& record);
// Returns false if the record has a context that call_of() could not read. If has_its_context()
// returns false, this host must not run the call.
bool has_its_context(const tool::Record& record, const tool::Call& call);

// kByHost is the value of Transition::by if the host itself changed the record.
inline constexpr std::string_view kByHost = "host";

// kFirstPause is the first pause before the host tries again to begin a call that could not begin.
// Each later pause is twice as long as the previous pause.
inline constexpr std::chrono::milliseconds kFirstPause{250};
inline constexpr std::chrono::milliseconds kLongestPause{15'000};

// Writes to the log that a change of a record failed.
void report_lost(const std::string& id, const Error& why);

}  // namespace host::task
