// Reads what one upstream offers in addition to tools: its resources, templates and prompts. The
// host reads the lists after each connection and after each notification of a change. The host
// keeps the lists of an upstream while the upstream is not connected. The start of an upstream does
// not wait until the host has read the upstream's lists of resources, templates and prompts. The
// host stores an upstream's last lists, so that it can show them after a restart without a
// connection. The host serves a stored list only if the same server would answer now. The functions
// of Offering are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/job_thread.h"
#include "config/config.h"
#include "upstream/call/admission.h"
#include "upstream/connection/connection.h"
#include "upstream/connection/flood.h"
#include "upstream/connection/list_fetch.h"
#include "upstream/offer/offer_times.h"
#include "upstream/offer/offer_writer.h"
#include "upstream/offer/stored_offers.h"
#include "upstream/provider/served_offer.h"

namespace host::upstream {

class Offering : public std::enable_shared_from_this<Offering> {
 public:
  struct Surroundings {
    boost::asio::any_io_executor io;
    std::shared_ptr<const config::Upstream> upstream;
    const config::Config& config;
    std::shared_ptr<JobThread> jobs;
    std::function<void()> changed;  // called when the result of served() has changed
    // `list_read` is called when admission() can return a new result, because a list was read.
    std::function<void()> list_read;
    std::chrono::milliseconds read_again_after;
    // `source` returns the identity of the server that answers now, or an empty text.
    std::function<std::string()> source;
    // `run` runs a job on the thread `jobs`; the host's stop ends the job early.
    std::function<void(std::function<bool()> step, std::function<void()> done)> run;
    std::shared_ptr<OfferTimes> times;  // null: the Offering has its own OfferTimes
  };
  // `writer` is null if the host has no store.
  Offering(Surroundings around, std::shared_ptr<OfferWriter> writer);

  // Serves the stored lists of this server, except for lists that were read from the server
  // meanwhile. Then load() calls `done`.
  void load(const std::vector<OfferWriter::Record>& stored, std::function<void()> done);
  // Returns true if the host has to read the lists again, because some of the stored lists are from
  // a different server or were read with different settings.
  bool is_outdated(const std::vector<OfferWriter::Record>& stored);
  // Returns true if load() got outdated lists that have not been read from the upstream since then.
  bool needs_reading() const { return needs_reading_; }
  // Forgets all lists, because they are from a different login. The caller of forget() connects to
  // the upstream again.
  void forget();
  // Stops storing lists, because a new Upstream object replaces this upstream and stores its own
  // lists.
  void store_no_more() { writer_.reset(); }
  // Returns whether the host can request a resource, prompt or completion from a stored list.
  // `target` is the upstream's own URI or name for the resource or prompt.
  Admission admission(tool::Function function, const std::string& target) const;

  // Starts to read all lists that the upstream has. The Offering uses `connection` until
  // disconnected() is called.
  void connected(Connection& connection);
  void disconnected();
  void list_changed(ListKind kind);
  // Sets the URIs of all resources to which clients are subscribed, from all providers. The
  // connection subscribes to those URIs that this upstream offers, at most
  // limits.upstream_resources.
  void follow(const std::set<std::string>& uris);
  bool is_followed() const { return !followed_.empty(); }
  bool is_reading() const { return reading_; }
  // Calls `done` when the host reads no list of the upstream, immediately if no read is in
  // progress.
  void when_read(std::function<void()> done);

  const std::shared_ptr<const ServedOffer>& served() const { return served_; }
  // If the upstream said that its resources changed, or if its lists are being read, catch_up()
  // returns true. catch_up() then reads the lists without the usual pause, but at most once a
  // second. `done` is called when the lists that were read again are served, or when the connection
  // has ended. The function catch_up() returns false if the last attempt to read a list failed.
  bool catch_up(std::function<void()> done);

  // Returns the entries in the last lists that the host refused to serve, and the lists that could
  // not be read.
  std::vector<tool::Refusal> refusals() const;

 private:
  struct List {
    bool is_due = false;   // the list has changed, or was never read
    bool is_next = false;  // the lists are being read, and this list is not read yet
    bool is_live = false;  // the list was read from the upstream since the host's start
    ServedOffer made;
    Sha256 digest{};  // OfferMaker::taken_digest, if the list is live
    std::vector<tool::Refusal> refusals;
    std::string fault;  // why the list could not be read completely, or at all
    // `since` contains the time since when the upstream has offered each URI of the list without
    // interruption.
    std::map<std::string, WallTime, std::less<>> since;
    std::string times;  // the list's since_line() in the store
  };

  List& list(OfferKind kind) { return lists_[static_cast<std::size_t>(kind)]; }
  const List& list(OfferKind kind) const { return lists_[static_cast<std::size_t>(kind)]; }
  void begin_reading();
  void read_next();
  void read(OfferKind kind);
  void take(OfferKind kind, Result<FetchedList> fetched);
  void took(OfferKind kind, OfferMaker& maker);
  void all_are_read();
  void loaded(StoredOffers& stored);
  void load_times(List& into, StoredOffers::List& from, OfferKind kind);
  void set_times(OfferKind kind);
  void keep_times();
  void keep(const std::string& name, std::string entries, const Sha256& digest);
  void keep_nothing_of(const std::string& name);
  void store_lists();
  bool has(tool::Function function, OfferKind kind, const std::string& target) const;
  void publish();
  void read_later();
  void read_soon();
  void read_at_timer();
  void follow_own();
  void follow_at_upstream();
  std::set<std::string> wanted_in(const std::vector<tool::Resource>& resources,
                                  const std::vector<tool::UriTemplate>& families) const;
  ListLimits limits() const;
  // Returns filters_of() of the upstream. Most upstreams need no filters at the start of the host.
  const std::string& filters();

  const Surroundings env_;
  const std::shared_ptr<OfferTimes> times_;
  std::string filters_;                  // see filters(); empty: not computed yet
  std::shared_ptr<OfferWriter> writer_;  // null: nothing is stored
  Connection* connection_ = nullptr;     // null: not connected
  std::array<List, std::size(kOfferKinds)> lists_;
  bool completes_ = false;
  std::string source_;                     // result of Surroundings::source
  std::vector<OfferWriter::Fresh> fresh_;  // lists that were read, but not stored yet
  bool needs_reading_ = false;
  bool was_read_ = false;  // the lists were read on this connection, or reading them failed
  std::shared_ptr<const ServedOffer> served_ = std::make_shared<const ServedOffer>();
  std::set<std::string> wanted_;    // URIs to which clients are subscribed, at all providers
  std::set<std::string> followed_;  // the URIs in `wanted_` that this upstream has
  // `is_told_` is true if connection_->follow() has already got the wanted URIs that are in the
  // current lists. Finding the URIs that are in the lists can take long, because each URI is
  // compared with each template.
  bool is_told_ = false;
  bool reading_ = false;
  bool waits_ = false;           // the timer of read_later() or read_soon() runs
  bool is_soon_ = false;         // read_soon() was called since a read last began
  Flood readings_for_calls_{1};  // how many reads per second calls can cause
  bool was_same_ = true;         // the lists were unchanged when they were last read
  SteadyTime last_read_{};       // when the host last finished reading the lists
  std::uint64_t round_ = 0;  // number of the connection; results of earlier connections are ignored
  std::chrono::milliseconds pause_;  // pause before a read; doubles if reads find changes
  boost::asio::steady_timer timer_;
  std::vector<std::function<void()>> waiters_;
};

}  // namespace host::upstream
