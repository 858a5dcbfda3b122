// A vault keeps the record of the host's login at one upstream in the host's store. Other hosts can
// have the same store, so a host can replace a record only if it has read that record.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "store/desk.h"
#include "upstream/oauth/record.h"

namespace host::upstream::oauth {

// The functions of Vault are called on the I/O thread.
class Vault {
 public:
  // If `desk` is null, the vault stores nothing. The key of a record consists of the upstream's
  // name and its URL, so that no record is used for a different URL.
  Vault(std::shared_ptr<store::Desk> desk, const std::string& upstream, const std::string& url);

  bool stores() const { return desk_ != nullptr; }
  // Returns nullopt if no record is stored.
  boost::asio::awaitable<Result<std::optional<LoginRecord>>> read() const;
  // Replaces the stored record if its version is `record.version` (0: there is no stored record),
  // and returns when the new record is on the disk. The new record gets the next version. Returns
  // false if another host has replaced the stored record meanwhile.
  boost::asio::awaitable<Result<bool>> write(LoginRecord record) const;

 private:
  const std::shared_ptr<store::Desk> desk_;
  const std::string key_;
};

}  // namespace host::upstream::oauth
