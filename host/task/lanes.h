// Limits how many detached calls of one principal are in the call pipeline at the same time. If a
// principal's limit is reached, further calls of the principal wait, and start in the order of
// their arrival. The functions of Lanes are called on the I/O thread.
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
  // Starts a call that has waited. Returns false if the call ended while it waited. A call for
  // which Start returned false does not count towards the limit.
  using Start = std::function<bool(const std::string& record)>;
  Lanes(boost::asio::any_io_executor executor, std::size_t most, Start start)
      : executor_(std::move(executor)), most_(most), start_(std::move(start)) {}

  // Returns true if the call can start. Returns false if the principal's limit is reached and the
  // call must wait.
  bool enter(const std::string& principal, const std::string& record);
  // Reports that a call has left the pipeline. The function leave() starts no waiting call itself:
  // the next waiting call starts a little later.
  void leave(const std::string& principal);
  // Reports that a call ended while it waited.
  void forget(const std::string& principal, const std::string& record);
  std::size_t waiting(const std::string& principal) const;
  // After stop(), no call starts any more.
  void stop() { stopped_ = true; }

 private:
  struct Lane {
    std::size_t running = 0;
    std::deque<std::string> waiting;  // ids of records
    bool starts = false;              // true: start_waiting() will run soon
  };

  void start_waiting(const std::string& principal);

  const boost::asio::any_io_executor executor_;
  const std::size_t most_;
  const Start start_;
  std::map<std::string, Lane> lanes_;  // keys: principals
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  bool stopped_ = false;
};

}  // namespace host::task
