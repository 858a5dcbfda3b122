// A StreamFlight is a request whose response is a stream.
#pragma once

#include <chrono>
#include <memory>

#include "outbound/flight.h"
#include "outbound/pace.h"
#include "outbound/stream.h"

namespace host::outbound {

class StreamFlight final : public Flight {
 public:
  StreamFlight(const boost::asio::any_io_executor& io, Request asked, StreamLimits limits,
               StreamHandlers handlers)
      : Flight(io, std::move(asked)),
        limits_(limits),
        handlers_(std::make_shared<StreamHandlers>(std::move(handlers))),
        pace_(limits.bytes_per_s),
        pace_clock_(io) {}

  std::shared_ptr<const Pieces> pieces() override;
  void start_clock(const Settings& settings) override;

  void pause();
  void resume();
  void close();
  void ended(const Result<Response>& result);

 private:
  void head(HopAnswer answer);
  void body(std::string_view bytes);
  void check_time();
  SteadyTime due() const;
  void set_held();

  const StreamLimits limits_;
  // The pointer to the stream's handlers is shared, so that a running handler can close the stream.
  // If `handlers_` is null, the stream is closed.
  std::shared_ptr<const StreamHandlers> handlers_;
  Pace pace_;
  boost::asio::steady_timer pace_clock_;
  SteadyTime began_{};
  SteadyTime last_byte_{};
  bool has_head_ = false;
  bool paused_ = false;  // paused by the reader
  bool slowed_ = false;  // paused because of bytes_per_s
};

}  // namespace host::outbound
