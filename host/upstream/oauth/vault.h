// Keeps the record of one upstream's login in the host's store. Other hosts may have the same
// store, so a record is only replaced by who has read it.
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

// I/O thread only.
class Vault {
 public:
  // `desk` null: nothing is stored. A record belongs to a name and a URL.
  Vault(std::shared_ptr<store::Desk> desk, const std::string& upstream, const std::string& url);

  bool stores() const { return desk_ != nullptr; }
  // nullopt: there is no record.
  boost::asio::awaitable<Result<std::optional<LoginRecord>>> read() const;
  // Stores the record in place of the one with its version (0: none), and returns once it is on the
  // disk. False: that one was replaced meanwhile.
  boost::asio::awaitable<Result<bool>> write(LoginRecord record) const;

 private:
  const std::shared_ptr<store::Desk> desk_;
  const std::string key_;
};

}  // namespace host::upstream::oauth
