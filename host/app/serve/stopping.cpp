#include "app/serve/stopping.h"

#include <boost/asio/post.hpp>

#include <fcntl.h>
#include <csignal>
#include <cstdlib>
#include <string>
#include <utility>

#include "app/core/core.h"
#include "base/log.h"
#include "base/process/spawn.h"
#include "base/unique_fd.h"

namespace host::app {
namespace {

namespace asio = boost::asio;

// For the answers of calls that were ended to leave.
constexpr Stopping::Duration kForAnswers{1000};

// Once the terminal is gone, the kernel has taken it from every process of its session.
bool has_terminal() {
  return static_cast<bool>(
      UniqueFd(::open("/dev/tty", O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)));
}

// nohup, or a service manager, has said so.
bool is_ignored(int signal) {
  struct sigaction now {};
  return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

Stopping::Stopping(Core& core, Transport transport)
    : core_(core),
      transport_(std::move(transport)),
      had_terminal_(has_terminal()),
      signals_(core.io(), SIGTERM, SIGINT),
      timer_(core.io()) {
  if (!is_ignored(SIGHUP)) signals_.add(SIGHUP);
}

void Stopping::listen() {
  signals_.async_wait([this](boost::system::error_code error, int signal) {
    if (error || all_over_) return;  // a signal may be on its way here when the wait is cancelled
    listen();
    hear(signal);
  });
}

void Stopping::hear(int signal) {
  if (signal == SIGHUP && (!had_terminal_ || has_terminal())) {
    if (stage_ == Stage::Serving) transport_.hang_up();
    return;
  }
  switch (stage_) {
    case Stage::Serving:
      return begin();
    case Stage::Draining:
      log::warning("app", "a second signal: calls are ended immediately");
      return end_calls();
    case Stage::Ending:
      return transport_.cut_off_in(Duration(0));
    case Stage::Over:
      return core_.plugins().hurry();
  }
}

void Stopping::begin() {
  stage_ = Stage::Draining;
  const Duration timeout = core_.config().server.stop_timeout;
  log::info("app", "stopping", {{"calls", std::to_string(core_.live_calls().size())}});
  core_.live_calls().close();
  core_.end_waits();
  transport_.close();
  transport_.cut_off_in(timeout + kForAnswers);
  timer_.expires_after(timeout);
  timer_.async_wait([this](boost::system::error_code error) {
    if (!error) end_calls();
  });
  core_.live_calls().when_none([this] { asio::post(core_.io(), [this] { finish_if_done(); }); });
}

void Stopping::end_calls() {
  if (stage_ != Stage::Draining) return;
  stage_ = Stage::Ending;
  timer_.cancel();
  if (const std::size_t calls = core_.live_calls().size(); calls > 0) {
    log::warning("app", "calls that still ran were ended (server.stop_timeout_s)",
                 {{"calls", std::to_string(calls)}});
  }
  core_.live_calls().end_all(Cancel::By::Stop);
  transport_.cut_off_in(kForAnswers);
  finish_if_done();
}

void Stopping::transport_is_done() {
  transport_done_ = true;
  finish_if_done();
}

// A call may have no connection: a task, or one that a plugin makes.
void Stopping::finish_if_done() {
  const bool calls_may_run = stage_ == Stage::Draining;
  if (!transport_done_ || (calls_may_run && core_.live_calls().size() > 0)) return;
  finish(EXIT_SUCCESS);
}

void Stopping::finish(int exit_code) {
  if (std::exchange(stage_, Stage::Over) == Stage::Over) return;
  timer_.cancel();
  core_.live_calls().when_none(nullptr);
  core_.live_calls().end_all(Cancel::By::Stop);  // first: whoever else ends them says less
  transport_.over();
  spawn_main(core_.io().get_executor(), [this, exit_code]() -> asio::awaitable<void> {
    const bool all_ended = co_await core_.stop();
    all_over_ = true;
    signals_.cancel();
    if (all_ended) co_return;
    log::warning("app",
                 "code of a plugin that runs inside the host does not end: leaving without it");
    std::_Exit(exit_code);
  });
}

}  // namespace host::app
