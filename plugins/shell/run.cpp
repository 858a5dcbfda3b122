#include "run.h"

#include <algorithm>
#include <cerrno>
#include <csignal>

#include <poll.h>

#include <toolpost/toolpost.hpp>

#include "roots/utf8.h"

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kPatience{20};    // between looks at what no descriptor tells
constexpr milliseconds kGrace{500};      // from SIGTERM to SIGKILL
constexpr milliseconds kLastWords{100};  // for output that is still in a pipe when the shell ended
constexpr milliseconds kTellEvery{100};

// Gives the caller what comes in, in whole characters and not too often.
class Watcher {
 public:
  Watcher(const toolpost::Context& call, std::size_t most) : call_(call), left_(most) {}

  void add(std::string_view bytes) {
    bytes = bytes.substr(0, left_);
    left_ -= bytes.size();
    waiting_ += bytes;
  }
  void tell(bool all) {
    const auto now = Clock::now();
    if (waiting_.empty() || (!all && now < next_)) return;
    next_ = now + kTellEvery;
    // The end may be half a character: it comes with the next piece.
    std::size_t whole = toolpost::valid_utf8(waiting_);
    if (all || waiting_.size() - whole > 3) whole = waiting_.size();
    if (whole > 0) pass_on(printable(std::string_view(waiting_).substr(0, whole)));
    waiting_.erase(0, whole);
  }
  // Whether the host said so when it was told something.
  bool cancelled() const { return cancelled_; }

 private:
  // Never ends the command: where the host takes no more, no more is told while the command runs.
  void pass_on(const std::string& text) {
    try {
      call_.partial(text);
    } catch (const toolpost::Cancelled&) {
      cancelled_ = true;
    } catch (const toolpost::Error&) {  // more than a result may have
      left_ = 0;
    }
  }

  const toolpost::Context& call_;
  std::size_t left_;
  bool cancelled_ = false;
  std::string waiting_;
  Clock::time_point next_{};
};

class Run {
 public:
  Run(const Command& command, const toolpost::Context& call)
      : command_(command),
        call_(call),
        process_(command.text, command.cwd, command.environment),
        watcher_(call, command.max_output_bytes),
        outcome_{{},
                 false,
                 false,
                 false,
                 {},
                 Output(command.max_output_bytes),
                 Output(command.max_output_bytes)} {}

  Outcome finish() {
    const auto start = Clock::now();
    while (!over()) {
      read_for(kPatience);
      if (!stopping_ && (call_.cancelled() || watcher_.cancelled())) cancelled_ = true;
      if (!stopping_ && Clock::now() >= command_.until) outcome_.timed_out = true;
      if (cancelled_ || outcome_.timed_out) stop();
      if (!cancelled_) watcher_.tell(false);
    }
    outcome_.runs_on = !process_.end();
    if (cancelled_) throw toolpost::Cancelled();
    watcher_.tell(true);
    outcome_.took = std::chrono::duration_cast<milliseconds>(Clock::now() - start);
    return std::move(outcome_);
  }

 private:
  // The shell has ended, and what it wrote was read.
  bool over() {
    if (!ended_at_) {
      const auto ending = process_.ended();
      if (!ending) return false;
      outcome_.ending = *ending;
      ended_at_ = Clock::now();
    }
    if (!out_open_ && !err_open_) return true;
    if (Clock::now() < *ended_at_ + kLastWords) return false;
    outcome_.left_behind = true;
    return true;
  }

  void stop() {
    const auto now = Clock::now();
    if (!stopping_) {
      stopping_ = now;
      process_.signal(SIGTERM);
    } else if (now >= *stopping_ + kGrace) {
      process_.signal(SIGKILL);
    }
  }

  void read_for(milliseconds patience) {
    pollfd waits[] = {{out_open_ ? process_.out().get() : -1, POLLIN, 0},
                      {err_open_ ? process_.err().get() : -1, POLLIN, 0}};
    // With both pipes closed only the end is left, and it is near.
    const bool closed = !out_open_ && !err_open_;
    if (::poll(waits, 2, closed ? 1 : static_cast<int>(patience.count())) <= 0) return;
    if (waits[0].revents != 0) out_open_ = read_some(process_.out(), outcome_.out);
    if (waits[1].revents != 0) err_open_ = read_some(process_.err(), outcome_.err);
  }

  // One piece, so that a flood cannot keep the loop from looking at the clock.
  bool read_some(const Fd& from, Output& to) {
    char buffer[64 * 1024];
    const ssize_t count = ::read(from.get(), buffer, sizeof buffer);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    const std::string_view bytes(buffer, static_cast<std::size_t>(count));
    to.add(bytes);
    watcher_.add(bytes);
    return count > 0;
  }

  const Command& command_;
  const toolpost::Context& call_;
  Process process_;
  Watcher watcher_;
  Outcome outcome_;
  bool out_open_ = true, err_open_ = true;
  bool cancelled_ = false;
  std::optional<Clock::time_point> stopping_, ended_at_;
};

}  // namespace

Outcome run(const Command& command, const toolpost::Context& call) {
  return Run(command, call).finish();
}
