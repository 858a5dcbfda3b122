// The status of an Upstream, as the operator sees it.
#include <algorithm>

#include "upstream/manager/confinement.h"
#include "upstream/manager/transports.h"
#include "upstream/manager/upstream.h"

namespace host::upstream {
namespace {

LoginStatus login_status(const oauth::Login& login) {
  const oauth::LoginRecord& record = login.access()->ledger()->record();
  return {login.access()->reason(), record.issuer, record.scopes,
          record.access_token.empty() ? WallTime() : record.expires};
}

}  // namespace

Status Upstream::status() const {
  Status out;
  out.name = name();
  out.state = state_;
  out.source = source_of(settings_);
  out.pin = settings_.pin.value_or(env_.config.upstreams.pin);
  if (env_.login) out.login = login_status(*env_.login);
  if (settings_.sandbox) out.sandbox = SandboxStatus{in_words(*settings_.sandbox), {}};
  if (connection_) {
    if (out.sandbox) out.sandbox->applied = connection_->transport().sandbox();
    out.transport = connection_->transport().describe();
    out.last_lines = connection_->transport().last_lines();
  } else {
    out.last_lines = last_lines_;
  }
  if (state_ == State::Ready) {
    const protocol::ServerSelf& self = connection_->self();
    out.protocol = settings_.openapi.empty() ? protocol::to_string(self.version) : "openapi";
    out.server = self.release.empty() ? self.name : self.name + " " + self.release;
  }
  out.refusals = refusals_;
  out.refusals.insert(out.refusals.end(), catalog_refusals_.begin(), catalog_refusals_.end());
  const std::vector<tool::Refusal> unserved = offering_->refusals();
  out.refusals.insert(out.refusals.end(), unserved.begin(), unserved.end());
  shown_uris_.update(offering_->served(), *env_.secrets);
  out.resources = shown_uris_.resources();
  out.templates = shown_uris_.templates();
  for (const tool::Prompt& one : offering_->served()->offer.prompts)
    out.prompts.push_back(one.name);
  if (provider_) {
    for (const auto& tool : provider_->tools()) out.tools.push_back(tool->name());
    const auto& refused = provider_->served().refusals;
    out.refusals.insert(out.refusals.end(), refused.begin(), refused.end());
  }
  out.held = review_.held;
  out.held_digest = review_.digest;
  out.cut = cut_;
  out.last_error = last_error_ == hinted_.first ? last_error_ + hinted_.second : last_error_;
  if (out.last_error.empty()) out.last_error = unstored_;
  if (state_ == State::Waiting) {
    out.next_start = std::max(
        std::chrono::milliseconds(0),
        std::chrono::duration_cast<std::chrono::milliseconds>(next_start_ - env_.clock.steady()));
  }
  out.starts = starts_;
  out.running = calls_->running();
  out.waiting = calls_->waiting();
  return hide(std::move(out), *env_.secrets);
}

}  // namespace host::upstream
