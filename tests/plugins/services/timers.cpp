// A plugin of timers alone: what becomes of them, and of what they ask, when its instance goes.
// Says in the log what happens, so that the order can be read there.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <toolpost/toolpost.hpp>

namespace {

using toolpost::LogLevel;

struct Arm {
  int timers;
  std::uint64_t delay_ms = 0;
  std::uint64_t period_ms = 0;
  TOOLPOST_FIELDS(Arm, TOOLPOST_FIELD(timers), TOOLPOST_FIELD(delay_ms, "", toolpost::defaulted),
                  TOOLPOST_FIELD(period_ms, "", toolpost::defaulted))
};

struct Slow {
  int ms;
  TOOLPOST_FIELDS(Slow, TOOLPOST_FIELD(ms))
};

class Timers {
 public:
  explicit Timers(toolpost::Host host) : host_(host) {}
  ~Timers() {
    alive_ = false;
    if (called_) host_.log(LogLevel::Info, "destroyed after " + std::to_string(turns_) + " turns");
  }

  // Asks from the first moment on: a host must be ready for it.
  void activate() { start(0, 1, &Timers::ask); }
  void quiesce(std::chrono::milliseconds) {
    if (called_) host_.log(LogLevel::Info, "quiescing at " + std::to_string(turns_) + " turns");
  }

  std::string arm(const Arm& args) {
    called_ = true;
    int armed = 0;
    for (int i = 0; i < args.timers; ++i)
      armed += start(args.delay_ms, args.period_ms, &Timers::turn) ? 1 : 0;
    return std::to_string(armed);
  }
  std::string slow(const Slow& args) {
    called_ = true;
    slow_ms_ = args.ms;
    return start(0, 0, &Timers::sleep) ? "armed" : "none";
  }
  // Every request that was taken is answered, and none twice.
  std::string asked() const {
    return std::to_string(taken_) + " " + std::to_string(answered_ <= taken_);
  }

 private:
  struct Act {
    Timers* self;
    void (*act)(Timers&);
  };

  // Not a toolpost::Timer, which its owner would stop.
  bool start(std::uint64_t delay_ms, std::uint64_t period_ms, void (*act)(Timers&)) {
    const auto kept = [&] {
      const std::lock_guard lock(mutex_);
      return &acts_.emplace_back(Act{this, act});
    }();
    const auto call = [](void* context) {
      const Act& what = *static_cast<Act*>(context);
      what.act(*what.self);
    };
    const auto* api = host_.extension<tp_timer_api>(TP_EXT_TIMER);
    return api->start(host_.id(), delay_ms, period_ms, call, kept) != 0;
  }

  static void turn(Timers& self) {
    if (!self.alive_) self.host_.log(LogLevel::Error, "a turn after the end");
    ++self.turns_;
  }
  static void sleep(Timers& self) {
    self.host_.log(LogLevel::Info, "sleeps");
    std::this_thread::sleep_for(std::chrono::milliseconds(self.slow_ms_));
    self.host_.log(LogLevel::Info, "slept");
  }
  static void ask(Timers& self) {
    const tp_reply reply = {sizeof(tp_reply), 0, &self, [](void* context, const tp_answer*) {
                              ++static_cast<Timers*>(context)->answered_;
                            }};
    const auto* api = self.host_.extension<tp_kv_api>(TP_EXT_KV);
    const tp_status status =
        api->get(self.host_.id(), nullptr, TP_KV_PLUGIN, toolpost::detail::str("k"), &reply);
    if (status == TP_OK) ++self.taken_;
  }

  toolpost::Host host_;
  std::mutex mutex_;
  std::deque<Act> acts_;  // as long as this: nobody says when one is over
  bool alive_ = true;
  std::atomic<bool> called_ = false;  // a trial's instance is not, and says nothing
  int slow_ms_ = 0;
  long turns_ = 0;  // these on the one thread of timers and answers, and after its end
  std::atomic<long> taken_ = 0;
  std::atomic<long> answered_ = 0;
};

}  // namespace

TOOLPOST_PLUGIN(toolpost::Plugin<Timers>({.id = "org.toolpost.test.timers",
                                          .name = "Timers",
                                          .version = "1.0.0",
                                          .concurrent = true})
                    .tool("arm", "Leaves timers", &Timers::arm, {.read_only = true})
                    .tool("slow", "Leaves a timer that takes its time", &Timers::slow,
                          {.read_only = true})
                    .tool("asked", "Says how often a timer asked", &Timers::asked,
                          {.read_only = true}))
