// Makes one attempt of a delivery: a signed POST to the receiver. The POST follows no redirects,
// and is sent only to addresses that the gate allows (outbound/gate.h). Only the status of the
// receiver's response decides whether the attempt was successful. The sender reads the response's
// body up to a limit and ignores it, so that the connection can be used again. The functions of
// Sender are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "outbound/gate.h"

namespace host::webhook {

struct Message {
  std::string url;
  std::vector<std::string> secrets;  // bytes; one signature per secret
  std::string id;
  std::string body;
  std::string principal;  // the owner of the webhook
};

struct Answer {
  int status = 0;       // 0: no answer arrived
  std::string failure;  // why the receiver did not accept the event; empty: the event was accepted
  std::optional<std::chrono::milliseconds> retry_after;
  bool was_not_made = false;  // the host could not make the attempt

  bool is_accepted() const { return failure.empty(); }
  bool is_gone() const { return status == 410; }
};

// Checks whether the host could send deliveries to this URL. check_url() does not use the network.
// `loopback` and `internal` have the same meaning as in Sender::Settings.
Result<void> check_url(const std::string& url, const outbound::AllowList& loopback,
                       const outbound::AllowList& internal);

class Sender {
 public:
  struct Settings {
    std::chrono::milliseconds timeout{std::chrono::seconds(10)};  // time limit of one attempt
    std::uint64_t answer_bytes = 64u << 10u;  // maximum size of the part of the answer that is read
    std::uint32_t concurrent = 1024;
    std::vector<std::string> loopback;  // allowed origins on this machine
    std::vector<std::string> internal;  // allowed https origins on private networks
    std::filesystem::path ca_file;      // empty: the system's certificates
    std::string user_agent;
  };

  Sender(boost::asio::any_io_executor io, Settings settings, const Clock& clock);
  ~Sender();  // closes the connections; afterwards no callback runs
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;

  Result<void> check_url(const std::string& url) const {
    return webhook::check_url(url, loopback_, internal_);
  }

  // The sender calls `done` once, and never before send() returns.
  using Done = std::function<void(Answer)>;
  // Returns the number of the attempt.
  std::uint64_t send(const Message& message, Done done);
  // Ends an attempt without calling its `done`, and closes the attempt's connection. drop() does
  // nothing if the attempt has ended.
  void drop(std::uint64_t number);

 private:
  struct Attempt;

  void ended(std::uint64_t number);

  const boost::asio::any_io_executor io_;
  const Settings settings_;
  const Clock& clock_;
  const outbound::AllowList loopback_;
  const outbound::AllowList internal_;
  outbound::Gate gate_;
  std::map<std::uint64_t, std::shared_ptr<Attempt>> attempts_;
  std::uint64_t last_ = 0;
  const std::shared_ptr<bool> is_alive_ = std::make_shared<bool>(true);
};

}  // namespace host::webhook
