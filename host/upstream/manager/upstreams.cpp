#include "upstream/manager/upstreams.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "base/log.h"
#include "base/process/spawn.h"
#include "base/text/nearest.h"
#include "upstream/manager/secret_values.h"
#include "upstream/manager/transports.h"
#include "upstream/manager/wait.h"
#include "upstream/provider/tool_name.h"

namespace host::upstream {
namespace {

namespace asio = boost::asio;

// So many messages of the longest kind may arrive at once.
constexpr std::size_t kWholeMessages = 4;
constexpr std::size_t kMostToolsTold = 100;
// Between two tries to read the accepted definitions.
constexpr std::chrono::seconds kLoadAgain{5};

void log_lists(std::string_view what, const Error& why) {
  log::warning("upstream", what, {{"error", why.message}});
}

void forget_others(store::Store& store, const std::vector<std::string>& names) {
  const auto dropped = store.together([&] { return store.offers().forget_all_but(names); });
  if (!dropped) log_lists("lists of removed upstreams were not removed", dropped.error());
}

std::string slot_of(const std::string& upstream) {
  return "upstream:" + upstream;
}

void tell_held(const Upstreams::OnHeld& on_held, const std::string& upstream,
               const std::vector<store::PinRecord>& records) {
  std::vector<std::string> tools;
  for (const store::PinRecord& record : records) {
    if (!record.held.empty() && record.offered && tools.size() < kMostToolsTold)
      tools.push_back(record.tool);
  }
  if (!tools.empty()) on_held(upstream, tools);
}

}  // namespace

std::filesystem::path keeper_beside_host() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / "toolpost-keeper";
}

Upstreams::Upstreams(asio::any_io_executor io, const config::Config& config, std::string info,
                     std::shared_ptr<store::Desk> desk, tool::Catalog& catalog,
                     metrics::Registry& registry, const std::filesystem::path& keeper)
    : io_(std::move(io)),
      config_(config),
      info_(std::move(info)),
      desk_(std::move(desk)),
      catalog_(catalog),
      registry_(registry),
      keeper_(keeper),
      jobs_(std::make_shared<JobThread>(io_)),
      batch_(std::make_shared<JobBatch>(jobs_)),
      followed_(catalog_,
                [this](const std::set<std::string>& uris) {
                  for (const auto& one : all_) one->follow(uris);
                }),
      load_pause_(std::make_shared<asio::steady_timer>(io_)) {
  for (const config::Upstream& one : config.upstream) {
    const auto secrets = digest_of_secrets(one);
    secrets_[one.name] = secrets ? *secrets : std::string();  // any value is another one
    all_.push_back(make(one));
  }
}

std::shared_ptr<Upstream> Upstreams::make(const config::Upstream& settings) {
  if (!metrics_) {
    metrics_ = std::make_shared<UpstreamMetrics>(registry_);
    // A write to an upstream that has closed its standard input is an error, not the host's end.
    // Processes that the host starts get the default again.
    ::signal(SIGPIPE, SIG_IGN);
  }
  const auto budget = std::make_shared<Budget>(
      config_.limits.upstream_bytes_per_s, kWholeMessages * config_.limits.upstream_message_bytes);
  const auto secrets = std::make_shared<Secrets>();
  const auto shared = std::make_shared<const config::Upstream>(settings);
  const auto login = login_of(io_, settings, config_, desk_, secrets);
  Upstream::Surroundings around{
      io_,
      config_,
      info_,
      transport_of(io_, shared, config_, keeper_, budget, secrets, jobs_,
                   folders_for(settings.name), login),
      system_clock(),
      metrics_,
      budget,
      secrets,
      jobs_,
      [&catalog = catalog_, name = settings.name](const std::string& uri) {
        catalog.resource_updated(
            uri, tool::ProviderIdentity::Id{tool::ProviderIdentity::Kind::Upstream, name});
      },
      [&catalog = catalog_, gathered = gathered_,
       slot = slot_of(settings.name)](std::shared_ptr<tool::Provider> provider) {
        if (!gathered->is_open) return catalog.set(slot, std::move(provider));
        gathered->changes.push_back({slot, std::move(provider)});
        return std::vector<tool::Refusal>();  // see publish_gathered()
      },
      [keep = keep_of(settings.name), on_held = on_held_, name = settings.name](
          std::vector<store::PinRecord> records, Upstream::Kept done) {
        // Only changes that the upstream made have no `done`.
        if (*on_held && !done) tell_held(*on_held, name, records);
        keep(std::move(records), std::move(done));
      }};
  around.login = login;
  around.source = [shared] { return source_now(*shared); };
  around.times = times_;
  around.offers = offers_of(settings.name);
  around.keep_first = keep_first_of(settings.name);
  around.batch = batch_;
  around.unread = unread_in(settings);
  return std::make_shared<Upstream>(shared, std::move(around));
}

// An upstream that leaves can write its folders until it has ended. The successor of the same name
// is started after that.
FoldersNow Upstreams::folders_for(const std::string& name) {
  return [this, name, alive = alive_]() -> Result<config::WritableFolders> {
    if (!*alive) return Error{ErrorKind::Cancelled, "the host stops"};
    std::vector<config::Upstream> now;
    for (const auto& one : all_) now.push_back(one->settings());
    for (const auto& one : leaving_)
      if (one->name() != name) now.push_back(one->settings());
    return config::WritableFolders(config_.plugins, now);
  };
}

// Empty: all secrets can be read.
std::string Upstreams::unread_in(const config::Upstream& settings) const {
  const auto digest = secrets_.find(settings.name);
  if (digest != secrets_.end() && !digest->second.empty()) return {};
  const auto secrets = digest_of_secrets(settings);
  if (secrets) return {};
  log::warning("upstream", "the value of a secret cannot be read: calls fail until it can be read",
               {{"upstream", settings.name}, {"error", secrets.error().message}});
  return secrets.error().message;
}

// The same for an upstream and its successor, so that the store gets what they learn in its order.
Upstream::Keep Upstreams::keep_of(const std::string& name) {
  if (!desk_) {
    return [](const std::vector<store::PinRecord>&, const Upstream::Kept& done) {
      if (done) done({});
    };
  }
  auto& writer = pin_writers_[name];
  if (!writer) writer = std::make_shared<PinWriter>(io_, desk_);
  return [writer](std::vector<store::PinRecord> records, Upstream::Kept done) {
    writer->put(std::move(records), std::move(done));
  };
}

Upstream::KeepFirst Upstreams::keep_first_of(const std::string& name) {
  if (!desk_) return nullptr;
  return [writer = pin_writers_[name], on_held = on_held_, name](
             std::vector<store::PinRecord> records, PinWriter::FirstDone done) {
    writer->put_first(name, std::move(records), [on_held, name, done](const auto& stored) {
      if (stored && *on_held) tell_held(*on_held, name, *stored);
      done(stored);
    });
  };
}

std::shared_ptr<OfferWriter> Upstreams::offers_of(const std::string& name) {
  if (!desk_) return nullptr;
  auto& writer = offers_[name];
  if (!writer) writer = std::make_shared<OfferWriter>(io_, offers_to(desk_), OfferWriter::Pauses());
  return writer;
}

// The records of a removed upstream.
void Upstreams::forget_offers(const std::string& name) {
  const auto found = offers_.find(name);
  if (found == offers_.end()) return;
  found->second->forget();
  desk_->tell([name](store::Store& store) {
    const auto forgotten = store.together([&] { return store.offers().forget(name); });
    if (!forgotten) log_lists("lists of a removed upstream were not removed", forgotten.error());
  });
}

std::vector<std::string> Upstreams::names_now() const {
  std::vector<std::string> names;
  for (const auto& one : all_) names.push_back(one->name());
  return names;
}

Upstreams::~Upstreams() {
  *alive_ = false;
}

// Without its lists, an upstream is served all the same.
asio::awaitable<Result<Upstreams::Stored>> Upstreams::stored(std::vector<std::string> names) {
  if (!desk_) co_return Stored();
  store::Desk::Act<Stored> read = [names =
                                       std::move(names)](store::Store& store) -> Result<Stored> {
    Stored out;
    HOST_TRY_ASSIGN(out.pins, store.pins().list());
    auto offers = store.offers().of(names);
    if (!offers) log_lists("stored lists could not be read", offers.error());
    if (!offers) return out;
    for (store::OfferRecord& one : *offers) {
      const std::string name = one.upstream;
      out.offers[name].push_back(std::make_shared<const store::OfferRecord>(std::move(one)));
    }
    return out;
  };
  co_return co_await desk_->ask<Stored>(std::move(read));
}

// Without knowing what was accepted, every definition would be accepted like those of a first
// connection.
asio::awaitable<Result<void>> Upstreams::load() {
  if (is_loaded_) co_return Result<void>();
  if (all_.empty()) {  // the last one can have been removed while the host was stopped
    const bool is_start = desk_ && connects_ == Connects::AsConfigured && !has_forgotten_;
    if (std::exchange(has_forgotten_, true) || !is_start) co_return Result<void>();
    std::error_code error;  // an idle host makes no store
    if (!std::filesystem::exists(config_.store.file, error)) co_return Result<void>();
    desk_->tell([](store::Store& store) { forget_others(store, {}); });
    co_return Result<void>();
  }
  const auto alive = alive_;
  auto records = co_await stored(names_now());
  if (!*alive) co_return Error{ErrorKind::Cancelled, "the host stops"};
  if (!records) {
    for (const auto& one : all_) one->cannot_begin(records.error());
    co_return records.error();
  }
  is_loaded_ = true;
  std::map<std::string, std::vector<store::PinRecord>> by_name;
  for (store::PinRecord& record : records->pins)
    by_name[record.upstream].push_back(std::move(record));
  gathered_->is_open = true;
  std::vector<std::shared_ptr<Wait>> waits;
  const auto all = all_;  // one that is removed meanwhile must live until its wait has ended
  // Nothing is served before all have begun.
  batch_->gather([&] {
    for (const auto& one : all) {
      auto wait = std::make_shared<Wait>(io_);
      waits.push_back(wait);
      one->begin(by_name[one->name()], std::move(records->offers[one->name()]), connects_,
                 [wait] { wait->end({}); });
      one->follow(followed_.for_upstreams());
    }
  });
  for (const auto& wait : waits) (void)co_await wait_for(wait);
  if (!*alive) co_return Error{ErrorKind::Cancelled, "the host stops"};
  publish_gathered();
  if (desk_ && connects_ == Connects::AsConfigured)  // last, so that no client waits for it
    desk_->tell([names = names_now()](store::Store& store) { forget_others(store, names); });
  co_return Result<void>();
}

// One that was removed meanwhile stays away.
void Upstreams::publish_gathered() {
  gathered_->is_open = false;
  std::vector<tool::Catalog::Change> changes;
  std::vector<std::shared_ptr<Upstream>> of;
  std::map<std::string, std::shared_ptr<Upstream>> by_slot;
  for (const auto& one : all_) by_slot.emplace(slot_of(one->name()), one);
  for (tool::Catalog::Change& change : std::exchange(gathered_->changes, {})) {
    const auto one = by_slot.find(change.slot);
    if (one == by_slot.end()) continue;
    changes.push_back(std::move(change));
    of.push_back(one->second);
  }
  auto refusals = catalog_.set_all(std::move(changes));
  for (std::size_t i = 0; i < of.size(); ++i) of[i]->refused_by_catalog(std::move(refusals[i]));
}

asio::awaitable<void> Upstreams::start(Connects connects) {
  connects_ = connects;
  const auto loaded = co_await load();
  if (loaded) co_return;
  log::error("upstream", "accepted definitions could not be read, so no upstream is served",
             {{"error", loaded.error().message}});
  load_later();
}

void Upstreams::load_later() {
  if (std::exchange(loads_later_, true)) return;  // both would use the same timer
  spawn(
      io_, {"upstream", "reads the accepted definitions again"},
      [this]() -> asio::awaitable<void> { co_await load_at_last(); }, [](const Result<void>&) {});
}

asio::awaitable<void> Upstreams::load_at_last() {
  const auto alive = alive_;
  const auto timer = load_pause_;
  for (;;) {
    timer->expires_after(kLoadAgain);
    co_await timer->async_wait(asio::as_tuple(asio::use_awaitable));
    if (!*alive || is_stopped_) co_return;
    const auto loaded = co_await load();
    if (!*alive) co_return;
    // A change during the reading can have failed to read the definitions.
    loads_later_ = !loaded || (!is_loaded_ && !all_.empty());
    if (!loads_later_) co_return;
  }
}

asio::awaitable<void> Upstreams::settle() {
  const auto all = all_;
  for (const auto& one : all) {
    auto wait = std::make_shared<Wait>(io_);
    one->settle([wait](Result<void> outcome) { wait->end(std::move(outcome)); });
    const Result<void> ignored = co_await wait_for(wait);
  }
}

asio::awaitable<void> Upstreams::stop() {
  is_stopped_ = true;
  load_pause_->cancel();
  std::vector<std::shared_ptr<Upstream>> all = all_;
  all.insert(all.end(), leaving_.begin(), leaving_.end());
  std::vector<std::shared_ptr<Wait>> waits;
  for (const auto& one : all) {
    auto wait = std::make_shared<Wait>(io_);
    waits.push_back(wait);
    one->stop([wait] { wait->end({}); });
  }
  for (const auto& wait : waits) (void)co_await wait_for(wait);
  for (const auto& [name, writer] : pin_writers_) writer->stop();
  for (const auto& [name, writer] : offers_) writer->stop();
}

void Upstreams::follow(const std::set<std::string>& uris) {
  followed_.set(uris);
}

std::vector<Status> Upstreams::status() const {
  std::vector<Status> out;
  for (const auto& one : all_) out.push_back(one->status());
  for (const auto& one : leaving_) {
    if (!find(one->name())) out.push_back(one->status());
  }
  return out;
}

Result<Status> Upstreams::status_of(const std::string& name) const {
  HOST_TRY_ASSIGN(const std::shared_ptr<Upstream> found, find(name));
  return found->status();
}

Result<std::vector<store::PinRecord>> Upstreams::pins_of(const std::string& name) const {
  HOST_TRY_ASSIGN(const std::shared_ptr<Upstream> found, find(name));
  return found->pins();
}

std::map<std::string, std::optional<std::vector<std::string>>> Upstreams::known_tools() const {
  std::map<std::string, std::optional<std::vector<std::string>>> out;
  for (const auto& one : all_) out.emplace(one->name(), one->known_tools());
  return out;
}

Result<std::shared_ptr<Upstream>> Upstreams::find(const std::string& name) const {
  std::vector<std::string_view> names;
  for (const auto& one : all_) {
    if (one->name() == name) return one;
    names.push_back(one->name());
  }
  return Error{ErrorKind::NotFound, "no upstream is named \"" + name + "\": " +
                                        (names.empty() ? "the configuration has no [[upstream]]"
                                                       : suggest(name, names))};
}

asio::awaitable<Result<void>> Upstreams::restart(const std::string& name) {
  HOST_CO_TRY_ASSIGN(const std::shared_ptr<Upstream> one, find(name));
  HOST_CO_TRY(co_await load());
  auto wait = std::make_shared<Wait>(io_);
  one->restart([wait](Result<void> outcome) { wait->end(std::move(outcome)); });
  co_return co_await wait_for(wait);
}

asio::awaitable<Result<void>> Upstreams::refresh(const std::string& name) {
  HOST_CO_TRY_ASSIGN(const std::shared_ptr<Upstream> one, find(name));
  HOST_CO_TRY(co_await load());
  auto wait = std::make_shared<Wait>(io_);
  one->refresh([wait](Result<void> outcome) { wait->end(std::move(outcome)); });
  co_return co_await wait_for(wait);
}

Result<std::shared_ptr<oauth::Login>> Upstreams::login_at(const std::string& name) const {
  HOST_TRY_ASSIGN(const std::shared_ptr<Upstream> one, find(name));
  if (one->login()) return one->login();
  return Error{ErrorKind::InvalidArgument,
               "upstream \"" + name + "\" has no `auth = \"oauth\"`, so it needs no login"};
}

// ---- definitions that wait at other hosts with this store

asio::awaitable<std::map<std::string, Review>> Upstreams::held_elsewhere() {
  std::map<std::string, Review> out;
  if (!desk_ || all_.empty()) co_return out;
  using Records = std::vector<store::PinRecord>;
  store::Desk::Act<Records> read = [](store::Store& store) { return store.pins().held(); };
  const auto alive = alive_;
  const auto stored = co_await desk_->ask<Records>(std::move(read));
  if (!*alive) co_return out;
  if (!stored) log_lists("definitions that wait at other hosts are not shown", stored.error());
  if (!stored || stored->empty()) co_return out;
  const auto all = all_;
  const auto jobs = jobs_;
  for (const auto& one : all) {
    auto records = one->held_elsewhere(*stored);
    if (records.empty()) continue;
    const auto reviewer = std::make_shared<Reviewer>(std::move(records), one->secrets());
    auto wait = std::make_shared<Wait>(io_);
    jobs->run([reviewer] { return reviewer->step(); }, [wait] { wait->end({}); });
    const Result<void> reviewed = co_await wait_for(wait);
    if (!*alive) co_return out;
    if (reviewed) out.emplace(one->name(), std::move(reviewer->review));
  }
  co_return out;
}

asio::awaitable<std::vector<Status>> Upstreams::full_status() {
  const auto alive = alive_;
  auto elsewhere = co_await held_elsewhere();
  if (!*alive) co_return std::vector<Status>();
  std::vector<Status> out = status();
  for (Status& one : out) {
    const auto found = elsewhere.find(one.name);
    if (found != elsewhere.end())
      add_held(one, std::move(found->second.held), found->second.digest);
  }
  co_return out;
}

asio::awaitable<Result<Status>> Upstreams::full_status_of(std::string name) {
  const auto alive = alive_;
  auto elsewhere = co_await held_elsewhere();
  if (!*alive) co_return Error{ErrorKind::Cancelled, "the host stops"};
  HOST_CO_TRY_ASSIGN(Status one, status_of(name));
  const auto found = elsewhere.find(name);
  if (found != elsewhere.end()) add_held(one, std::move(found->second.held), found->second.digest);
  co_return one;
}

}  // namespace host::upstream
