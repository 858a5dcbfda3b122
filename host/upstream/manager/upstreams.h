// An Upstreams object manages all upstreams of the configuration. The functions of Upstreams are
// called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "store/desk.h"
#include "tool/provider/catalog.h"
#include "upstream/manager/followed_resources.h"
#include "upstream/manager/pin_writer.h"
#include "upstream/manager/transports.h"
#include "upstream/manager/upstream.h"

namespace host::upstream {

// Returns the path of toolpost-keeper, next to this program.
std::filesystem::path keeper_beside_host();

class Upstreams {
 public:
  // `desk` is null if there is no store. Without a store, the host has no accepted definitions when
  // it starts. `info` is this host's Implementation, a JSON object. `config` must outlive the
  // Upstreams object. change() can later change the upstreams, but no other part of `config`.
  Upstreams(boost::asio::any_io_executor io, const config::Config& config, std::string info,
            std::shared_ptr<store::Desk> desk, tool::Catalog& catalog, metrics::Registry& registry,
            const std::filesystem::path& keeper);
  ~Upstreams();
  Upstreams(const Upstreams&) = delete;
  Upstreams& operator=(const Upstreams&) = delete;

  // Returns when the stored tools are served, before any upstream is connected. Until the host can
  // read the accepted definitions, the host connects to no upstream and serves no upstream's tools.
  // If the definitions cannot be read, the host tries again until it succeeds.
  boost::asio::awaitable<void> start(Connects connects = Connects::AsConfigured);
  // Returns when no upstream is in the state Starting. After settle(), the host also has the tools
  // of upstreams without stored definitions.
  boost::asio::awaitable<void> settle();
  // Returns when every process and connection of the upstreams has ended.
  boost::asio::awaitable<void> stop();

  // The struct Changed contains the names of the upstreams that the new configuration added,
  // changed or removed.
  struct Changed {
    std::vector<std::string> added;
    std::vector<std::string> changed;
    std::vector<std::string> removed;
  };
  // Replaces all upstreams by the list in the parameter `now`. An upstream with the same settings
  // and the same secrets continues unchanged. An upstream whose settings or secrets changed is
  // served with its new settings immediately, and keeps its accepted definitions. The host connects
  // to the changed upstream when the earlier upstream has ended. Calls of the earlier upstream can
  // continue for 30 seconds. The function change() returns when the stored tools of all upstreams
  // are served.
  boost::asio::awaitable<Changed> change(std::vector<config::Upstream> now);

  // Sets the resources to which clients are subscribed. The new set of resources replaces the
  // earlier one. While clients are subscribed to a resource of an upstream, the host does not stop
  // this upstream for being idle.
  void follow(const std::set<std::string>& uris);

  bool empty() const { return all_.empty(); }
  // Returns the status of all upstreams, also of removed upstreams whose calls are still in
  // progress.
  std::vector<Status> status() const;
  // Returns status() together with the definitions that wait only at other hosts with this store.
  boost::asio::awaitable<std::vector<Status>> full_status();

  // The Error NotFound means that there is no upstream with this name.
  boost::asio::awaitable<Result<void>> restart(const std::string& name);
  boost::asio::awaitable<Result<void>> refresh(const std::string& name);
  // The Error InvalidArgument means that the upstream has no `auth = "oauth"`.
  Result<std::shared_ptr<oauth::Login>> login_at(const std::string& name) const;
  // Accepts a waiting definition, see Pins::accept(). The definition can also wait only at another
  // host with this store. Then accept() stores the acceptance, and this host serves the definition
  // as soon as it has read it.
  //
  // With `check`, accept() first calls `check` and stores the acceptance in one transaction of the
  // store, so that no host can decide between them. accept() returns the Error of `check`, and then
  // nothing is accepted. `check` is called on the store's thread. Without a store, accept() does
  // not call `check`.
  using Check = std::function<Result<void>(store::PinStore& stored)>;
  boost::asio::awaitable<Result<void>> accept(const std::string& name, std::string tool,
                                              std::string digest, std::string by, Check check = {});
  // Sets the listener that is called when definitions of tools begin to wait for the operator's
  // acceptance. The listener is called before the definitions are stored.
  using OnHeld =
      std::function<void(const std::string& upstream, const std::vector<std::string>& tools)>;
  void on_held(OnHeld listener) { *on_held_ = std::move(listener); }
  Result<Status> status_of(const std::string& name) const;
  boost::asio::awaitable<Result<Status>> full_status_of(std::string name);
  // Returns the records of the definitions of this upstream, see Pins::records().
  Result<std::vector<store::PinRecord>> pins_of(const std::string& name) const;
  // Returns Upstream::known_tools() for all upstreams, by the upstream's name.
  std::map<std::string, std::optional<std::vector<std::string>>> known_tools() const;

 private:
  // A Successor is a new upstream, and the upstream that it replaces; null: it replaces no
  // upstream.
  struct Successor {
    std::shared_ptr<Upstream> upstream;
    std::shared_ptr<Upstream> before;
  };

  // The struct Gathered contains the tools that upstreams publish while all upstreams begin. One
  // snapshot of the catalog gets all gathered tools.
  struct Gathered {
    bool is_open = false;
    std::vector<tool::Catalog::Change> changes;
  };

  std::shared_ptr<Upstream> make(const config::Upstream& settings);
  FoldersNow folders_for(const std::string& name);
  std::string unread_in(const config::Upstream& settings) const;
  Upstream::Keep keep_of(const std::string& name);
  std::vector<Successor> exchange_for(const std::vector<config::Upstream>& now, Changed& out);
  boost::asio::awaitable<void> begin(std::vector<Successor> fresh);
  void leave(const std::shared_ptr<Upstream>& one, const std::string& why);
  void left(const std::shared_ptr<Upstream>& one);
  bool is_leaving(const std::string& name) const;
  std::vector<std::string> names_now() const;
  Result<std::shared_ptr<Upstream>> find(const std::string& name) const;
  struct Stored {
    std::vector<store::PinRecord> pins;                              // the records of all upstreams
    std::map<std::string, std::vector<OfferWriter::Record>> offers;  // by upstream name
  };
  // Reads all stored definitions, and the stored lists of the upstreams `names`.
  boost::asio::awaitable<Result<Stored>> stored(std::vector<std::string> names);
  Upstream::KeepFirst keep_first_of(const std::string& name);
  std::shared_ptr<OfferWriter> offers_of(const std::string& name);
  void forget_offers(const std::string& name);
  boost::asio::awaitable<std::map<std::string, Review>> held_elsewhere();
  // Returns the time of the acceptance, or nullopt if the definition does not wait in the store.
  // `check` can be null.
  boost::asio::awaitable<Result<std::optional<WallTime>>> accept_in_store(
      std::shared_ptr<Upstream> one, std::string tool, std::string digest, std::string by,
      Check check);
  boost::asio::awaitable<Result<void>> load();
  void publish_gathered();
  void load_later();
  boost::asio::awaitable<void> load_at_last();

  const boost::asio::any_io_executor io_;
  const config::Config& config_;
  const std::string info_;
  const std::shared_ptr<store::Desk> desk_;
  tool::Catalog& catalog_;
  metrics::Registry& registry_;
  const std::filesystem::path keeper_;
  std::shared_ptr<UpstreamMetrics> metrics_;  // null if there was never an upstream
  const std::shared_ptr<JobThread> jobs_;
  const std::shared_ptr<JobBatch> batch_;
  const std::shared_ptr<OnHeld> on_held_ = std::make_shared<OnHeld>();  // null: nobody listens
  const std::shared_ptr<Gathered> gathered_ = std::make_shared<Gathered>();
  std::vector<std::shared_ptr<Upstream>> all_;
  FollowedResources followed_;
  std::vector<std::shared_ptr<Upstream>> leaving_;  // replaced or removed, and not ended yet
  std::map<std::string, std::shared_ptr<PinWriter>> pin_writers_;  // by upstream name
  std::map<std::string, std::shared_ptr<OfferWriter>> offers_;     // by upstream name
  const std::shared_ptr<OfferTimes> times_ = std::make_shared<OfferTimes>(system_clock());
  std::map<std::string, std::string> secrets_;  // digests of secret values, by upstream name
  Connects connects_ = Connects::AsConfigured;
  bool is_loaded_ = false;
  bool has_forgotten_ = false;  // load() was called without upstreams
  bool loads_later_ = false;    // load_at_last() is running, and begins all upstreams
  bool is_stopped_ = false;
  const std::shared_ptr<boost::asio::steady_timer> load_pause_;
  // `*alive_` is false after the Upstreams object was destroyed.
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace host::upstream
