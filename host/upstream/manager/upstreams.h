// All upstreams of the configuration. I/O thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <filesystem>
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
#include "upstream/manager/upstream.h"

namespace host::upstream {

// The path of toolpost-keeper, next to this program.
std::filesystem::path keeper_beside_host();

class Upstreams {
 public:
  // `desk`: null if there is no store. Then every start of the host is a first connection. `info`:
  // this host's Implementation, a JSON object. `config` must outlive this. Of it, only the
  // upstreams themselves can be changed later.
  Upstreams(boost::asio::any_io_executor io, const config::Config& config, std::string info,
            std::shared_ptr<store::Desk> desk, tool::Catalog& catalog, metrics::Registry& registry,
            const std::filesystem::path& keeper);
  ~Upstreams();
  Upstreams(const Upstreams&) = delete;
  Upstreams& operator=(const Upstreams&) = delete;

  // Returns once the stored tools are served, before any upstream is connected. If the accepted
  // definitions cannot be read, no upstream is connected or served until a later attempt succeeds.
  // The host repeats the attempts by itself.
  boost::asio::awaitable<void> start(Connects connects = Connects::AsConfigured);
  // Returns when no upstream is starting. After that, upstreams without stored definitions also
  // have their tools.
  boost::asio::awaitable<void> settle();
  // Returns when every process and connection has ended.
  boost::asio::awaitable<void> stop();

  // The names of upstreams whose settings changed.
  struct Changed {
    std::vector<std::string> added;
    std::vector<std::string> changed;
    std::vector<std::string> removed;
  };
  // From now on there are these upstreams. One with the same settings and the same secrets goes on
  // as it is. A changed one is served with its new settings at once, and keeps its accepted
  // definitions. It is connected when the earlier one has ended, whose calls may go on for
  // 30 seconds. Returns when the stored tools of all are served.
  boost::asio::awaitable<Changed> change(std::vector<config::Upstream> now);

  // Clients follow these resources, and no others. An upstream that is followed does not end for
  // want of calls.
  void follow(const std::set<std::string>& uris);

  bool empty() const { return all_.empty(); }
  // Also of those that are removed while their calls go on.
  std::vector<Status> status() const;

  // NotFound: there is no upstream with this name.
  boost::asio::awaitable<Result<void>> restart(const std::string& name);
  boost::asio::awaitable<Result<void>> refresh(const std::string& name);
  // InvalidArgument: it has no `auth = "oauth"`.
  Result<std::shared_ptr<oauth::Login>> login_at(const std::string& name) const;
  // See Pins::accept().
  boost::asio::awaitable<Result<void>> accept(const std::string& name, std::string tool,
                                              std::string digest, std::string by);
  // The listener is called with tools whose definitions have just begun to wait for the operator,
  // before the store has these definitions.
  using OnHeld =
      std::function<void(const std::string& upstream, const std::vector<std::string>& tools)>;
  void on_held(OnHeld listener) { *on_held_ = std::move(listener); }
  Result<Status> status_of(const std::string& name) const;
  // Upstream::known_tools() of all upstreams, by the upstream's name.
  std::map<std::string, std::optional<std::vector<std::string>>> known_tools() const;

 private:
  using Keep = std::function<void(std::vector<store::PinRecord>)>;
  // A new upstream, and the one whose place it takes; null: none.
  struct Successor {
    std::shared_ptr<Upstream> upstream;
    std::shared_ptr<Upstream> before;
  };

  std::shared_ptr<Upstream> make(const config::Upstream& settings);
  Keep keep_of(const std::string& name);
  std::vector<Successor> exchange_for(const std::vector<config::Upstream>& now, Changed& out);
  boost::asio::awaitable<void> begin(std::vector<Successor> fresh);
  void leave(const std::shared_ptr<Upstream>& one, const std::string& why);
  void left(const std::shared_ptr<Upstream>& one);
  bool is_leaving(const std::string& name) const;
  Result<std::shared_ptr<Upstream>> find(const std::string& name) const;
  // What the store has of all upstreams.
  struct Stored {
    std::vector<store::PinRecord> pins;
    std::vector<store::OfferRecord> offers;
  };
  boost::asio::awaitable<Result<Stored>> stored();
  boost::asio::awaitable<Result<void>> load();
  void load_later();
  boost::asio::awaitable<void> load_at_last();

  const boost::asio::any_io_executor io_;
  const config::Config& config_;
  const std::string info_;
  const std::shared_ptr<store::Desk> desk_;
  tool::Catalog& catalog_;
  metrics::Registry& registry_;
  const std::filesystem::path keeper_;
  std::shared_ptr<UpstreamMetrics> metrics_;  // null until there is an upstream
  const std::shared_ptr<JobThread> jobs_;
  const std::shared_ptr<OnHeld> on_held_ = std::make_shared<OnHeld>();  // null: nobody listens
  std::vector<std::shared_ptr<Upstream>> all_;
  std::vector<std::shared_ptr<Upstream>> leaving_;  // replaced or removed, and not ended yet
  std::map<std::string, Keep> keeps_;               // by name
  std::map<std::string, std::string> secrets_;      // digests of the values of secrets, by name
  std::set<std::string> followed_;
  Connects connects_ = Connects::AsConfigured;
  bool is_loaded_ = false;
  bool loads_later_ = false;  // load_at_last() runs, and begins all
  bool is_stopped_ = false;
  const std::shared_ptr<boost::asio::steady_timer> load_pause_;
  // False once the Upstreams object is destroyed.
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace host::upstream
