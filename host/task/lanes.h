// How many detached calls of one principal are in the call pipeline at once. Further ones wait for
// their turn, in their order. I/O thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace host::task {

class Lanes {
 public:
  // Starts a call that has waited. False: it has ended meanwhile, and takes no place.
  using Start = std::function<bool(const std::string& record)>;
  Lanes(boost::asio::any_io_executor executor, std::size_t most, Start start)
      : executor_(std::move(executor)), most_(most), start_(std::move(start)) {}

  // True: the call has a place and may start. False: it waits for one.
  bool enter(const std::string& principal, const std::string& record);
  // A call gives its place back. The next one starts later, not inside this function.
  void leave(const std::string& principal);
  // A call ended while it waited.
  void forget(const std::string& principal, const std::string& record);
  std::size_t waiting(const std::string& principal) const;
  // No call starts any more.
  void stop() { stopped_ = true; }

 private:
  struct Lane {
    std::size_t running = 0;
    std::deque<std::string> waiting;  // records
    bool starts = false;              // start_waiting() was posted
  };

  void start_waiting(const std::string& principal);

  const boost::asio::any_io_executor executor_;
  const std::size_t most_;
  const Start start_;
  std::map<std::string, Lane> lanes_;  // by principal
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  bool stopped_ = false;
};

}  // namespace host::task
