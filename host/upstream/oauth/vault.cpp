#include "upstream/oauth/vault.h"

#include <utility>

#include "base/digest.h"
#include "base/seal.h"

namespace host::upstream::oauth {

using boost::asio::awaitable;
namespace {

// In one transaction, so that no other host writes between.
Result<bool> replace_stored(store::Store& store, const std::string& key, std::uint64_t read,
                            const std::string& text) {
  bool is_ours = false;
  HOST_TRY(store.together([&]() -> Result<void> {
    HOST_TRY_ASSIGN(std::optional<std::string> stored, store.upstream_logins().find(key));
    std::uint64_t version = 0;
    if (stored) {
      const auto record = read_record(*stored);
      wipe(*stored);
      version = record ? record->version : read;  // what nobody can read is replaced
    }
    is_ours = version == read;
    return is_ours ? store.upstream_logins().put(key, text) : Result<void>();
  }));
  return is_ours;
}

}  // namespace

Vault::Vault(std::shared_ptr<store::Desk> desk, const std::string& upstream, const std::string& url)
    : desk_(std::move(desk)), key_(upstream + " " + to_hex(sha256(url))) {}

awaitable<Result<std::optional<LoginRecord>>> Vault::read() const {
  if (!desk_) co_return std::optional<LoginRecord>();
  store::Desk::Act<std::optional<std::string>> act = [key = key_](store::Store& store) {
    return store.upstream_logins().find(key);
  };
  auto found = co_await desk_->ask<std::optional<std::string>>(std::move(act));
  if (!found) co_return found.error();
  if (!*found) co_return std::optional<LoginRecord>();
  auto record = read_record(**found);
  wipe(**found);
  if (!record) co_return record.error().within("the stored login of the upstream");
  co_return std::optional<LoginRecord>(*std::move(record));
}

awaitable<Result<bool>> Vault::write(LoginRecord record) const {
  if (!desk_) co_return true;
  const std::uint64_t read = record.version++;
  store::Desk::Act<bool> act = [key = key_, read,
                                text = to_json(record)](store::Store& store) mutable {
    auto done = replace_stored(store, key, read, text);
    wipe(text);
    return done;
  };
  auto done = co_await desk_->ask<bool>(std::move(act));
  co_return done;
}

}  // namespace host::upstream::oauth
