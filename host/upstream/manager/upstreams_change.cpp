// Upstreams::change(): upstreams that come, change and go while the host serves.
#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "upstream/manager/secret_values.h"
#include "upstream/manager/upstreams.h"
#include "upstream/manager/wait.h"

namespace host::upstream {
namespace {

namespace asio = boost::asio;

// How long the calls of one that was changed or removed may go on.
constexpr std::chrono::seconds kMostDrain{30};
constexpr const char* kChanged =
    "its settings were changed, and it starts again: call again in a moment";
constexpr const char* kRemoved = "it was removed from the configuration";

using All = std::vector<std::shared_ptr<Upstream>>;

std::shared_ptr<Upstream> named(const All& all, const std::string& name) {
  const auto found =
      std::find_if(all.rbegin(), all.rend(), [&](const auto& one) { return one->name() == name; });
  return found == all.rend() ? nullptr : *found;
}

// What it offers in addition to tools is only known from its lists, or the stored ones.
bool has_offer(const Upstream& one) {
  const Status status = one.status();
  return !status.resources.empty() || !status.templates.empty() || !status.prompts.empty();
}

// Somebody may be about to write it. What was read before is good as long as the upstream runs.
void tell_unread(const std::string& upstream, const Error& why) {
  log::warning("upstream", "the value of a secret cannot be read: the upstream goes on as it is",
               {{"upstream", upstream}, {"error", why.message}});
}

}  // namespace

asio::awaitable<Upstreams::Changed> Upstreams::change(std::vector<config::Upstream> now) {
  Changed out;
  if (is_stopped_) co_return out;
  std::vector<Successor> fresh = exchange_for(now, out);
  co_await begin(std::move(fresh));
  co_return out;
}

std::vector<Upstreams::Successor> Upstreams::exchange_for(const std::vector<config::Upstream>& now,
                                                          Changed& out) {
  All next;
  std::vector<Successor> fresh;
  for (const config::Upstream& one : now) {
    const auto before = named(all_, one.name);
    const auto secrets = digest_of_secrets(one);
    std::string& known = secrets_[one.name];
    if (before && before->settings() == one && (!secrets || known == *secrets)) {
      if (!secrets) tell_unread(one.name, secrets.error());
      next.push_back(before);
      continue;
    }
    known = secrets ? *secrets : std::string();
    next.push_back(make(one));
    fresh.push_back({next.back(), before});
    if (before) leaving_.push_back(before);  // it serves for a while, and ends with the host
    if (is_leaving(one.name)) next.back()->hold();
    (before ? out.changed : out.added).push_back(one.name);
  }
  const All old = std::exchange(all_, std::move(next));
  for (const auto& one : old) {
    if (named(all_, one->name())) continue;
    out.removed.push_back(one->name());
    secrets_.erase(one->name());
    forget_offers(one->name());
    catalog_.set("upstream:" + one->name(), nullptr);
    leave(one, kRemoved);
  }
  return fresh;
}

// An earlier one serves until the stored tools of the new one are served.
asio::awaitable<void> Upstreams::begin(std::vector<Successor> fresh) {
  if (fresh.empty()) co_return;
  // A restart can have read the definitions since, and then load_at_last() begins nothing.
  if (loads_later_ && !is_loaded_) {
    for (const Successor& one : fresh) {
      if (one.before) leave(one.before, kChanged);
    }
    co_return;
  }
  const auto alive = alive_;
  std::vector<std::string> names;
  for (const Successor& one : fresh) names.push_back(one.upstream->name());
  auto records = co_await stored(std::move(names));
  if (!*alive || is_stopped_) co_return;
  std::vector<std::shared_ptr<Wait>> waits;
  for (const Successor& one : fresh) {
    const auto before = one.before ? one.before : named(leaving_, one.upstream->name());
    if (!before && !records) {
      one.upstream->cannot_begin(records.error());
      continue;
    }
    std::vector<OfferWriter::Record> offers;
    if (records) offers = std::move(records->offers[one.upstream->name()]);
    if (const auto writer = offers_of(one.upstream->name())) writer->add_unwritten(offers);
    // begin() sees whether the lists are those of this upstream.
    const bool is_unknown = one.before && offers.empty() && has_offer(*one.before);
    const bool at_once = is_unknown || (one.before && one.before->is_in_use());
    auto wait = std::make_shared<Wait>(io_);
    waits.push_back(wait);
    if (before) one.upstream->remember_as(*before);
    one.upstream->begin(
        before ? before->pins() : records->pins, std::move(offers),
        connects_ == Connects::AsConfigured && at_once ? Connects::AtOnce : connects_,
        [this, alive, before = one.before, wait] {
          if (*alive && before) leave(before, kChanged);
          wait->end({});
        });
    one.upstream->follow(followed_.for_upstreams());
  }
  is_loaded_ = records.has_value();
  if (!is_loaded_) load_later();
  for (const auto& wait : waits) (void)co_await wait_for(wait);
}

void Upstreams::leave(const std::shared_ptr<Upstream>& one, const std::string& why) {
  log::info("upstream", "ends", {{"upstream", one->name()}, {"reason", why}});
  if (std::find(leaving_.begin(), leaving_.end(), one) == leaving_.end()) leaving_.push_back(one);
  // Posted: it is in the middle of its end.
  one->retire(why, kMostDrain, [this, alive = alive_, one] {
    asio::post(io_, [this, alive, one] {
      if (*alive) left(one);
    });
  });
}

void Upstreams::left(const std::shared_ptr<Upstream>& one) {
  std::erase(leaving_, one);
  const std::string& name = one->name();
  if (is_leaving(name)) return;
  if (const auto now = named(all_, name)) return now->release();
  pin_writers_.erase(name);
  offers_.erase(name);
  metrics_->forget(name);
}

bool Upstreams::is_leaving(const std::string& name) const {
  return named(leaving_, name) != nullptr;
}

}  // namespace host::upstream
