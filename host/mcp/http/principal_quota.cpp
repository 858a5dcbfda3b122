#include "mcp/http/principal_quota.h"

namespace host::mcp {

PrincipalQuota::Place::Place(std::shared_ptr<Counts> counts, std::string principal)
    : counts_(std::move(counts)), principal_(std::move(principal)) {
  ++counts_->all;
  ++counts_->of[principal_];
}

PrincipalQuota::Place& PrincipalQuota::Place::operator=(Place&& other) noexcept {
  if (this == &other) return *this;
  reset();
  counts_ = std::exchange(other.counts_, nullptr);
  principal_ = std::move(other.principal_);
  return *this;
}

void PrincipalQuota::Place::reset() {
  const auto counts = std::exchange(counts_, nullptr);
  if (!counts) return;
  --counts->all;
  const auto own = counts->of.find(principal_);
  if (--own->second == 0) counts->of.erase(own);
}

std::variant<PrincipalQuota::Place, PrincipalQuota::Full> PrincipalQuota::take(
    const std::string& principal, const Limits& limits) {
  const auto own = counts_->of.find(principal);
  if ((own == counts_->of.end() ? 0 : own->second) >= limits.per_principal) return Full::Principal;
  if (counts_->all >= limits.all) return Full::Host;
  return Place(counts_, principal);
}

}  // namespace host::mcp
