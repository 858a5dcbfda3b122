#include "upstream/oauth/vault.h"

#include <utility>

#include "base/seal.h"

namespace host::upstream::oauth {

using boost::asio::awaitable;

awaitable<Result<std::optional<LoginRecord>>> Vault::read() const {
  if (!desk_) co_return std::optional<LoginRecord>();
  store::Desk::Act<std::optional<std::string>> act = [name = upstream_](store::Store& store) {
    return store.upstream_logins().find(name);
  };
  auto found = co_await desk_->ask<std::optional<std::string>>(std::move(act));
  if (!found) co_return found.error();
  if (!*found) co_return std::optional<LoginRecord>();
  auto record = read_record(**found);
  wipe(**found);
  if (!record) co_return record.error().within("the stored login of the upstream");
  co_return std::optional<LoginRecord>(*std::move(record));
}

awaitable<Result<void>> Vault::write(LoginRecord record) const {
  if (!desk_) co_return Result<void>();
  store::Desk::Act<bool> act = [name = upstream_,
                                text = to_json(record)](store::Store& store) -> Result<bool> {
    HOST_TRY(store.upstream_logins().put(name, text));
    return true;
  };
  const auto done = co_await desk_->ask<bool>(std::move(act));
  if (!done) co_return done.error();
  co_return Result<void>();
}

}  // namespace host::upstream::oauth
