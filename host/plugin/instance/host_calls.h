// What one instance has asked of the host's services and has no answer to yet: the plugin's side,
// the same in a worker and inline. Every request that is taken is answered exactly once, whatever
// becomes of the host, the call or the instance. Any thread.
#pragma once

#include <toolpost/ext/reply.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>

#include "plugin/instance/callback_thread.h"
#include "plugin/wire/host_call.h"

namespace host::plugin {

class HostCalls {
 public:
  // To the host, from any thread. Where there is none, nothing can be asked: the trial of a build.
  struct Road {
    std::function<void(HostCall)> ask;
    std::function<void(std::uint64_t id)> drop;
  };
  HostCalls(Road road, CallbackThread& callbacks) : road_(std::move(road)), callbacks_(callbacks) {}

  void open();  // from here on requests are taken

  // call: null where the request belongs to none.
  tp_status ask(ServiceId service, const tp_call* call, std::string bytes, const tp_reply* reply);

  // The host's own side asks, for no call: `heard` comes once, on any thread.
  using Heard = std::function<void(const HostAnswer&)>;
  tp_status tell(ServiceId service, std::string bytes, Heard heard);

  // From the host. One that nobody waits for is ignored.
  void answered(std::uint64_t id, HostAnswer answer);
  // The call has ended, or should stop: what belongs to it is answered.
  void call_ended(std::uint64_t call);
  // No request is taken any more; what is open is answered, and no answer is being given when this
  // returns, save on the callback thread.
  void close();

 private:
  struct Open {
    std::uint64_t call = 0;
    tp_reply reply{};
    Heard heard = nullptr;  // null: `reply` is the plugin's
  };
  using OpenCalls = std::unordered_map<std::uint64_t, Open>;

  tp_status send(HostCall asked, Open open, std::size_t most);
  void answer(std::unique_lock<std::mutex>& lock, OpenCalls::iterator at, HostAnswer answer);

  const Road road_;
  CallbackThread& callbacks_;
  std::mutex mutex_;  // guards the rest
  std::condition_variable delivered_;
  OpenCalls open_calls_;
  std::uint64_t next_ = 1;
  unsigned delivering_ = 0;  // answers that wake a thread, right now
  bool open_ = false;
};

}  // namespace host::plugin
