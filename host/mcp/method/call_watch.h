// Sends messages to the client of a call before its result: progress and log lines of the plugin,
// at a limited rate.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "base/progress_rate.h"
#include "base/rate_limit.h"
#include "mcp/peer/outlet.h"
#include "protocol/json_rpc.h"
#include "protocol/versions.h"
#include "tool/call/call.h"

namespace host::mcp {

// A CallWatch lives as long as its call. A CallWatch drops progress that does not increase, and
// messages that arrive too fast, or while the client does not read. A final progress report (done
// >= total) is sent even if it exceeds the rate, but only once in a call. finish() sends the call's
// last progress report if that report arrived too fast. If a CallWatch has dropped log lines, it
// sends their number before the next log line.
class CallWatch : public tool::Observer {
 public:
  struct Wish {
    protocol::Id progress_token;   // empty: the client wants no progress
    std::optional<int> log_level;  // lowest level of the log lines to send; nullopt: send none
  };
  CallWatch(Outlet* outlet, Wish wish, protocol::Version version, const Clock& clock)
      : outlet_(outlet),
        wish_(std::move(wish)),
        version_(version),
        steps_(clock),
        lines_(clock, kBurst, kPerSecond) {}

  bool wants_progress() const override { return outlet_ && !wish_.progress_token.empty(); }
  bool wants_log() const override { return outlet_ && wish_.log_level; }
  bool wanted() const { return wants_progress() || wants_log(); }

  void progress(double done, double total, std::string_view message) override;
  void log(int level, std::string_view logger, std::string_view message,
           std::string_view json_fields) override;
  // Call finish() when the call has ended, before its result is sent.
  void finish();

 private:
  void send(double done, double total, std::string_view message);

  Outlet* outlet_;
  Wish wish_;
  protocol::Version version_;
  ProgressRate steps_;
  RateLimit lines_;
  std::optional<double> last_;
  bool passed_limit_ = false;  // true: the last step was sent although the rate limit was reached
  std::size_t dropped_ = 0;    // log lines dropped since the last line that was sent

  static constexpr double kBurst = 20;
  static constexpr double kPerSecond = 20;
};

}  // namespace host::mcp
