#include "plugin/lifecycle/batch.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <utility>

namespace host::plugin {
namespace asio = boost::asio;

Batch::Batch(asio::any_io_executor io, tool::Catalog& catalog, std::chrono::milliseconds patience)
    : io_(io), catalog_(catalog), patience_(patience), timer_(io) {}

Batch::Place::Place(std::shared_ptr<Batch> batch, std::string plugin)
    : batch_(std::move(batch)), plugin_(std::move(plugin)), wake_(batch_->io_) {
  batch_->places_.push_back(this);
}

Batch::Place::~Place() {
  std::erase(batch_->places_, this);
  batch_->look();
}

asio::awaitable<void> Batch::Place::gather() {
  if (late_ || batch_->open_) co_return;
  come_to(At::Gathered);
  co_await wait_while(At::Gathered);
}

asio::awaitable<Result<void>> Batch::Place::publish(Candidate candidate) {
  candidate_ = std::move(candidate);
  if (late_) {
    batch_->publish({this});
    co_return outcome_;
  }
  come_to(At::Ready);
  co_await wait_while(At::Ready);
  co_return outcome_;
}

void Batch::Place::come_to(At at) {
  at_ = at;
  batch_->look();
}

asio::awaitable<void> Batch::Place::wait_while(At at) {
  while (at_ == at) {
    wake_.expires_at(asio::steady_timer::time_point::max());
    boost::system::error_code woken;
    auto token = asio::redirect_error(asio::use_awaitable, woken);
    co_await wake_.async_wait(token);
  }
}

// Whether all are where something can be done for all.
void Batch::look() {
  const auto all_are = [this](At at) {
    return std::all_of(places_.begin(), places_.end(),
                       [at](const Place* place) { return place->at_ == at; });
  };
  if (places_.empty()) return;
  if (!open_ && all_are(At::Gathered)) return open();
  if (open_ && all_are(At::Ready)) return publish_all();
  if (!waits_) arm_patience();
}

void Batch::open() {
  open_ = true;
  waits_ = false;
  timer_.cancel();
  for (Place* const place : places_) {
    place->at_ = At::Way;
    place->wake_.cancel();
  }
}

void Batch::publish_all() {
  timer_.cancel();
  publish(std::exchange(places_, {}));
}

void Batch::publish(const std::vector<Place*>& places) {
  std::vector<tool::Catalog::Change> changes;
  std::vector<Place*> published;
  for (Place* const place : places) {
    place->at_ = At::Done;
    place->late_ = true;
    place->outcome_ = Error{ErrorKind::Internal, "its publication did not end"};
    place->wake_.cancel();
    auto provider = place->candidate_.offer(taken_for(places, changes));
    if (!provider) {
      place->outcome_ = provider.error();
      continue;
    }
    changes.push_back({"plugin:" + place->plugin_, *std::move(provider)});
    published.push_back(place);
  }
  std::vector<std::vector<tool::Refusal>> refusals = catalog_.set_all(std::move(changes));
  for (std::size_t i = 0; i < published.size(); ++i) {
    published[i]->candidate_.published(std::move(refusals[i]));
    published[i]->outcome_ = {};
  }
}

// By one that stays as it is, or by one that comes before it in this publication.
Taken Batch::taken_for(const std::vector<Place*>& places,
                       const std::vector<tool::Catalog::Change>& before) const {
  return [this, &places, &before](const std::string& name) {
    for (const tool::Catalog::Change& change : before) {
      const auto& tools = change.provider->tools();
      if (std::any_of(tools.begin(), tools.end(),
                      [&](const auto& tool) { return tool->name() == name; }))
        return true;
    }
    if (tool::is_reserved(name)) return true;
    const tool::Entry* const holder = catalog_.snapshot()->find(name);
    return holder && std::none_of(places.begin(), places.end(), [&](const Place* place) {
             const tool::ProviderIdentity& identity = holder->provider->identity();
             return identity.is_plugin() && place->plugin_ == identity.name;
           });
  };
}

void Batch::arm_patience() {
  if (patience_ == kNoEnd) return;
  waits_ = true;
  timer_.expires_after(patience_);
  timer_.async_wait([batch = weak_from_this()](boost::system::error_code cancelled) {
    const auto alive = batch.lock();
    if (alive && !cancelled) alive->leave_late_behind();
  });
}

void Batch::leave_late_behind() {
  waits_ = false;
  std::erase_if(places_, [](Place* place) {
    place->late_ = place->at_ == At::Way;
    return place->late_;
  });
  look();
}

}  // namespace host::plugin
