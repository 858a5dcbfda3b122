// One call's answers on their way to the host: gathered as records, checked as they come, sent with
// the end of the call or when they grow large.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "plugin/call_sink.h"
#include "plugin/push.h"
#include "plugin/worker/channel.h"
#include "plugin/worker_messages.h"

namespace host::plugin::worker {

class WireSink final : public CallSink {
 public:
  // `on_done` runs before the call's end is sent.
  WireSink(Channel& channel, std::uint64_t call_id, std::uint64_t limit,
           std::function<void()> on_done)
      : channel_(channel), call_id_(call_id), check_(limit), on_done_(std::move(on_done)) {}

  tp_status push(std::uint32_t kind, std::string_view mime, std::string_view bytes) override;
  tp_status error(std::int32_t code, std::string_view message, std::string_view json_data) override;
  void progress(double done, double total, std::string_view message) override;
  void log(int level, std::string_view message, std::string_view json_fields) override;
  void done(tp_status status) override;

 private:
  void add(Record record);
  void send_records();

  Channel& channel_;
  const std::uint64_t call_id_;
  PushCheck check_;
  std::function<void()> on_done_;
  std::string records_;
  std::chrono::steady_clock::time_point next_progress_{};
};

}  // namespace host::plugin::worker
