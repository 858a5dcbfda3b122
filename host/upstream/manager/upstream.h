// An Upstream is one upstream from the start of the host to its stop. The Upstream manages the
// upstream's connections (one after the other), its tools and its calls.
//
// An Upstream goes from Idle to Starting and then to Ready. From Ready, it goes back to Idle, or to
// Waiting and then to Starting. From every state, it can go to Stopped.
//
// The host lists the upstream's tools from the stored definitions, also while the upstream is not
// connected. A call makes the host connect to the upstream. The host sends a call only after it has
// read the upstream's list of tools on the new connection. So the host notices a changed definition
// before it sends the call. The functions of Upstream are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/job_batch.h"
#include "base/job_thread.h"
#include "config/config.h"
#include "metrics/registry.h"
#include "store/part/pin_store.h"
#include "upstream/call/calls.h"
#include "upstream/call/ended_calls.h"
#include "upstream/connection/list_age.h"
#include "upstream/connection/list_fetch.h"
#include "upstream/manager/backoff.h"
#include "upstream/manager/definition_jobs.h"
#include "upstream/manager/pin_writer.h"
#include "upstream/manager/shown_uris.h"
#include "upstream/manager/status.h"
#include "upstream/oauth/login.h"
#include "upstream/offer/offering.h"
#include "upstream/pins/pins.h"

namespace host::upstream {

// All upstreams of a host share one UpstreamMetrics object.
struct UpstreamMetrics {
  explicit UpstreamMetrics(metrics::Registry& registry);
  // Removes the metric series of an upstream that does not exist any more.
  void forget(const std::string& upstream);

  metrics::Family& up;       // 1: in the state Ready; 0: not Ready
  metrics::Family& starts;   // number of connections that were begun
  metrics::Family& dropped;  // number of dropped messages, by reason
  metrics::Family& held;     // number of waiting definitions
};

// The enumeration Connects says when the host connects to an upstream for the first time.
enum class Connects : std::uint8_t {
  AsConfigured,  // immediately, unless `lazy` is set and definitions are stored
  WhenCalled,
  AtOnce,
};

class Upstream : public std::enable_shared_from_this<Upstream> {
 public:
  // A Keep function stores definitions, and calls `done` with the outcome. If the store fails, the
  // definitions are stored later. `done` can be null.
  using Kept = std::function<void(const Result<void>&)>;
  using Keep = std::function<void(std::vector<store::PinRecord>, Kept done)>;
  // Stores the definitions in the upstream's first list of tools, see PinWriter::put_first().
  using KeepFirst = std::function<void(std::vector<store::PinRecord>, PinWriter::FirstDone done)>;

  struct Surroundings {
    boost::asio::any_io_executor io;
    const config::Config& config;
    std::string info;  // the host's Implementation, for the handshake
    TransportMaker transport;
    const Clock& clock;
    std::shared_ptr<UpstreamMetrics> metrics;
    std::shared_ptr<Budget> budget;  // budget of the upstream's transports
    // `secrets` contains the secrets that the host hides in texts of the upstream that people see.
    std::shared_ptr<const Secrets> secrets;
    std::shared_ptr<JobThread> jobs;  // thread on which definitions are read, compared and compiled
    // `updated` is called when a resource to which clients are subscribed has changed.
    std::function<void(const std::string& uri)> updated;
    // Replaces the upstream's tools in the catalog. `publish` returns the tools that the catalog
    // refused. If the catalog publishes the tools later, `publish` returns no tools, and
    // refused_by_catalog() follows.
    std::function<std::vector<tool::Refusal>(std::shared_ptr<tool::Provider>)> publish;
    Keep keep;
    // `read_again_after` is the time from the upstream's notification of a change until the host
    // reads the list.
    std::chrono::milliseconds read_again_after{500};
    // `tools_wait` is the time for which a call waits for a list that is being read again.
    std::chrono::milliseconds tools_wait{std::chrono::seconds(5)};
    // `end_margin` is the time by which an upstream may end later than its process.
    std::chrono::milliseconds end_margin{std::chrono::seconds(5)};
    std::shared_ptr<oauth::Login> login = nullptr;  // null: the upstream needs no login
    // `source` returns source_now(), a digest of the settings that decide which server answers. If
    // `source` is null or returns an empty text, the host neither serves nor stores lists of
    // resources and prompts.
    std::function<std::string()> source = nullptr;
    std::shared_ptr<OfferTimes> times = nullptr;    // for all upstreams; null: only for this
    std::shared_ptr<OfferWriter> offers = nullptr;  // null: the host has no store
    std::shared_ptr<JobBatch> batch = nullptr;      // of all upstreams; null: each job runs alone
    KeepFirst keep_first = nullptr;                 // null: the host has no store
    std::string unread = {};  // why a secret in the settings cannot be read; empty: no error
  };
  using Done = std::function<void(Result<void>)>;

  Upstream(std::shared_ptr<const config::Upstream> settings, Surroundings surroundings);

  const std::string& name() const { return settings_.name; }
  const config::Upstream& settings() const { return settings_; }
  const std::shared_ptr<oauth::Login>& login() const { return env_.login; }

  // Serves the stored definitions and lists, and calls `done`. Only the first call of begin() has
  // an effect. Before begin(), the host does not connect to the upstream. Without the stored
  // definitions, the host would accept every definition as on a first connection. If the stored
  // lists are from a different server, the host connects to the upstream to read the lists.
  void begin(const std::vector<store::PinRecord>& stored, std::vector<OfferWriter::Record> offers,
             Connects connects, std::function<void()> done);
  // Records the tools that the catalog refused when it published the upstream's tools after
  // `publish` had returned.
  void refused_by_catalog(std::vector<tool::Refusal> refusals) {
    catalog_refusals_ = std::move(refusals);
  }
  // Call cannot_begin() instead of begin() if the stored definitions cannot be read.
  void cannot_begin(const Error& why);
  // Ends the connection and connects to the upstream again. The Upstream calls `done` when it has
  // read the upstream's tools. If the Upstream cannot read the tools, `done` gets the reason.
  void restart(Done done);
  // Reads the upstream's tools again.
  void refresh(Done done);
  // Calls `done` when the upstream is no longer in the state Starting.
  void settle(Done done);
  // Accepts a waiting definition, see Pins::accept(). The Upstream calls `done` when it serves the
  // accepted definition and has stored the definition. If the store cannot write the definition,
  // `done` gets the reason. `decided` is the time of the decision if the store has it already.
  void accept(std::string_view tool, std::string_view digest, const std::string& by, Done done,
              std::optional<WallTime> decided = {});
  // See Pins::held_elsewhere() and Pins::accepted_elsewhere().
  std::vector<store::PinRecord> held_elsewhere(const std::vector<store::PinRecord>& stored) const {
    return pins_.held_elsewhere(stored, last_list_);
  }
  WallTime last_list() const { return last_list_; }
  void accepted_elsewhere(const std::vector<store::PinRecord>& stored) {
    pins_.accepted_elsewhere(stored);
  }
  // Call remember_as() before begin(), with the upstream that this upstream replaces.
  void remember_as(const Upstream& before) { pins_.remember_as(before.pins_); }
  const Secrets& secrets() const { return *env_.secrets; }
  // Sets the URIs of all resources to which clients are subscribed, also those of other upstreams.
  void follow(const std::set<std::string>& uris);
  // Stops the upstream. The Upstream calls `done` when the connection has ended.
  void stop(std::function<void()> done);
  // Ends this upstream while the host continues, because the upstream's settings changed or were
  // removed. The Upstream takes no more calls, and changes neither the catalog nor the store. Calls
  // in progress can continue for the time `drain`. When `drain` has passed, calls that are still in
  // progress fail with `why`. The Upstream calls `done` when its connection has ended.
  void retire(std::string why, std::chrono::milliseconds drain, std::function<void()> done);
  // Delays this upstream because an earlier process of the same upstream has not ended yet, and may
  // have locked files. Until release() is called, the host does not connect to this upstream, and
  // calls wait.
  void hold() { is_held_ = true; }
  void release();
  // Returns true if the upstream is connected, or the host tries to connect to it.
  bool is_in_use() const { return state_ != State::Idle && state_ != State::Stopped; }
  std::vector<store::PinRecord> pins() const { return pins_.records(); }

  Status status() const;
  // Returns the upstream's own names for the tools in its last list, and for tools that the
  // upstream offered earlier. Returns nullopt if the host has never read the list.
  std::optional<std::vector<std::string>> known_tools() const;

 private:
  void connect();
  void became_ready();
  void read_tools();
  void take_tools(Result<FetchedList> list);
  void take_list(DefinitionReader& list);
  void tools_are_read();
  void pin(const std::vector<Definition>& definitions, bool is_first_list);
  void pin_first(std::vector<Definition> read, std::function<void()> then);
  void review_and_publish(std::function<void()> then);
  void log_held(const std::vector<store::PinRecord>& changed, bool first) const;
  void review(std::function<void()> then);
  void run(std::function<bool()> step, std::function<void()> done);
  void list_changed();
  bool awaits_tools();
  void send_awaiting();
  void read_later(bool is_calm);
  bool changes_are_few() const;
  void ended(const Error& why, bool was_ready);
  void left(const Error& why);
  void forget_left(std::uint64_t start);
  void end_left(const std::string& why);
  std::string sandbox_in(const Error& why, bool was_ready) const;
  bool retries_as_legacy(const Error& why, bool was_ready);
  void pause(std::string why);
  bool is_needed() const;
  void drop_connection(const Error& why);
  void need();
  void became_idle();
  void publish(std::function<void()> then);
  void serve(ToolMaker& maker, std::vector<std::string> texts);
  void serve(tool::ProviderIdentity identity, ServedTools tools);
  void offer_changed();
  void published();
  std::string objection_to(const tool::Tool& tool, const std::string& name) const;
  void wait_for_reading(Done done);
  void tell_waiters(const Result<void>& outcome);
  void tell_readers(std::uint64_t reading, const Result<void>& outcome);
  void follow_login();
  void load_offers(const std::vector<OfferWriter::Record>& stored, Connects connects,
                   std::function<void()> done);
  std::string offer_source();
  void renew_source();
  void set_state(State state);
  bool is_retired() const { return !retired_.empty(); }
  void end(const std::string& why, std::function<void()> done);
  void cancel_tasks_and_close();
  void end_retirement();
  void end_retirement_if_idle();
  ListLimits list_limits() const;
  WallTime list_time() const;

  const std::shared_ptr<const config::Upstream> shared_settings_;
  const config::Upstream& settings_ = *shared_settings_;
  const Surroundings env_;
  State state_ = State::Idle;
  std::unique_ptr<Connection> connection_;  // null: Idle, Waiting, Stopped
  // `leaving_` contains earlier connections that only wait for responses, see connection.h. Each
  // key is the number of the connection's start (starts_).
  std::map<std::uint64_t, std::shared_ptr<Connection>> leaving_;
  Era era_ = Era::Unknown;
  RequestNumber last_number_ = 0;  // see ConnectionSettings
  const std::shared_ptr<Calls> calls_;
  const std::shared_ptr<EndedCalls> ended_calls_;
  Pins pins_;
  const std::shared_ptr<Offering> offering_;
  mutable ShownUris shown_uris_;
  std::shared_ptr<UpstreamProvider> provider_;  // null: no tools, resources and prompts are served
  std::vector<std::string> published_;          // definitions that provider_ serves
  bool publishing_ = false;                     // definitions are being compiled
  bool publish_again_ = false;                  // definitions changed during the compilation
  std::vector<std::function<void()>> after_publication_;
  std::uint64_t first_lists_ = 0;  // number of first lists; only the last one is stored
  std::string unstored_;           // why the store has no record of the first list; empty: no error
  Review review_;                  // review of the waiting definitions
  std::uint64_t reviews_ = 0;      // number of reviews that were begun
  const std::shared_ptr<std::atomic<bool>> stops_ = std::make_shared<std::atomic<bool>>(false);
  std::vector<tool::Refusal> refusals_;          // list entries that have no name or are too long
  std::vector<tool::Refusal> catalog_refusals_;  // refusals of published definitions
  Backoff backoff_;
  boost::asio::steady_timer pause_;
  SteadyTime next_start_{};
  SteadyTime start_end_{};  // in Starting: the time at which the start fails
  boost::asio::steady_timer refresh_pause_;
  boost::asio::steady_timer tools_wait_;  // when it ends, calls wait no longer for the tools
  boost::asio::steady_timer idle_;
  std::uint64_t round_ = 0;  // connection's number; results of earlier connections are ignored
  std::chrono::nanoseconds last_work_{0};    // CPU time for the last list
  std::chrono::milliseconds read_pause_{0};  // pause before a list is read; doubles after changes
  SteadyTime last_read_{};
  WallTime connected_at_{};
  WallTime reads_list_of_{};  // time of the list that is being read, see list_time()
  WallTime last_list_{};      // time of the last list that was read; epoch: none
  bool was_same_ = true;      // the list was unchanged when it was last read
  bool has_begun_ = false;
  bool reads_offers_ = false;  // the host connects because lists are outdated
  bool reading_ = false;       // the list is being read
  bool read_again_ = false;    // the list changed while it was read
  bool waits_to_read_ = false;
  bool awaits_tools_ = false;     // calls wait until the list is read
  bool reads_for_calls_ = false;  // the list is being read because a call came
  ListAge tools_age_;
  bool restarting_ = false;  // the connection ends because of restart()
  bool resting_ = false;     // the connection ends because the upstream is idle
  bool was_mute_ = false;    // the start before this one got no answer, see retries_as_legacy()
  bool is_unread_denied_ = false;
  std::string unread_;  // why the list could not be read, so that the connection ends
  std::string last_error_;
  // `hinted_` contains the error of a failed start, and a hint about the sandbox. Only operators
  // see the hint.
  std::pair<std::string, std::string> hinted_;
  std::string cut_;
  std::vector<std::string> last_lines_;  // last lines of the connection that ended
  std::string source_;                   // last result of Surroundings::source; empty: no result
  std::uint64_t starts_ = 0;
  // A Waiter is an order that waits until the list of tools is read.
  struct Waiter {
    Done done;
    std::uint64_t reading = 0;  // the order ends with this read (see readings_) or a later read
  };
  std::vector<Waiter> waiters_;
  std::uint64_t readings_ = 0;  // how many times the host has begun to read the list of tools
  bool is_held_ = false;        // see hold()
  bool is_wanted_ = false;      // true: release() connects to the upstream
  std::string retired_;         // `why` of retire(); empty: not retired
  boost::asio::steady_timer drain_;
  std::string end_reason_;  // why the state is Stopped
  std::function<void()> on_stopped_;
};

}  // namespace host::upstream
