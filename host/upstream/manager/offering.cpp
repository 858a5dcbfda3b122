#include "upstream/manager/offering.h"

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "json/json.h"
#include "tool/definition/uri_template.h"

namespace host::upstream {
namespace {

constexpr std::chrono::milliseconds kMostPause{60'000};
// The stored list with the ability to complete arguments.
constexpr const char* kCompletions = "completions";
constexpr const char* kCompletes = "[true]";
constexpr const char* kCompletesNothing = "[false]";
constexpr OfferKind kAll[] = {OfferKind::Resources, OfferKind::Templates, OfferKind::Prompts};

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

// Its name in the store.
const char* stored_name_of(OfferKind kind) {
  switch (kind) {
    case OfferKind::Resources:
      return "resources";
    case OfferKind::Templates:
      return "templates";
    case OfferKind::Prompts:
      return "prompts";
  }
  return "prompts";
}

// Entries that are too long to be served are not stored either.
std::string joined(const std::vector<std::string>& entries) {
  std::string out = "[";
  for (const std::string& entry : entries) {
    if (entry.size() > kMostEntryBytes) continue;
    if (out.size() > 1) out += ',';
    out += entry;
  }
  return out + "]";
}

// Reads the stored lists of one upstream, one entry in each step. Any thread, but only one at a
// time.
class StoredOffers {
 public:
  StoredOffers(const config::Upstream& upstream, std::vector<store::OfferRecord> records)
      : upstream_(upstream), records_(std::move(records)) {}

  bool step() {
    for (; next_ < std::size(kAll); ++next_) {
      auto& maker = makers[next_];
      if (!maker) maker = std::make_unique<OfferMaker>(upstream_, kAll[next_], entries_of(next_));
      if (maker->step()) return true;
    }
    return false;
  }

  std::array<std::unique_ptr<OfferMaker>, std::size(kAll)> makers;  // valid after the last step

 private:
  std::vector<std::string> entries_of(std::size_t kind) const {
    std::vector<std::string> out;
    for (const store::OfferRecord& record : records_) {
      if (record.list != stored_name_of(kAll[kind])) continue;
      const auto tree = json::parse(record.entries);
      if (!tree || !tree->root().IsArray()) continue;
      for (const json::Value& entry : tree->root().GetArray()) out.push_back(json::write(entry));
    }
    return out;
  }

  const config::Upstream upstream_;
  const std::vector<store::OfferRecord> records_;
  std::size_t next_ = 0;
};

bool has(const protocol::ServerSelf& self, OfferKind kind) {
  return kind == OfferKind::Prompts ? self.prompts : self.resources;
}

}  // namespace

Offering::Offering(Surroundings around)
    : env_(std::move(around)), pause_(env_.read_again_after), timer_(env_.io) {}

void Offering::load(const std::vector<store::OfferRecord>& stored, std::function<void()> done) {
  std::vector<store::OfferRecord> own;
  for (const store::OfferRecord& record : stored) {
    if (record.upstream != env_.upstream.name) continue;
    kept_[record.list] = to_hex(sha256(record.entries));
    if (record.list == kCompletions) completes_ = record.entries == kCompletes;
    own.push_back(record);
  }
  if (own.empty()) return done();
  auto offers = std::make_shared<StoredOffers>(env_.upstream, std::move(own));
  env_.jobs->run([offers] { return offers->step(); },
                 [weak = weak_from_this(), offers, done = std::move(done)] {
                   const auto self = weak.lock();
                   if (self && !self->has_read_) {
                     for (const OfferKind kind : kAll)
                       self->list(kind).made =
                           std::move(offers->makers[static_cast<std::size_t>(kind)]->made);
                     self->publish();
                   }
                   done();
                 });
}

void Offering::connected(Connection& connection) {
  connection_ = &connection;
  has_read_ = true;
  for (const OfferKind kind : kAll) list(kind).is_due = true;
  connection_->follow(followed_);
  read_next();
}

void Offering::disconnected() {
  connection_ = nullptr;
  ++round_;
  reading_ = false;
  waits_ = false;
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

// A list that changes all the time is read seldom.
void Offering::read_later() {
  if (std::exchange(waits_, true)) return;
  if (was_same_) pause_ = env_.read_again_after;
  timer_.expires_after(pause_);
  pause_ = std::min(2 * pause_, kMostPause);
  was_same_ = true;
  timer_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto self = weak.lock();
    if (error || !self || !std::exchange(self->waits_, false)) return;
    if (self->connection_ && !self->reading_) self->read_next();
  });
}

void Offering::read_next() {
  for (const OfferKind kind : kAll) {
    if (!std::exchange(list(kind).is_due, false)) continue;
    if (has(connection_->self(), kind)) return read(kind);
    list(kind) = List{};
    keep_list(kind, {});
  }
  reading_ = false;
  completes_ = connection_->self().completions;
  keep(kCompletions, completes_ ? kCompletes : kCompletesNothing);
  publish();
  all_are_read();
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
    return read_next();
  }
  std::vector<std::string> entries;
  into.fault.clear();
  if (fetched) {
    entries = std::move(fetched->entries);
    if (!fetched->cut.empty()) into.fault = name_of(kind).method + "/list: " + fetched->cut;
  }
  keep_list(kind, entries);
  auto maker = std::make_shared<OfferMaker>(env_.upstream, kind, std::move(entries));
  env_.jobs->run([maker] { return maker->step(); },
                 [weak = weak_from_this(), maker, kind, round = round_] {
                   const auto self = weak.lock();
                   if (self && self->round_ == round) self->took(kind, *maker);
                 });
}

void Offering::took(OfferKind kind, OfferMaker& maker) {
  list(kind).made = std::move(maker.made);
  list(kind).refusals = std::move(maker.refusals);
  read_next();
}

void Offering::keep_list(OfferKind kind, const std::vector<std::string>& entries) {
  keep(stored_name_of(kind), joined(entries));
}

// An upstream that offers nothing needs no records.
void Offering::keep(std::string list, std::string entries) {
  std::string digest = to_hex(sha256(entries));
  const auto [kept, is_new] = kept_.try_emplace(list);
  const bool is_nothing = entries == "[]" || entries == kCompletesNothing;
  if (kept->second == digest || (is_new && is_nothing)) return;
  kept->second = std::move(digest);
  env_.keep({env_.upstream.name, std::move(list), std::move(entries)});
}

void Offering::publish() {
  auto next = std::make_shared<ServedOffer>();
  next->offer.resources = list(OfferKind::Resources).made.offer.resources;
  next->offer.templates = list(OfferKind::Templates).made.offer.templates;
  next->offer.prompts = list(OfferKind::Prompts).made.offer.prompts;
  next->prompt_names = list(OfferKind::Prompts).made.prompt_names;
  next->offer.completes = completes_;
  if (next->offer == served_->offer && next->prompt_names == served_->prompt_names) return;
  was_same_ = false;
  served_ = std::move(next);
  env_.changed();
  follow_own();
}

void Offering::follow(const std::set<std::string>& uris) {
  wanted_ = uris;
  follow_own();
}

void Offering::follow_own() {
  followed_.clear();
  std::vector<tool::UriTemplate> templates;
  for (const tool::Resource& one : served_->offer.templates) {
    auto pattern = tool::UriTemplate::parse(one.uri);
    if (pattern) templates.push_back(*std::move(pattern));
  }
  std::set<std::string_view> own;
  for (const tool::Resource& one : served_->offer.resources) own.insert(one.uri);
  for (const std::string& uri : wanted_) {
    if (followed_.size() == env_.config.limits.upstream_resources) break;
    const bool is_own = own.contains(uri) ||
                        std::any_of(templates.begin(), templates.end(),
                                    [&](const tool::UriTemplate& one) { return one.matches(uri); });
    if (is_own) followed_.insert(uri);
  }
  if (connection_) connection_->follow(followed_);
}

void Offering::when_read(std::function<void()> done) {
  if (!reading_) return done();
  waiters_.push_back(std::move(done));
}

// What changed meanwhile is read later.
void Offering::all_are_read() {
  for (const auto& done : std::exchange(waiters_, {})) done();
  const bool is_due =
      std::any_of(lists_.begin(), lists_.end(), [](const List& one) { return one.is_due; });
  if (connection_ && is_due) read_later();
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
