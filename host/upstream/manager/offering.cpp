#include "upstream/manager/offering.h"

#include <algorithm>
#include <utility>

#include "tool/definition/uri_template.h"

namespace host::upstream {
namespace {

constexpr std::chrono::milliseconds kMostPause{60'000};
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

bool has(const protocol::ServerSelf& self, OfferKind kind) {
  return kind == OfferKind::Prompts ? self.prompts : self.resources;
}

}  // namespace

Offering::Offering(Surroundings around)
    : env_(std::move(around)), pause_(env_.read_again_after), timer_(env_.io) {}

void Offering::connected(Connection& connection) {
  connection_ = &connection;
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
  }
  reading_ = false;
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

void Offering::publish() {
  auto next = std::make_shared<ServedOffer>();
  next->offer.resources = list(OfferKind::Resources).made.offer.resources;
  next->offer.templates = list(OfferKind::Templates).made.offer.templates;
  next->offer.prompts = list(OfferKind::Prompts).made.offer.prompts;
  next->prompt_names = list(OfferKind::Prompts).made.prompt_names;
  next->offer.completes = connection_->self().completions;
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
