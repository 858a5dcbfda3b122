// Reads what one upstream offers in addition to tools: its resources, templates and prompts. The
// host reads the lists after each connection and after each notification of a change, and keeps
// them while the upstream is not connected. The start of the upstream does not wait for these
// lists. The functions are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/job_thread.h"
#include "config/config.h"
#include "upstream/connection/connection.h"
#include "upstream/connection/list_fetch.h"
#include "upstream/provider/served_offer.h"

namespace host::upstream {

class Offering : public std::enable_shared_from_this<Offering> {
 public:
  struct Surroundings {
    boost::asio::any_io_executor io;
    const config::Upstream& upstream;
    const config::Config& config;
    std::shared_ptr<JobThread> jobs;
    std::function<void()> changed;  // called when served() returns a new offer
    std::chrono::milliseconds read_again_after;
  };
  explicit Offering(Surroundings around);

  // Starts to read all lists that the upstream has. The Offering uses `connection` until
  // disconnected() is called.
  void connected(Connection& connection);
  void disconnected();
  void list_changed(ListKind kind);
  // Sets the URIs of all resources to which clients are subscribed, from all providers. The
  // connection subscribes to those URIs that this upstream has, at most limits.upstream_resources.
  void follow(const std::set<std::string>& uris);
  bool is_followed() const { return !followed_.empty(); }
  bool is_reading() const { return reading_; }
  // Calls `done` when no list is being read. If no list is being read now, the function calls
  // `done` at once.
  void when_read(std::function<void()> done);

  const std::shared_ptr<const ServedOffer>& served() const { return served_; }
  // Returns the entries of the last lists that the host does not serve, and the lists that could
  // not be read.
  std::vector<tool::Refusal> refusals() const;

 private:
  static constexpr std::size_t kKinds = 3;
  struct List {
    bool is_due = false;
    ServedOffer made;
    std::vector<tool::Refusal> refusals;
    std::string fault;  // why the list could not be read, or not completely
  };

  List& list(OfferKind kind) { return lists_[static_cast<std::size_t>(kind)]; }
  void read_next();
  void read(OfferKind kind);
  void take(OfferKind kind, Result<FetchedList> fetched);
  void took(OfferKind kind, OfferMaker& maker);
  void all_are_read();
  void publish();
  void read_later();
  void follow_own();
  ListLimits limits() const;

  const Surroundings env_;
  Connection* connection_ = nullptr;  // null: not connected
  std::array<List, kKinds> lists_;
  std::shared_ptr<const ServedOffer> served_ = std::make_shared<const ServedOffer>();
  std::set<std::string> wanted_;    // to which clients are subscribed, at all providers
  std::set<std::string> followed_;  // those of `wanted_` that this upstream has
  bool reading_ = false;
  bool waits_ = false;       // the timer of read_later() runs
  bool was_same_ = true;     // the last reading found no change
  std::uint64_t round_ = 0;  // number of the connection; results of earlier connections are ignored
  std::chrono::milliseconds pause_;  // doubles while each reading finds changes
  boost::asio::steady_timer timer_;
  std::vector<std::function<void()>> waiters_;
};

}  // namespace host::upstream
