// A store that passes everything on to a real store. A test overrides the part that it changes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "store/store.h"

namespace host::test {

class ForwardingStore : public store::Store {
 public:
  explicit ForwardingStore(std::unique_ptr<store::Store> real) : real_(std::move(real)) {}

  store::ApprovalStore& approvals() override { return real_->approvals(); }
  store::RuleStore& rules() override { return real_->rules(); }
  store::KeyStore& keys() override { return real_->keys(); }
  store::TotpStore& codes() override { return real_->codes(); }
  store::KvStore& kv() override { return real_->kv(); }
  store::ClientContextStore& client_contexts() override { return real_->client_contexts(); }
  store::SessionStore& sessions() override { return real_->sessions(); }
  store::RecordStore& records() override { return real_->records(); }
  store::IdempotencyStore& idempotency() override { return real_->idempotency(); }
  store::HostStore& hosts() override { return real_->hosts(); }
  store::PinStore& pins() override { return real_->pins(); }
  store::FileStore& files() override { return real_->files(); }
  store::WebhookStore& webhooks() override { return real_->webhooks(); }
  store::UpstreamLoginStore& upstream_logins() override { return real_->upstream_logins(); }
  store::OfferStore& offers() override { return real_->offers(); }
  Result<void> together(const std::function<Result<void>()>& act) override {
    return real_->together(act);
  }
  std::string fault() const override { return real_->fault(); }
  Result<void> probe() override { return real_->probe(); }

 private:
  const std::unique_ptr<store::Store> real_;
};

}  // namespace host::test
