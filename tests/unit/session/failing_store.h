// A store whose sessions were changed by another process, and whose next read fails.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/store.h"
#include "support/forwarding_store.h"

namespace host::test {

// Only the store's thread uses the members.
struct StoreTrouble {
  bool is_changed = false;  // reported once, as the real store does
  int failures = 0;         // of versions(), that are to come
};

class FailingSessions final : public store::SessionStore {
 public:
  FailingSessions(store::SessionStore& real, StoreTrouble& trouble)
      : real_(real), trouble_(trouble) {}

  Result<bool> add(const store::SessionRecord& session) override { return real_.add(session); }
  Result<bool> change(const store::SessionRecord& session, std::uint64_t expected) override {
    return real_.change(session, expected);
  }
  Result<void> used(const std::vector<store::SessionUse>& uses) override {
    return real_.used(uses);
  }
  Result<bool> remove(std::string_view id) override { return real_.remove(id); }
  Result<std::optional<store::SessionRecord>> find(std::string_view id) override {
    return real_.find(id);
  }
  Result<std::vector<store::SessionRecord>> list() override { return real_.list(); }
  Result<std::vector<store::SessionVersion>> versions() override {
    if (trouble_.failures-- > 0) return Error{ErrorKind::Io, "the database is busy"};
    return real_.versions();
  }
  Result<std::optional<WallTime>> remove_unused(std::string_view id, WallTime since) override {
    return real_.remove_unused(id, since);
  }
  Result<void> forget_left_behind() override { return real_.forget_left_behind(); }
  Result<void> forget_unused_since(WallTime then) override {
    return real_.forget_unused_since(then);
  }
  Result<bool> changed_by_others() override { return std::exchange(trouble_.is_changed, false); }

 private:
  store::SessionStore& real_;
  StoreTrouble& trouble_;
};

class FailingStore final : public ForwardingStore {
 public:
  // `trouble` outlives it.
  FailingStore(std::unique_ptr<store::Store> real, StoreTrouble& trouble)
      : ForwardingStore(std::move(real)), sessions_(ForwardingStore::sessions(), trouble) {}

  store::SessionStore& sessions() override { return sessions_; }

 private:
  FailingSessions sessions_;
};

}  // namespace host::test
