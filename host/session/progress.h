// A call's progress on its way to the peer: only forward, and not faster than a reader wants it.
#pragma once

#include <string>

#include "base/clock.h"
#include "protocol/json_rpc.h"
#include "protocol/versions.h"
#include "session/outlet.h"
#include "tool/call.h"

namespace host::session {

// Lives as long as its call. Drops what does not increase, and what comes faster than a burst
// allows; the last step (done == total) always goes out.
class Progress : public tool::Observer {
 public:
  // An empty token: nobody asked for progress.
  Progress(Outlet* outlet, protocol::Id token, protocol::Version version, const Clock& clock)
      : outlet_(outlet), token_(std::move(token)), version_(version), clock_(clock) {}

  bool wanted() const { return outlet_ && !token_.empty(); }

  void progress(double done, double total, std::string_view message) override;
  // `logging` is not offered, so lines of a plugin's log do not travel to peers.
  void log(int, std::string_view, std::string_view, std::string_view) override {}

 private:
  bool may_send();

  Outlet* outlet_;
  protocol::Id token_;
  protocol::Version version_;
  const Clock& clock_;
  bool any_ = false;
  double last_ = 0;
  double allowance_ = kBurst;
  SteadyTime refilled_{};

  static constexpr double kBurst = 20;
  static constexpr double kPerSecond = 20;
};

}  // namespace host::session
