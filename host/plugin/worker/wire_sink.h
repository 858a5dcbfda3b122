// A WireSink sends the plugin's answer to one call to the host. The WireSink checks each part of
// the plugin's answer immediately, and collects the parts as records. The WireSink sends the
// collected records when the call ends or when the records become large.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/progress_rate.h"
#include "plugin/instance/call_sink.h"
#include "plugin/instance/push.h"
#include "plugin/instance/round_builder.h"
#include "plugin/wire/payload_slots.h"
#include "plugin/wire/worker_messages.h"
#include "plugin/worker/channel.h"

namespace host::plugin::worker {

class WireSink final : public CallSink {
 public:
  // The sink calls `on_done` before it sends the Done frame of the call.
  WireSink(Channel& channel, PayloadSlots& slots, std::uint64_t call_id, PushCheck check,
           std::uint32_t abilities, std::function<void()> on_done)
      : channel_(channel),
        slots_(slots),
        call_id_(call_id),
        check_(std::move(check)),
        abilities_(abilities),
        on_done_(std::move(on_done)) {}

  tp_status push(std::uint32_t kind, std::string_view mime, std::string_view bytes) override;
  tp_status error(std::int32_t code, std::string_view message, std::string_view json_data) override;
  tp_status ask(std::string_view key, std::string_view method, std::string_view params) override;
  tp_status keep(std::string_view state) override;
  void progress(double done, double total, std::string_view message) override;
  void log(int level, std::string_view message, std::string_view json_fields) override;
  void done(tp_status status) override;

 private:
  void send_kept();
  void send_progress(double done, double total, std::string_view message);
  void add(Record record);
  void add_piece(Record record);
  void send_records();
  RoundBuilder& round();

  Channel& channel_;
  PayloadSlots& slots_;
  const std::uint64_t call_id_;
  PushCheck check_;
  const std::uint32_t abilities_;        // TP_ASK_... bits
  std::unique_ptr<RoundBuilder> round_;  // null: the call asks no questions
  std::function<void()> on_done_;
  std::string records_;
  ProgressRate steps_{system_clock()};
};

}  // namespace host::plugin::worker
