// What one upstream offers in addition to tools: its resources, templates and prompts. They are
// read after each connection and after each notice of a change, and kept while the upstream is not
// connected. Nothing waits for them. I/O thread only.
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
    std::function<void()> changed;  // served() is another one
    std::chrono::milliseconds read_again_after;
  };
  explicit Offering(Surroundings around);

  // All lists that the upstream has are read. `connection` is used until disconnected().
  void connected(Connection& connection);
  void disconnected();
  void list_changed(ListKind kind);
  // Clients follow these resources, of whatever provider. Of those that this upstream serves, the
  // connection follows as many as limits.upstream_resources.
  void follow(const std::set<std::string>& uris);
  bool is_followed() const { return !followed_.empty(); }
  bool is_reading() const { return reading_; }
  // `done`: once nothing is being read. At once if nothing is.
  void when_read(std::function<void()> done);

  const std::shared_ptr<const ServedOffer>& served() const { return served_; }
  // What is not served of the last lists, and lists that could not be read.
  std::vector<tool::Refusal> refusals() const;

 private:
  static constexpr std::size_t kKinds = 3;
  struct List {
    bool is_due = false;
    ServedOffer made;
    std::vector<tool::Refusal> refusals;
    std::string fault;  // why it was not read, or not whole
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
  std::set<std::string> wanted_;    // by clients, of whatever provider
  std::set<std::string> followed_;  // of those, what this upstream has
  bool reading_ = false;
  bool waits_ = false;               // to read again
  bool was_same_ = true;             // the last reading found no change
  std::uint64_t round_ = 0;          // of connections; what an earlier one said comes too late
  std::chrono::milliseconds pause_;  // doubles while each reading finds changes
  boost::asio::steady_timer timer_;
  std::vector<std::function<void()>> waiters_;
};

}  // namespace host::upstream
