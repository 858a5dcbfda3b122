// Keeps the unanswered requests of one plugin instance to the host's services, for plugins in a
// worker and for inline plugins. Every accepted request gets exactly one answer, whatever happens
// to the host, the call or the instance. Any thread can call the functions of this header.
#pragma once

#include <toolpost/ext/reply.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
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
  // The connection by which a plugin reaches the host. Any thread can call the functions of this
  // struct. If a library is loaded only to be validated, `ask` and `drop` are null, and the host
  // accepts no request.
  struct Road {
    std::function<void(HostCall)> ask;
    std::function<void(std::uint64_t id)> drop;
  };
  HostCalls(Road road, CallbackThread& callbacks) : road_(std::move(road)), callbacks_(callbacks) {}

  void open();  // after open(), the plugin's requests are accepted

  // Sends a plugin's request to a service. `call` is null if the request belongs to no tool call.
  tp_status ask(ServiceId service, const tp_call* call, std::string bytes, const tp_reply* reply);

  // Sends a request that the host's own code makes for the plugin, outside any tool call. The
  // function tell() calls `heard` with the answer, exactly once and on any thread.
  using Heard = std::function<void(const HostAnswer&)>;
  tp_status tell(ServiceId service, std::string bytes, Heard heard);

  // Passes an answer of the host to the request `id`. answered() ignores an unknown `id`.
  void answered(std::uint64_t id, HostAnswer answer);
  // Answers the open requests of a tool call. Call call_ended() when the tool call has ended or
  // should stop.
  void call_ended(std::uint64_t call);
  // Accepts no more requests, and answers the open requests. When close() returns, no thread except
  // the callback thread is delivering an answer.
  void close();

 private:
  struct Open {
    std::uint64_t call = 0;
    tp_reply reply{};
    Heard heard = nullptr;  // gets the answer; null: `reply` gets it
  };
  using OpenCalls = std::unordered_map<std::uint64_t, Open>;

  tp_status send(HostCall asked, Open open, std::size_t most);
  void answer(std::unique_lock<std::mutex>& lock, OpenCalls::iterator at, HostAnswer answer);

  const Road road_;
  CallbackThread& callbacks_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable delivered_;
  OpenCalls open_calls_;
  std::atomic<std::size_t> open_count_ = 0;  // the size of open_calls_, for readers without a lock
  std::uint64_t next_ = 1;
  unsigned delivering_ = 0;  // number of threads that deliver an answer at present
  bool open_ = false;
};

}  // namespace host::plugin
