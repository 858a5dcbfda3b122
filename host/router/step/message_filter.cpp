#include "router/step/message_filter.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/log.h"
#include "base/process/spawn.h"
#include "protocol/log_level.h"

namespace host::router {
namespace {

using boost::asio::awaitable;

// More wait only if an interceptor is slow. Then the newest are left out, and in their place the
// client gets their number.
constexpr std::size_t kMostWaitingMessages = 256;

}  // namespace

class MessageFilter::Filtered final : public tool::Observer {
 public:
  Filtered(Interceptors& interceptors, tool::Call& call, const Route& route,
           Interceptors::Layers& layers, tool::Observer& client, boost::asio::any_io_executor io)
      : interceptors_(interceptors),
        call_(call),
        route_(route),
        layers_(layers),
        client_(client),
        io_(std::move(io)) {}

  bool wants_progress() const override { return client_.wants_progress(); }
  bool wants_log() const override { return client_.wants_log(); }
  bool filters() const override { return true; }

  void progress(double done, double total, std::string_view message) override {
    put({[done, total](tool::Observer& client, const tool::CallText& passed) {
           client.progress(done, total, passed.text);
         },
         {std::string(message), {}},
         std::isfinite(done) && std::isfinite(total) ? std::optional(Step{done, total})
                                                     : std::nullopt});
  }
  // An upstream chooses the name of its logger, and no interceptor reads the name. So the client
  // gets the name of the provider.
  void log(int level, std::string_view, std::string_view message,
           std::string_view json_fields) override {
    put({[level, logger = route_.provider->name()](tool::Observer& client,
                                                   const tool::CallText& passed) {
           client.log(level, logger, passed.text, passed.fields);
         },
         {std::string(message), std::string(json_fields)},
         std::nullopt});
  }

  // Until then, nobody knows how many messages are dropped because of a failure.
  awaitable<void> finish() {
    if (busy_) co_await wait_until_idle();
    if (failed_ == 0) co_return;
    report(failed_, last_, "the interceptor \"" + failing_name() + "\" of this host failed");
  }

 private:
  struct Step {
    double done = 0;
    double total = 0;
  };
  struct Waiting {
    std::function<void(tool::Observer& client, const tool::CallText& passed)> send;
    tool::CallText message;
    std::optional<Step> step;  // of progress with figures that clients can get
    // So many messages were left out here. Then `step` is the last one of them.
    std::size_t left_out = 0;
  };

  void put(Waiting one) {
    if (waiting_.size() < kMostWaitingMessages) {
      waiting_.push_back(std::move(one));
    } else if (Waiting& last = waiting_.back(); last.left_out > 0) {
      ++last.left_out;
      if (one.step) last.step = one.step;
    } else {
      waiting_.push_back({nullptr, {}, one.step, 1});
    }
    if (!busy_) start_passing();
  }

  awaitable<void> wait_until_idle() {
    boost::asio::steady_timer idle(io_, boost::asio::steady_timer::time_point::max());
    idle_ = &idle;
    constexpr auto token = boost::asio::as_tuple(boost::asio::use_awaitable);
    const auto [ended] = co_await idle.async_wait(token);
    (void)ended;
    idle_ = nullptr;
  }

  void report(std::size_t left_out, std::optional<Step> step, const std::string& why) {
    const std::string number = std::to_string(left_out);
    log::warning(
        "router", "messages of a running tool were left out",
        {{"call", call_.passport->call}, {"tool", call_.name}, {"messages", number}, {"why", why}});
    const std::string words = number + (left_out == 1 ? " message was" : " messages were") +
                              " left out here, because " + why;
    if (step && client_.wants_progress()) {
      step->done = figure_beyond_sent(step->done);
      note_sent(*step);
      return client_.progress(step->done, step->total, words);
    }
    if (client_.wants_log())
      client_.log(protocol::kWarning, "toolpost", words, R"({"left_out":)" + number + "}");
  }

  // The interceptor because of which no more messages are passed. Null: none.
  const Interceptors::Layer* failing() const {
    const auto at = std::find_if(layers_.begin(), layers_.end(), [](const auto& layer) {
      return layer.messages_failed && layer.configured->fail == config::FailureMode::Closed;
    });
    return at == layers_.end() ? nullptr : &*at;
  }
  std::string failing_name() const { return failing() ? failing()->configured->plugin : ""; }

  void note_sent(const Step& step) {
    if (!largest_sent_ || step.done > *largest_sent_) largest_sent_ = step.done;
  }
  // Clients get no progress whose figure is not larger than all before it. Tools often keep the
  // figure and change the message.
  double figure_beyond_sent(double figure) const {
    if (!largest_sent_ || figure > *largest_sent_) return figure;
    return std::nextafter(*largest_sent_, HUGE_VAL);
  }

  // Messages that come after pass_all() has ended, and before this hears of it, start it again.
  void start_passing() {
    busy_ = true;
    spawn(io_, {"router", "passes messages through interceptors"}, pass_all(),
          [this](const Result<void>&) {
            busy_ = false;
            if (!waiting_.empty()) return start_passing();
            if (idle_) idle_->cancel();
          });
  }

  // Runs until no message waits.
  awaitable<void> pass_all() {
    while (!waiting_.empty()) {
      Waiting next = std::move(waiting_.front());
      waiting_.pop_front();
      if (next.step) last_ = next.step;
      co_await pass(next);
    }
  }

  awaitable<void> pass(Waiting& next) {
    if (next.left_out > 0 && failing()) {
      failed_ += next.left_out;
      co_return;
    }
    if (next.left_out > 0)
      co_return report(next.left_out, next.step, "an interceptor was too slow");
    if (next.message.text.empty() && next.message.fields.empty())
      co_return send(next, next.message);
    const std::optional<tool::CallText> passed =
        co_await interceptors_.pass_message(call_, route_, layers_, std::move(next.message));
    if (passed) {
      send(next, *passed);
    } else if (failing()) {
      ++failed_;
    }
  }

  void send(const Waiting& one, const tool::CallText& passed) {
    if (one.step) note_sent(*one.step);
    one.send(client_, passed);
  }

  Interceptors& interceptors_;
  tool::Call& call_;
  const Route& route_;
  Interceptors::Layers& layers_;
  tool::Observer& client_;
  const boost::asio::any_io_executor io_;
  std::deque<Waiting> waiting_;
  std::optional<Step> last_;            // of the last progress
  std::optional<double> largest_sent_;  // the largest figure of a progress that the client got
  std::size_t failed_ = 0;              // messages that were dropped because an interceptor failed
  bool busy_ = false;
  boost::asio::steady_timer* idle_ = nullptr;
};

MessageFilter::MessageFilter(Interceptors& interceptors, tool::Call& call, const Route& route,
                             Interceptors::Layers& layers, boost::asio::any_io_executor io)
    : call_(call), client_(call.observer) {
  const bool reads = std::any_of(layers.begin(), layers.end(), [](const auto& layer) {
    return layer.provider && layer.provider->offer().intercepts.message;
  });
  if (!client_ || !reads) return;
  filtered_ =
      std::make_unique<Filtered>(interceptors, call, route, layers, *client_, std::move(io));
  call.observer = filtered_.get();
}

MessageFilter::~MessageFilter() {
  call_.observer = client_;
}

awaitable<void> MessageFilter::finish() {
  call_.observer = client_;
  if (filtered_) co_await filtered_->finish();
}

}  // namespace host::router
