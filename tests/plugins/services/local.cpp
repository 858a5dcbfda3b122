// tp.config/1, tp.secrets/1, tp.timer/1: what an instance has without asking the host.
#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>

#include "services.h"

namespace {

using toolpost::Context;

struct Name {
  std::string name;
  TOOLPOST_FIELDS(Name, TOOLPOST_FIELD(name))
};

std::string setting(const Name& args, Context& call) {
  const auto value = call.host().setting(args.name);
  return value ? value->text : "nothing";
}

// Its length, so that no result has it.
std::string secret(const Name& args, Context& call) {
  const auto value = call.host().secret(args.name);
  return value ? std::to_string(value->size()) : "nothing";
}

// Says the secret wherever it must not be seen.
void spill(const Name& args, Context& call) {
  const std::string value = call.host().secret(args.name).value_or("");
  call.log(toolpost::LogLevel::Warning, "logged " + value, R"({"in a field":")" + value + "\"}");
  std::printf("printed %s\n", value.c_str());
  std::fflush(stdout);
}

struct Ticks {
  std::uint32_t period_ms;
  int count;
  TOOLPOST_FIELDS(Ticks, TOOLPOST_FIELD(period_ms), TOOLPOST_FIELD(count))
};

// Waits for this many turns of a timer; none comes once it is stopped.
std::string ticks(const Ticks& args, Context& call) {
  std::atomic<int> turns = 0;
  std::atomic<bool> once = false;
  const std::chrono::milliseconds period(args.period_ms);
  toolpost::Timer single = call.host().after(period, [&] { once = true; });
  toolpost::Timer timer = call.host().every(period, [&] { ++turns; });
  if (!timer || !single) return "no timer";
  while (turns < args.count || !once) {
    call.check();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  timer.stop();
  const int at_stop = turns;
  std::this_thread::sleep_for(4 * period);
  return turns == at_stop ? "ticked" : "ticked after its end";
}

// Leaves a timer to whoever ends the instance; a Timer would stop it.
std::string leave(const Ticks& args, Context& call) {
  const auto* timers = call.host().extension<tp_timer_api>(TP_EXT_TIMER);
  const auto nothing = [](void*) {};
  return timers->start(call.host().id(), 0, args.period_ms, nothing, nullptr) != 0 ? "left"
                                                                                   : "none";
}

// Leaves a timer that fires once, at once, and whose function takes the time.
std::string sleep_in_timer(const Ticks& args, Context& call) {
  static std::atomic<std::uint32_t> ms;
  ms = args.period_ms;
  const auto* timers = call.host().extension<tp_timer_api>(TP_EXT_TIMER);
  const auto sleep = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); };
  return timers->start(call.host().id(), 0, 0, sleep, nullptr) != 0 ? "left" : "none";
}

struct Cart {
  int loaves = 0;
  TOOLPOST_FIELDS(Cart, TOOLPOST_FIELD(loaves))
};

// All that the call knows of whoever is behind it.
std::string whose(const Name&, Context& call) {
  std::string told;
  for (const std::string_view text :
       {call.principal(), call.session(), call.request(), call.traceparent(), call.tracestate(),
        call.baggage(), call.agent(), call.value("shop").value_or("(none)")}) {
    told.append(text).append("|");
  }
  const auto* context = call.host().extension<tp_context_api>(TP_EXT_CONTEXT);
  told += toolpost::detail::view(
      context->entry(call.id(), toolpost::detail::str("org.example.cart/1")));
  const auto cart = call.entry<Cart>("org.example.cart/1");
  return told + (cart ? " of " + std::to_string(cart->loaves) : "");
}

// As many as there may be, and one more.
std::string many(Context& call) {
  std::vector<toolpost::Timer> timers;
  for (;;) {
    timers.push_back(call.host().after(std::chrono::hours(1), [] {}));
    if (!timers.back()) return std::to_string(timers.size() - 1);
  }
}

}  // namespace

Services with_local(Services plugin) {
  return std::move(plugin)
      .tool("config_get", "Reads a setting", setting, {.read_only = true})
      .tool("secret_length", "Tells how long a secret is", secret, {.read_only = true})
      .tool("secret_spill", "Logs a secret", spill, {.read_only = true})
      .tool("whose", "Tells who calls", whose, {.read_only = true})
      .tool("timer_ticks", "Waits for a timer", ticks, {.read_only = true})
      .tool("timer_leave", "Leaves a timer", leave, {.read_only = true})
      .tool("timer_sleep", "Leaves a timer that takes its time", sleep_in_timer,
            {.read_only = true})
      .tool("timer_many", "Counts how many timers there may be", many, {.read_only = true});
}
