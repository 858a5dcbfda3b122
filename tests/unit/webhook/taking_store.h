// A store that notes how many deliveries one transaction takes, and that can fail to list and to
// change.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/store.h"
#include "support/forwarding_store.h"

namespace host::test {

// Each is for the next call, unless it says otherwise.
struct WebhookFaults {
  std::atomic<bool> list = false;
  std::atomic<bool> change = false;
  std::atomic<bool> queue = false;  // also for the calls after it, until the test ends it
};

class TakingWebhooks final : public store::WebhookStore {
 public:
  TakingWebhooks(store::WebhookStore& real, std::atomic<std::uint64_t>& most, WebhookFaults* faults)
      : real_(real), most_(most), faults_(faults) {}

  Result<Added> add(const store::WebhookRecord& record) override { return real_.add(record); }
  Result<std::optional<store::WebhookRecord>> change(
      std::string_view id, const std::function<Result<void>(store::WebhookRecord&)>& act) override {
    if (faults_ && faults_->change.exchange(false))
      return Error{ErrorKind::Io, "the change cannot be stored"};
    return real_.change(id, act);
  }
  Result<bool> remove(std::string_view id) override { return real_.remove(id); }
  Result<std::optional<store::WebhookRecord>> find(std::string_view id) override {
    return real_.find(id);
  }
  Result<std::vector<store::WebhookRecord>> list() override {
    if (faults_ && faults_->list.exchange(false))
      return Error{ErrorKind::Io, "the list cannot be read"};
    return real_.list();
  }
  Result<bool> changed_by_others() override { return real_.changed_by_others(); }
  Result<std::uint64_t> queue(const std::vector<store::WebhookEvent>& events) override {
    if (faults_ && faults_->queue) return Error{ErrorKind::Io, "the disk is full"};
    return real_.queue(events);
  }
  Result<store::WebhookTaken> take(const std::vector<store::WebhookOutcome>& ended,
                                   const std::vector<store::WebhookRoom>& rooms,
                                   std::string_view taker, WallTime now, WallTime until) override {
    auto taken = real_.take(ended, rooms, taker, now, until);
    if (taken) most_ = std::max<std::uint64_t>(most_, taken->deliveries.size());
    return taken;
  }
  Result<void> release(std::string_view taker, WallTime now) override {
    return real_.release(taker, now);
  }
  Result<std::vector<store::WebhookDelivery>> deliveries(std::string_view webhook, bool dead,
                                                         std::string_view before,
                                                         std::uint32_t most) override {
    return real_.deliveries(webhook, dead, before, most);
  }
  Result<std::uint64_t> replay(std::string_view webhook, const std::vector<std::string>& events,
                               WallTime now) override {
    return real_.replay(webhook, events, now);
  }

 private:
  store::WebhookStore& real_;
  std::atomic<std::uint64_t>& most_;
  WebhookFaults* const faults_;
};

class TakingStore final : public ForwardingStore {
 public:
  // The numbers outlive it.
  TakingStore(std::unique_ptr<store::Store> real, std::atomic<std::uint64_t>& most,
              WebhookFaults* faults = nullptr)
      : ForwardingStore(std::move(real)), webhooks_(ForwardingStore::webhooks(), most, faults) {}

  store::WebhookStore& webhooks() override { return webhooks_; }

 private:
  TakingWebhooks webhooks_;
};

}  // namespace host::test
