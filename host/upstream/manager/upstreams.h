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
  // this host's Implementation, a JSON object.
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
  // Returns when no upstream is starting. Then upstreams without stored definitions have their
  // tools too.
  boost::asio::awaitable<void> settle();
  // Returns when every process and connection has ended.
  boost::asio::awaitable<void> stop();

  // Clients follow these resources, and no others. An upstream that is followed does not end for
  // want of calls.
  void follow(const std::set<std::string>& uris);

  bool empty() const { return all_.empty(); }
  std::vector<Status> status() const;

  // NotFound: there is no upstream with this name.
  boost::asio::awaitable<Result<void>> restart(const std::string& name);
  boost::asio::awaitable<Result<void>> refresh(const std::string& name);
  // InvalidArgument: it has no `auth = "oauth"`.
  Result<std::shared_ptr<oauth::Login>> login_at(const std::string& name) const;
  // See Pins::accept().
  boost::asio::awaitable<Result<void>> accept(const std::string& name, std::string tool,
                                              std::string digest, std::string by);
  // Called with the tools whose definitions wait for the operator from now on, before these are
  // stored.
  using OnHeld =
      std::function<void(const std::string& upstream, const std::vector<std::string>& tools)>;
  void on_held(OnHeld listener) { *on_held_ = std::move(listener); }
  Result<Status> status_of(const std::string& name) const;
  // By the name of the upstream; see Upstream::known_tools().
  std::map<std::string, std::optional<std::vector<std::string>>> known_tools() const;

 private:
  Result<std::shared_ptr<Upstream>> find(const std::string& name) const;
  boost::asio::awaitable<Result<std::vector<store::PinRecord>>> stored();
  boost::asio::awaitable<Result<void>> load();
  boost::asio::awaitable<void> load_at_last();

  const boost::asio::any_io_executor io_;
  const std::shared_ptr<store::Desk> desk_;
  const std::shared_ptr<JobThread> jobs_;
  const std::shared_ptr<OnHeld> on_held_ = std::make_shared<OnHeld>();  // null: nobody listens
  std::vector<std::shared_ptr<Upstream>> all_;
  Connects connects_ = Connects::AsConfigured;
  bool is_loaded_ = false;
  bool is_stopped_ = false;
  const std::shared_ptr<boost::asio::steady_timer> load_pause_;
  // False once this is destroyed.
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace host::upstream
