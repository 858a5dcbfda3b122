// A desk is the host's side of the requests that one plugin instance sends to the host's services.
// The Desk limits the number of requests, finds the call of each request, passes the request to the
// service and returns the answer. The Desk's code depends neither on the transport of the requests
// nor on the services. The functions of this header are called on the I/O thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/result.h"
#include "plugin/services/service_table.h"

namespace host::plugin {

// The maximum number of bytes of all requests of one plugin instance that have not ended. A request
// whose call has ended still counts until its service has released the request.
constexpr std::size_t kMostOpenBytes = 16u << 20u;

class Desk : public std::enable_shared_from_this<Desk> {
 public:
  // A function that finds the running call with this number.
  using Find = std::function<std::shared_ptr<tool::Invocation>(std::uint64_t call)>;
  // The Desk calls this function with the answer to each request, perhaps before take() returns,
  // but never after close().
  using Answer = std::function<void(std::uint64_t id, HostAnswer)>;

  // `table` is null if there are no services. The services get `settings` with each request.
  Desk(std::string plugin, std::shared_ptr<const ServiceTable> table, Find find, Answer answer,
       std::shared_ptr<const config::Plugin> settings = nullptr)
      : plugin_(std::move(plugin)),
        table_(std::move(table)),
        settings_(std::move(settings)),
        find_(std::move(find)),
        answer_(std::move(answer)) {}

  // Takes a request that the plugin sent. If the plugin's process sent a malformed request, take()
  // returns an Error.
  Result<void> take(HostCall asked);
  void drop(std::uint64_t id);
  // Stops the requests of a call that has ended, and answers these requests.
  void call_ended(std::uint64_t call);
  void close();

  std::size_t open() const { return open_.size(); }

 private:
  struct Open {
    std::uint64_t call = 0;
    std::shared_ptr<ServiceCall> asked;
  };

  bool has_room_for(const HostCall& asked) const;
  std::shared_ptr<const void> take_room(std::size_t bytes);
  void answered(std::uint64_t id, HostAnswer answer);

  const std::string plugin_;
  const std::shared_ptr<const ServiceTable> table_;
  const std::shared_ptr<const config::Plugin> settings_;
  const Find find_;
  const Answer answer_;
  std::unordered_map<std::uint64_t, Open> open_;
  // The counter is atomic, because the last owner of a request can be on another thread.
  const std::shared_ptr<std::atomic<std::size_t>> bytes_ =
      std::make_shared<std::atomic<std::size_t>>(0);
  bool closed_ = false;
};

}  // namespace host::plugin
