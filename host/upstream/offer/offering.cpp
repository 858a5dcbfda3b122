#include "upstream/offer/offering.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "tool/definition/uri_template.h"

namespace host::upstream {
namespace {

constexpr std::chrono::milliseconds kMostPause{60'000};
constexpr std::size_t kMostWaiters = 256;  // a wait that was given up counts until the next lists

const ListName& name_of(OfferKind kind) {
  switch (kind) {
    case OfferKind::Resources:
      return kResources;
    case OfferKind::Templates:
      return kTemplates;
    case OfferKind::Prompts:
      return kPrompts;
  }
  return kPrompts;
}

bool offers(const protocol::ServerSelf& self, OfferKind kind) {
  return kind == OfferKind::Prompts ? self.prompts : self.resources;
}

// The lists that can have the target of a request.
std::vector<OfferKind> kinds_for(tool::Function function) {
  switch (function) {
    case tool::Function::ReadResource:
      return {OfferKind::Resources, OfferKind::Templates};
    case tool::Function::GetPrompt:
      return {OfferKind::Prompts};
    default:
      return {OfferKind::Prompts, OfferKind::Templates};
  }
}

const std::vector<tool::UriTemplate>& patterns_of(const ServedOffer& offer) {
  static const std::vector<tool::UriTemplate> none;
  return offer.patterns ? *offer.patterns : none;
}

}  // namespace

Offering::Offering(Surroundings around, std::shared_ptr<OfferWriter> writer)
    : env_(std::move(around)),
      times_(env_.times ? env_.times : std::make_shared<OfferTimes>(system_clock())),
      writer_(std::move(writer)),
      pause_(env_.read_again_after),
      timer_(env_.io) {}

const std::string& Offering::filters() {
  if (filters_.empty()) filters_ = filters_of(*env_.upstream);
  return filters_;
}

bool Offering::is_outdated(const std::vector<OfferWriter::Record>& stored) {
  if (stored.empty()) return false;
  const std::string source = env_.source();
  return std::any_of(stored.begin(), stored.end(), [&](const OfferWriter::Record& one) {
    return !source.empty() && (one->source != source || one->filters != filters());
  });
}

void Offering::load(const std::vector<OfferWriter::Record>& stored, std::function<void()> done) {
  if (stored.empty()) return done();
  needs_reading_ = is_outdated(stored);
  const std::string source = env_.source();
  auto reading =
      std::make_shared<StoredOffers>(env_.upstream, env_.config.limits.upstream_resources);
  for (const OfferWriter::Record& record : stored) {
    if (!source.empty() && record->source == source) {
      reading->add(record);
    } else if (writer_) {  // to be replaced, also if this server has no such list
      writer_->loaded({record, Sha256{}});
    }
  }
  if (reading->empty()) return done();
  env_.run([reading] { return reading->step(); },
           [weak = weak_from_this(), reading, source, done = std::move(done)] {
             const auto self = weak.lock();
             const bool is_same = self && self->env_.source() == source;
             if (is_same && reading->is_done()) self->loaded(*reading);
             done();
           });
}

void Offering::loaded(StoredOffers& stored) {
  bool is_any_live = false;
  for (const OfferKind kind : kOfferKinds) {
    StoredOffers::List& from = stored.lists[static_cast<std::size_t>(kind)];
    is_any_live = is_any_live || list(kind).is_live;
    if (!from.record) set_times(kind);  // of a list that was read meanwhile
    if (!from.record) continue;
    if (writer_) writer_->loaded({from.record, from.digest});
    load_times(list(kind), from, kind);
    if (list(kind).is_live) continue;
    list(kind).made = std::move(from.maker->made);
    list(kind).refusals = std::move(from.maker->refusals);
  }
  if (stored.since && writer_) writer_->loaded(*stored.since);
  if (stored.completions) {
    if (writer_) writer_->loaded(*stored.completions);
    if (!is_any_live) completes_ = stored.completions->record->entries == kCompletes;
  }
  publish();
  if (!is_any_live || reading_) return;  // otherwise the end of the reading stores the times
  keep_times();
  store_lists();
}

// A list that was read meanwhile keeps the earlier times of the entries that it still has.
void Offering::load_times(List& into, StoredOffers::List& from, OfferKind kind) {
  if (kind == OfferKind::Prompts) return;
  tool::Offer& offer = from.maker->made.offer;
  for (tool::Resource& one : kind == OfferKind::Resources ? offer.resources : offer.templates) {
    if (one.since == kNoTime) one.since = times_->next();
    times_->saw(one.since);
    const auto [at, is_new] = into.since.emplace(one.uri, one.since);
    if (!is_new) at->second = std::min(at->second, one.since);
  }
  if (into.is_live) return set_times(kind);
  into.times = std::move(from.times);
}

void Offering::set_times(OfferKind kind) {
  List& in = list(kind);
  if (kind == OfferKind::Prompts || !in.is_live) return;
  tool::Offer& offer = in.made.offer;
  auto& entries = kind == OfferKind::Resources ? offer.resources : offer.templates;
  const auto before = std::exchange(in.since, {});
  WallTime now{};  // one for all that are new
  for (tool::Resource& one : entries) {
    const auto known = before.find(one.uri);
    if (known == before.end() && now == WallTime()) now = times_->next();
    one.since = known == before.end() ? now : known->second;
    in.since.emplace(one.uri, one.since);
  }
  in.times = since_line(kind, entries);
}

// In the same write as the lists.
void Offering::keep_times() {
  std::string all;
  bool is_any = false;
  for (const OfferKind kind : {OfferKind::Resources, OfferKind::Templates}) {
    all += list(kind).times;
    is_any = is_any || !list(kind).since.empty();
  }
  if (!is_any) return keep_nothing_of(kSince);
  const Sha256 digest = sha256(all);
  keep(kSince, std::move(all), digest);
}

void Offering::forget() {
  disconnected();
  for (List& one : lists_) one = List{};
  completes_ = false;
  publish();
}

void Offering::connected(Connection& connection) {
  connection_ = &connection;
  source_ = env_.source();
  was_read_ = false;
  for (const OfferKind kind : kOfferKinds) list(kind).is_due = true;
  is_told_ = false;
  follow_at_upstream();
  begin_reading();
}

void Offering::disconnected() {
  connection_ = nullptr;
  was_read_ = false;
  fresh_.clear();
  ++round_;
  reading_ = false;
  waits_ = is_soon_ = false;
  timer_.cancel();
  all_are_read();
}

void Offering::list_changed(ListKind kind) {
  if (!connection_ || kind == ListKind::Tools) return;
  if (kind == ListKind::Prompts) {
    list(OfferKind::Prompts).is_due = true;
  } else {
    list(OfferKind::Resources).is_due = list(OfferKind::Templates).is_due = true;
  }
  if (!reading_) read_later();
}

// A list that changes all the time is read seldom. After a quiet time a change is news again.
void Offering::read_later() {
  if (std::exchange(waits_, true)) return;
  const bool was_quiet = std::chrono::steady_clock::now() - last_read_ > kMostPause;
  if (was_same_ || was_quiet) pause_ = env_.read_again_after;
  timer_.expires_after(pause_);
  pause_ = std::min(2 * pause_, kMostPause);
  was_same_ = true;
  read_at_timer();
}

// A call waits for the lists. The upstream and the caller together must not make the host read them
// all the time.
void Offering::read_soon() {
  if (std::exchange(is_soon_, true)) return;
  const auto now = std::chrono::steady_clock::now();
  const auto at = now + readings_for_calls_.take(now);
  if (std::exchange(waits_, true) && timer_.expiry() <= at) return;
  timer_.expires_at(at);
  read_at_timer();
}

void Offering::read_at_timer() {
  timer_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto self = weak.lock();
    if (error || !self || !std::exchange(self->waits_, false)) return;
    if (self->connection_ && !self->reading_) self->begin_reading();
  });
}

// What changes during the reading is read in the next one, after a pause.
void Offering::begin_reading() {
  is_soon_ = false;
  for (List& one : lists_) one.is_next = std::exchange(one.is_due, false);
  read_next();
}

void Offering::read_next() {
  for (const OfferKind kind : kOfferKinds) {
    if (!std::exchange(list(kind).is_next, false)) continue;
    if (offers(connection_->self(), kind)) return read(kind);
    list(kind) = List{};
    list(kind).is_live = true;
    is_told_ = is_told_ && kind == OfferKind::Prompts;
    keep_nothing_of(stored_name_of(kind));
  }
  reading_ = false;
  completes_ = connection_->self().completions;
  if (completes_) {
    keep(kCompletions, kCompletes, sha256(kCompletes));
  } else {
    keep_nothing_of(kCompletions);
  }
  set_times(OfferKind::Resources);
  set_times(OfferKind::Templates);
  keep_times();
  keep_nothing_of(store::kUnread);
  store_lists();
  publish();
  all_are_read();
}

void Offering::keep(const std::string& name, std::string entries, const Sha256& digest) {
  if (!writer_ || source_.empty()) return;
  fresh_.push_back({std::make_shared<const store::OfferRecord>(store::OfferRecord{
                        env_.upstream->name, name, source_, filters(), std::move(entries)}),
                    digest});
}

// What an upstream never had needs no record.
void Offering::keep_nothing_of(const std::string& name) {
  if (writer_ && writer_->knows(name)) keep(name, {}, sha256({}));
}

// A list can differ in what the host does not serve, and is stored all the same.
void Offering::store_lists() {
  auto lists = std::exchange(fresh_, {});
  if (writer_ && !lists.empty() && writer_->put(std::move(lists))) was_same_ = false;
}

ListLimits Offering::limits() const {
  ListLimits limits;
  limits.entries = env_.config.limits.upstream_resources;
  limits.entries_key = "limits.upstream_resources";
  limits.pages = env_.config.limits.upstream_pages;
  limits.bytes = env_.config.limits.upstream_message_bytes;
  limits.timeout = env_.config.upstreams.start_timeout;
  return limits;
}

void Offering::read(OfferKind kind) {
  reading_ = true;
  fetch_list(*connection_, name_of(kind), limits(), env_.jobs,
             [weak = weak_from_this(), kind, round = round_](Result<FetchedList> fetched) {
               const auto self = weak.lock();
               if (self && self->round_ == round) self->take(kind, std::move(fetched));
             });
}

// A list that cannot be read stays as it was. Many servers with resources have no templates, and do
// not know the method.
void Offering::take(OfferKind kind, Result<FetchedList> fetched) {
  List& into = list(kind);
  if (!fetched && fetched.error().kind != ErrorKind::NotFound) {
    into.fault = fetched.error().message;
    into.is_due = true;  // all_are_read() reads it later
    was_same_ = false;   // and more and more seldom
    return read_next();
  }
  std::vector<std::string> entries;
  into.fault.clear();
  if (fetched) {
    entries = std::move(fetched->entries);
    if (!fetched->cut.empty()) into.fault = name_of(kind).method + "/list: " + fetched->cut;
  }
  auto maker = std::make_shared<OfferMaker>(env_.upstream, kind, std::move(entries));
  env_.jobs->run([maker] { return maker->step(); },
                 [weak = weak_from_this(), maker, kind, round = round_] {
                   const auto self = weak.lock();
                   if (self && self->round_ == round) self->took(kind, *maker);
                 });
}

void Offering::took(OfferKind kind, OfferMaker& maker) {
  List& into = list(kind);
  const bool is_same = into.is_live && into.digest == maker.taken_digest;
  is_told_ = is_told_ && (is_same || kind == OfferKind::Prompts);
  into.made = std::move(maker.made);
  into.digest = maker.taken_digest;
  into.refusals = std::move(maker.refusals);
  into.is_live = true;
  keep(stored_name_of(kind), std::move(maker.taken), maker.taken_digest);
  const auto self = shared_from_this();
  read_next();
  if (reading_) env_.list_read();  // otherwise all_are_read() has called it
}

void Offering::publish() {
  auto next = std::make_shared<ServedOffer>();
  next->offer.resources = list(OfferKind::Resources).made.offer.resources;
  next->offer.templates = list(OfferKind::Templates).made.offer.templates;
  next->offer.prompts = list(OfferKind::Prompts).made.offer.prompts;
  next->patterns = list(OfferKind::Templates).made.patterns;
  next->prompt_names = list(OfferKind::Prompts).made.prompt_names;
  next->offer.completes = completes_;
  next->is_stored =
      std::any_of(lists_.begin(), lists_.end(), [](const List& one) { return !one.is_live; });
  const bool is_same = next->offer == served_->offer && next->prompt_names == served_->prompt_names;
  if (is_same && next->is_stored == served_->is_stored) return;
  if (!is_same) was_same_ = false;
  served_ = std::move(next);
  env_.changed();
  follow_own();
}

void Offering::follow(const std::set<std::string>& uris) {
  if (uris == wanted_) return;
  wanted_ = uris;
  is_told_ = false;
  follow_own();
}

// The URIs of `wanted_` that these lists have.
std::set<std::string> Offering::wanted_in(const std::vector<tool::Resource>& resources,
                                          const std::vector<tool::UriTemplate>& families) const {
  std::set<std::string> out;
  std::set<std::string_view> own;
  for (const tool::Resource& one : resources) own.insert(one.uri);
  for (const std::string& uri : wanted_) {
    if (out.size() == env_.config.limits.upstream_resources) break;
    const bool is_own = own.contains(uri) ||
                        std::any_of(families.begin(), families.end(),
                                    [&](const tool::UriTemplate& one) { return one.matches(uri); });
    if (is_own) out.insert(uri);
  }
  return out;
}

void Offering::follow_own() {
  followed_ = wanted_in(served_->offer.resources, patterns_of(*served_));
  follow_at_upstream();
}

// The upstream gets only URIs that lists have which it has given itself.
void Offering::follow_at_upstream() {
  if (!connection_ || std::exchange(is_told_, true)) return;
  const List& resources = list(OfferKind::Resources);
  const List& templates = list(OfferKind::Templates);
  const ServedOffer none;
  connection_->follow(
      wanted_in(resources.is_live ? resources.made.offer.resources : none.offer.resources,
                patterns_of(templates.is_live ? templates.made : none)));
}

// ---- requests for what was found in a stored list

bool Offering::has(tool::Function function, OfferKind kind, const std::string& target) const {
  const ServedOffer& made = list(kind).made;
  const auto is_target = [&](const tool::Resource& one) { return one.uri == target; };
  switch (kind) {
    case OfferKind::Resources:
      return std::any_of(made.offer.resources.begin(), made.offer.resources.end(), is_target);
    case OfferKind::Templates:
      if (function == tool::Function::Complete)
        return std::any_of(made.offer.templates.begin(), made.offer.templates.end(), is_target);
      return made.patterns && std::any_of(made.patterns->begin(), made.patterns->end(),
                                          [&](const auto& one) { return one.matches(target); });
    case OfferKind::Prompts:
      return std::any_of(made.prompt_names.begin(), made.prompt_names.end(),
                         [&](const auto& one) { return one.second == target; });
  }
  return false;
}

Admission Offering::admission(tool::Function function, const std::string& target) const {
  using Kind = Admission::Kind;
  bool is_unknown = false;  // a list that can have it was not read
  std::string fault;
  for (const OfferKind kind : kinds_for(function)) {
    const List& in = list(kind);
    if (in.is_live && has(function, kind, target)) return {Kind::Send, {}};
    is_unknown = is_unknown || !in.is_live;
    if (!in.is_live && !in.fault.empty()) fault = in.fault;
  }
  if (!is_unknown) return {Kind::Missing, {}};
  if (!connection_ || !was_read_ || reading_) return {Kind::Wait, {}};
  return {Kind::Unread, std::move(fault)};
}

void Offering::when_read(std::function<void()> done) {
  if (!reading_) return done();
  waiters_.push_back(std::move(done));
}

bool Offering::catch_up(std::function<void()> done) {
  const List& resources = list(OfferKind::Resources);
  const List& templates = list(OfferKind::Templates);
  const bool is_behind = reading_ || resources.is_due || templates.is_due;
  if (!connection_ || !is_behind || !resources.fault.empty() || !templates.fault.empty())
    return false;
  if (waiters_.size() >= kMostWaiters) return false;
  waiters_.push_back(std::move(done));
  if (!reading_) read_soon();
  return true;
}

// What changed meanwhile is read later.
void Offering::all_are_read() {
  last_read_ = std::chrono::steady_clock::now();
  was_read_ = connection_ != nullptr;
  follow_at_upstream();
  needs_reading_ = needs_reading_ && !was_read_;
  for (const auto& done : std::exchange(waiters_, {})) done();
  const bool is_due =
      std::any_of(lists_.begin(), lists_.end(), [](const List& one) { return one.is_due; });
  if (connection_ && is_due) read_later();
  if (connection_) env_.list_read();
}

std::vector<tool::Refusal> Offering::refusals() const {
  std::vector<tool::Refusal> out;
  for (const List& one : lists_) {
    out.insert(out.end(), one.refusals.begin(), one.refusals.end());
    if (!one.fault.empty()) out.push_back({"", one.fault});
  }
  return out;
}

}  // namespace host::upstream
