// One upstream from the host's start to its stop: its connections, one after the other, its tools,
// and its calls.
//
//     Idle -> Starting -> Ready -> Idle or Waiting -> Starting ...     from every state: -> Stopped
//
// Its tools are listed from the stored definitions, also while it is not connected. A call makes it
// connect. Calls are sent only after the upstream's list was read again, so that a changed
// definition is noticed before a call. I/O thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/job_thread.h"
#include "config/config.h"
#include "metrics/registry.h"
#include "store/part/pin_store.h"
#include "upstream/connection/list_fetch.h"
#include "upstream/manager/backoff.h"
#include "upstream/manager/calls.h"
#include "upstream/manager/definition_jobs.h"
#include "upstream/manager/offering.h"
#include "upstream/manager/status.h"
#include "upstream/oauth/login.h"
#include "upstream/pins/pins.h"

namespace host::upstream {

// Shared by all upstreams of a host.
struct UpstreamMetrics {
  explicit UpstreamMetrics(metrics::Registry& registry);

  metrics::Family& up;       // 1: connected
  metrics::Family& starts;   // connections that were begun
  metrics::Family& dropped;  // messages, by reason
  metrics::Family& held;     // waiting definitions
};

// When an upstream is connected for the first time.
enum class Connects : std::uint8_t {
  AsConfigured,  // at once, if its settings say so or no definition is stored
  WhenCalled,
};

class Upstream : public std::enable_shared_from_this<Upstream> {
 public:
  struct Surroundings {
    boost::asio::any_io_executor io;
    const config::Config& config;
    std::string info;  // of the host, for the handshake
    TransportMaker transport;
    const Clock& clock;
    std::shared_ptr<UpstreamMetrics> metrics;
    std::shared_ptr<Budget> budget;          // of its transports
    std::shared_ptr<const Secrets> secrets;  // hidden in what it says to people
    std::shared_ptr<JobThread> jobs;         // where definitions are read, compared and compiled
    std::function<void(const std::string& uri)> updated;  // a resource that clients follow
    // Replaces the upstream's tools in the catalog. Returns those that were refused there.
    std::function<std::vector<tool::Refusal>(std::shared_ptr<tool::Provider>)> publish;
    std::function<void(std::vector<store::PinRecord>)> keep;
    // The time between the upstream's notification of a change and the reading of its list.
    std::chrono::milliseconds read_again_after{500};
    std::shared_ptr<oauth::Login> login = nullptr;  // null: it needs none
  };
  using Done = std::function<void(Result<void>)>;

  Upstream(const config::Upstream& settings, Surroundings surroundings);

  const std::string& name() const { return settings_.name; }
  const std::shared_ptr<oauth::Login>& login() const { return env_.login; }

  // Serves the stored definitions and calls `done`. Later calls are ignored. Before begin(), the
  // upstream is not connected: without the stored definitions, every definition would be accepted
  // as at a first connection.
  void begin(const std::vector<store::PinRecord>& stored, Connects connects,
             std::function<void()> done);
  // The upstream cannot begin, because the stored definitions cannot be read.
  void cannot_begin(const Error& why);
  // Ends the connection and connects again. `done` is called when its tools are read, or with the
  // reason why they cannot be read.
  void restart(Done done);
  // Reads its tools again.
  void refresh(Done done);
  // `done` is called when the upstream is not starting any more.
  void settle(Done done);
  // See Pins::accept(). `done` is called when the accepted definition is served.
  void accept(std::string_view tool, std::string_view digest, const std::string& by, Done done);
  // Clients follow these resources, of whatever provider.
  void follow(const std::set<std::string>& uris);
  // `done` is called when its connection has ended.
  void stop(std::function<void()> done);

  Status status() const;
  // The tools of its last list, and those that it offered before, by the upstream's names. nullopt:
  // its list was never read.
  std::optional<std::vector<std::string>> known_tools() const;

 private:
  void connect();
  void became_ready();
  void read_tools();
  void take_tools(Result<FetchedList> list);
  void take_list(DefinitionReader& list);
  void tools_are_read();
  void pin(DefinitionReader& list);
  void log_held(const std::vector<store::PinRecord>& changed, bool first) const;
  void review(std::function<void()> then);
  void run(std::function<bool()> step, std::function<void()> done);
  void list_changed();
  void read_later(bool is_calm);
  void ended(const Error& why, bool was_ready);
  bool retries_as_legacy(const Error& why, bool was_ready);
  void pause(std::string why);
  void drop_connection();
  void need();
  void became_idle();
  void publish(std::function<void()> then);
  void serve(ToolMaker& maker, std::vector<std::string> texts);
  void serve(tool::ProviderIdentity identity, ServedTools tools);
  void offer_changed();
  void published();
  std::string objection_to(const tool::Tool& tool, const std::string& name) const;
  void tell_waiters(const Result<void>& outcome);
  void follow_login();
  void set_state(State state);
  ListLimits list_limits() const;

  const config::Upstream settings_;
  const Surroundings env_;
  State state_ = State::Idle;
  std::unique_ptr<Connection> connection_;  // null: Idle, Waiting, Stopped
  Era era_ = Era::Unknown;
  const std::shared_ptr<Calls> calls_;
  Pins pins_;
  const std::shared_ptr<Offering> offering_;
  std::shared_ptr<UpstreamProvider> provider_;  // null: nothing is served yet
  std::vector<std::string> published_;          // its definitions
  bool publishing_ = false;                     // they are being compiled
  bool publish_again_ = false;                  // definitions changed meanwhile
  std::vector<std::function<void()>> after_publication_;
  Review review_;              // of the waiting definitions
  std::uint64_t reviews_ = 0;  // begun
  const std::shared_ptr<std::atomic<bool>> stops_ = std::make_shared<std::atomic<bool>>(false);
  std::vector<tool::Refusal> refusals_;          // entries of its list without a name
  std::vector<tool::Refusal> catalog_refusals_;  // of the published definitions
  Backoff backoff_;
  boost::asio::steady_timer pause_;
  SteadyTime next_start_{};
  SteadyTime start_end_{};  // Starting: when it takes too long
  boost::asio::steady_timer refresh_pause_;
  boost::asio::steady_timer idle_;
  std::uint64_t round_ = 0;  // number of the connection; ignores results of earlier ones
  std::chrono::nanoseconds last_work_{0};    // CPU time for the last list
  std::chrono::milliseconds read_pause_{0};  // doubles while each reading finds changes, or fails
  SteadyTime last_read_{};
  bool was_same_ = true;  // the last reading found no change
  bool has_begun_ = false;
  bool reading_ = false;     // the list is being read
  bool read_again_ = false;  // it changed meanwhile
  bool waits_to_read_ = false;
  bool began_again_ = false;  // after a lost session, and no connection has lasted since
  bool restarting_ = false;   // it ends in order to start again
  bool resting_ = false;      // it ends because it is idle
  bool is_unread_denied_ = false;
  std::string unread_;  // why its list could not be read; its connection ends because of that
  std::string last_error_;
  std::string cut_;
  std::vector<std::string> last_lines_;  // of the connection that ended
  std::uint64_t starts_ = 0;
  std::vector<Done> waiters_;
  std::function<void()> on_stopped_;
};

}  // namespace host::upstream
