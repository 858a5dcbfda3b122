// The tools of an upstream: how its list is read, pinned, reviewed and served.
#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "json/excerpt.h"
#include "tool/definition/declared_text.h"
#include "upstream/manager/transports.h"
#include "upstream/manager/upstream.h"
#include "upstream/provider/tool_name.h"

namespace host::upstream {
namespace {

// The pause before the list is read again doubles while each reading finds changes, or fails, so
// that a list that changes all the time costs little.
constexpr std::chrono::milliseconds kMostReadPause{60'000};
// One whose definitions cost much is read less often, so that it takes a tenth of a processor at
// most: multiples of the CPU time of the last reading.
constexpr int kRestAfterWork = 9;
// How many tools a line of the log names.
constexpr std::size_t kNamedInLog = 5;
constexpr std::size_t kShownNameBytes = 64;

config::Pin pin_of(const config::Upstream& settings, const config::Config& config) {
  return settings.pin.value_or(config.upstreams.pin);
}

// An order to accept a definition. It ends when the definition is served and the store has
// answered.
struct Acceptance {
  Upstream::Done done;
  std::optional<Result<void>> kept;
  bool is_served = false;

  void tell() const {
    if (!kept || !is_served) return;
    done(*kept ? *kept
               : kept->error().within("the definition is served now, but is not stored yet"));
  }
};

}  // namespace

ListLimits Upstream::list_limits() const {
  ListLimits limits;
  limits.entries = env_.config.limits.upstream_tools;
  limits.pages = env_.config.limits.upstream_pages;
  limits.bytes = env_.config.limits.upstream_message_bytes;
  limits.timeout = env_.config.upstreams.start_timeout;
  if (state_ == State::Starting) {  // the handshake has taken a part of it
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(start_end_ - env_.clock.steady());
    limits.timeout = std::max(left, std::chrono::milliseconds(1));
  }
  return limits;
}

// A process of this host has the program of its start, and hosts with one store have processes of
// their own.
WallTime Upstream::list_time() const {
  return settings_.command.empty() ? env_.clock.wall() : connected_at_;
}

void Upstream::read_tools() {
  reading_ = true;
  reads_list_of_ = list_time();
  reads_for_calls_ = false;
  ++readings_;
  read_again_ = false;
  if (!connection_->self().tools) return take_tools(FetchedList{});
  fetch_list(*connection_, kTools, list_limits(), env_.jobs,
             [weak = weak_from_this(), round = round_](Result<FetchedList> list) {
               const auto self = weak.lock();
               if (self && self->round_ == round) self->take_tools(std::move(list));
             });
}

void Upstream::take_tools(Result<FetchedList> list) {
  if ((state_ != State::Starting && state_ != State::Ready) || is_retired()) {
    reading_ = false;
    return;
  }
  if (!list) {
    reading_ = false;
    last_read_ = env_.clock.steady();
    if (state_ == State::Ready) {
      std::string why = "its tools could not be read: " + list.error().message;
      if (why != last_error_)
        log::warning("upstream", "still serves its earlier tools",
                     {{"upstream", name()}, {"reason", why}});
      last_error_ = std::move(why);
      tools_age_.was_not_read(last_read_);
      const bool is_news = std::exchange(read_again_, false);
      // Otherwise a later call reads it again.
      if (is_news || !reads_for_calls_) read_later(is_news && changes_are_few());
      send_awaiting();
      return tell_waiters(Error{ErrorKind::Unavailable, last_error_});
    }
    unread_ = "its tools could not be read: " + list.error().message;
    is_unread_denied_ = list.error().kind == ErrorKind::Denied;
    connection_->close();  // ended() follows
    return;
  }
  reading_ = true;  // until its tools are served
  tools_age_.set_ttl(list->ttl);
  auto reader = std::make_shared<DefinitionReader>(*std::move(list));
  run([reader] { return reader->step(); },
      [weak = weak_from_this(), reader, round = round_] {
        const auto self = weak.lock();
        const bool is_whole =
            self && self->round_ == round && self->state_ != State::Stopped && !self->is_retired();
        if (is_whole) self->take_list(*reader);
      });
}

// A host that stops does not wait for the rest of the work. `done` is called all the same.
void Upstream::run(std::function<bool()> step, std::function<void()> done) {
  auto bounded = [stops = stops_, step = std::move(step)] { return !*stops && step(); };
  if (env_.batch) return env_.batch->run(std::move(bounded), std::move(done));
  env_.jobs->run(std::move(bounded), std::move(done));
}

// Each step is left if the connection ended meanwhile: the next one reads the list again.
void Upstream::take_list(DefinitionReader& list) {
  refusals_ = std::move(list.refusals);
  const auto left_out = connection_->tools_were_read();
  refusals_.insert(refusals_.end(), left_out.begin(), left_out.end());
  cut_ = list.cut();
  const bool is_first = last_list_ == WallTime();
  last_list_ = reads_list_of_;
  last_work_ = list.spent();
  const auto next = [weak = weak_from_this(), round = round_](void (Upstream::*step)()) {
    return [weak, round, step] {
      const auto self = weak.lock();
      if (self && self->round_ == round) (*self.*step)();
    };
  };
  const auto read = next(&Upstream::tools_are_read);
  const bool is_pinned = pin_of(settings_, env_.config) != config::Pin::Off;
  if (is_pinned && !pins_.seen()) return pin_first(std::move(list.definitions), read);
  pin(list.definitions, is_first);
  review_and_publish(read);
}

void Upstream::review_and_publish(std::function<void()> then) {
  review([weak = weak_from_this(), then = std::move(then)] {
    if (const auto self = weak.lock()) self->publish(then);
  });
}

void Upstream::tools_are_read() {
  reading_ = false;
  last_read_ = env_.clock.steady();
  if (state_ != State::Starting && state_ != State::Ready) return;
  if (!connection_->ready()) return;  // it ends because of an order, and the next one reads
  last_error_.clear();
  tools_age_.was_read(last_read_, kRestAfterWork * last_work_);
  send_awaiting();
  if (state_ == State::Starting) {
    backoff_.became_ready(env_.clock.steady());
    set_state(State::Ready);
    log::info("upstream", "is ready",
              {{"upstream", name()},
               {"protocol", settings_.openapi.empty()
                                ? std::string(protocol::to_string(connection_->self().version))
                                : "openapi"},
               {"tools", std::to_string(provider_->tools().size())}});
    calls_->connected();
    if (calls_->running() == 0) became_idle();
    offering_->connected(*connection_);
  }
  offering_->when_read([weak = weak_from_this(), round = round_, reading = readings_] {
    const auto self = weak.lock();
    if (!self || self->round_ != round) return;
    self->tell_readers(reading, self->unstored_.empty()
                                    ? Result<void>()
                                    : Error{ErrorKind::Unavailable, self->unstored_});
  });
  if (reads_for_calls_ && !was_same_) {  // another server answers, so the other lists changed too
    offering_->list_changed(ListKind::Resources);
    offering_->list_changed(ListKind::Prompts);
  }
  if (was_same_) read_pause_ = env_.read_again_after;
  const bool is_ordered = std::any_of(waiters_.begin(), waiters_.end(),
                                      [this](const auto& one) { return one.reading > readings_; });
  if (is_ordered && connection_->ready()) return read_tools();  // a refresh during the reading
  if (std::exchange(read_again_, false)) read_later(was_same_ || changes_are_few());
}

// Nothing of the first list is served before the store has a record of it. Without the record, the
// host would take the next list that it reads after a crash for the first one, and serve all of it.
// Another host with this store can have read a first list before, and that one counts.
void Upstream::pin_first(std::vector<Definition> read, std::function<void()> then) {
  Pins first(name(), pin_of(settings_, env_.config), served_names(name()));
  auto records = first.compare(read, env_.clock.wall());
  const auto definitions = std::make_shared<const std::vector<Definition>>(std::move(read));
  PinWriter::FirstDone done = [weak = weak_from_this(), number = ++first_lists_, definitions,
                               then = std::move(then)](const auto& stored) mutable {
    const auto self = weak.lock();
    if (!self || self->first_lists_ != number || self->state_ == State::Stopped ||
        self->is_retired())
      return;
    self->unstored_.clear();
    if (stored) {
      self->pins_.load(*stored);
      self->log_held(*stored, true);
      self->pin(*definitions, true);
      self->was_same_ = false;
    } else {
      self->unstored_ =
          "its definitions could not be stored, so its tools are not served until "
          "they are: " +
          stored.error().message;
    }
    self->review_and_publish(std::exchange(then, nullptr));
  };
  if (!env_.keep_first) {
    env_.keep(records, nullptr);
    return done(std::move(records));
  }
  env_.keep_first(std::move(records), std::move(done));
}

void Upstream::pin(const std::vector<Definition>& definitions, bool is_first_list) {
  const bool first = !pins_.seen();
  const auto changed = pins_.compare(definitions, env_.clock.wall());
  if (!changed.empty()) env_.keep(changed, nullptr);
  // The store knows what each process holds, and this process has held nothing before.
  auto held = pins_.held();
  if (is_first_list && !held.empty()) env_.keep(std::move(held), [](const Result<void>&) {});
  log_held(changed, first);
  was_same_ = changed.empty();
  env_.metrics->held.ensure({name()}).value = static_cast<double>(pins_.held().size());
}

// One line, however many there are: an upstream can change them all at each reading.
void Upstream::log_held(const std::vector<store::PinRecord>& changed, bool first) const {
  std::size_t count = 0;
  std::string names;
  for (const store::PinRecord& record : changed) {
    if (record.held.empty() || !record.offered) continue;
    if (++count > kNamedInLog) continue;
    names += (names.empty() ? "" : ", ") +
             json::excerpt(tool::shown_line(env_.secrets->hide(record.tool)), kShownNameBytes);
  }
  if (count == 0) return;
  if (count > kNamedInLog) names += ", ...";
  log::warning("upstream",
               first ? "tools wait for review" : "definitions of tools changed and are held",
               {{"upstream", name()},
                {"count", std::to_string(count)},
                {"tools", names},
                {"remedy", "look with `toolpost upstream diff " + name() +
                               "`, which prints the command that accepts them"}});
}

// `then` is called once status() shows what waits.
void Upstream::review(std::function<void()> then) {
  auto held = pins_.held();
  if (held.empty()) {  // as mostly: there is no work for the other thread
    ++reviews_;        // a review in progress is of what waited before
    review_ = {};
    return then();
  }
  auto reviewer = std::make_shared<Reviewer>(std::move(held), *env_.secrets);
  run([reviewer] { return reviewer->step(); },
      [weak = weak_from_this(), reviewer, number = ++reviews_, then = std::move(then)] {
        const auto self = weak.lock();
        if (self && self->reviews_ == number) self->review_ = std::move(reviewer->review);
        then();
      });
}

// `then` is called once what the pins allow now is served.
void Upstream::publish(std::function<void()> then) {
  if (then) after_publication_.push_back(std::move(then));
  if (std::exchange(publishing_, true)) {
    publish_again_ = true;
    return;
  }
  std::vector<std::string> texts;
  for (Definition& definition : pins_.served()) texts.push_back(std::move(definition.text));
  if (provider_ && texts == published_) return published();
  auto maker = std::make_shared<ToolMaker>(shared_settings_, texts);
  run([maker] { return maker->step(); },
      [weak = weak_from_this(), maker, texts = std::move(texts)] {
        if (const auto self = weak.lock()) self->serve(*maker, texts);
      });
}

void Upstream::serve(ToolMaker& maker, std::vector<std::string> texts) {
  if (state_ == State::Stopped) return published();
  last_work_ += maker.spent();
  tool::ProviderIdentity identity{tool::ProviderIdentity::Kind::Upstream, name(),
                                  source_of(settings_), build_of(settings_)};
  published_ = std::move(texts);
  serve(std::move(identity), maker.take());
  for (const tool::Refusal& refusal : provider_->served().refusals) {
    log::warning("upstream", "a tool is not served",
                 {{"upstream", name()},
                  {"tool", env_.secrets->hide_in_words(refusal.tool)},
                  {"reason", env_.secrets->hide_in_words(refusal.reason)}});
  }
  published();
}

void Upstream::serve(tool::ProviderIdentity identity, ServedTools tools) {
  std::vector<tool::Limit> limits{{"upstream:" + name(), settings_.max_inflight, true}};
  provider_ = std::make_shared<UpstreamProvider>(
      std::move(identity), std::move(tools), offering_->served(), std::move(limits),
      settings_.timeout.value_or(std::chrono::milliseconds(0)), calls_, ended_calls_);
  if (!is_retired()) catalog_refusals_ = env_.publish(provider_);
}

// If its tools are being compiled, what it offers is published with them.
void Upstream::offer_changed() {
  if (provider_ && state_ != State::Stopped) serve(provider_->identity(), provider_->served());
}

void Upstream::published() {
  publishing_ = false;
  if (std::exchange(publish_again_, false)) return publish(nullptr);
  for (const auto& then : std::exchange(after_publication_, {})) then();
}

void Upstream::list_changed() {
  if (is_retired()) return;
  if (reading_) {  // also while it starts: the list may have been read before the change
    read_again_ = true;
    return;
  }
  // After a quiet time a change is news again.
  const bool is_calm = changes_are_few() || env_.clock.steady() - last_read_ > kMostReadPause;
  if (state_ == State::Ready) read_later(is_calm);
}

// A call must not reach a tool that changed while nothing told of it.
bool Upstream::awaits_tools() {
  if (awaits_tools_) return true;
  if (state_ != State::Ready || !connection_->ready() || connection_->notices_changes() ||
      !tools_age_.is_over(env_.clock.steady()))
    return false;
  awaits_tools_ = true;
  tools_wait_.expires_after(env_.tools_wait);
  tools_wait_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto self = weak.lock();
    if (error || !self) return;
    self->tools_age_.was_not_read(self->env_.clock.steady());
    self->send_awaiting();
  });
  if (reading_) return true;
  read_tools();
  reads_for_calls_ = true;
  return true;
}

// If the connection has ended, the calls wait for the next one.
void Upstream::send_awaiting() {
  if (!connection_->ready()) return;
  tools_wait_.cancel();
  if (std::exchange(awaits_tools_, false)) calls_->connected();
}

// Of an HTTP API only the host says so, each time that it sees a new file: the API itself cannot
// make it read all the time.
bool Upstream::changes_are_few() const {
  return !settings_.openapi.empty();
}

// `is_calm`: it does not change all the time, as far as is known.
void Upstream::read_later(bool is_calm) {
  // A new file does not wait until the reading of an earlier one is tried again.
  const bool was_waiting = std::exchange(waits_to_read_, true);
  if (was_waiting && !(is_calm && changes_are_few())) return;
  const auto pause = is_calm ? env_.read_again_after : std::max(read_pause_, env_.read_again_after);
  read_pause_ = std::min(2 * pause, kMostReadPause);
  const auto rest =
      std::chrono::duration_cast<std::chrono::milliseconds>(kRestAfterWork * last_work_);
  const auto at = std::chrono::steady_clock::now() + std::max(pause, rest);
  if (was_waiting && refresh_pause_.expiry() <= at) return;
  refresh_pause_.expires_at(at);
  refresh_pause_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto self = weak.lock();
    if (error || !self) return;
    self->waits_to_read_ = false;
    if (self->state_ == State::Ready && !self->reading_) self->read_tools();
  });
}

std::string Upstream::objection_to(const tool::Tool& tool, const std::string& name) const {
  const ServedTools& served = provider_->served();
  for (std::size_t i = 0; i < served.names.size(); ++i) {
    if (served.names[i] != name) continue;
    if (served.tools[i]->digest() == tool.source_digest() && pins_.serves(name)) return {};
    break;
  }
  return "the definition of its tool changed since you saw it, so the call was not sent; list the "
         "tools again. If the tool is gone, the operator has to accept the change";
}

void Upstream::accept(std::string_view tool, std::string_view digest, const std::string& by,
                      Done done, std::optional<WallTime> decided) {
  const auto changed = pins_.accept(tool, digest, by, decided.value_or(env_.clock.wall()));
  if (!changed) return done(env_.secrets->hide(changed.error()));
  env_.metrics->held.ensure({name()}).value = static_cast<double>(pins_.held().size());
  const auto order = std::make_shared<Acceptance>(Acceptance{std::move(done), {}});
  env_.keep(*changed, [order](const Result<void>& kept) {
    order->kept = kept;
    order->tell();
  });
  review([weak = weak_from_this(), order] {
    const auto self = weak.lock();
    if (!self) return;
    self->publish([order] {
      order->is_served = true;
      order->tell();
    });
  });
}

std::optional<std::vector<std::string>> Upstream::known_tools() const {
  if (!pins_.seen()) return std::nullopt;
  return pins_.tools();
}

}  // namespace host::upstream
