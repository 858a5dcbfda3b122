// Keeps the record of one upstream's login in the host's store.
#pragma once

#include <boost/asio/awaitable.hpp>

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
  // `desk` null: nothing is stored.
  Vault(std::shared_ptr<store::Desk> desk, std::string upstream)
      : desk_(std::move(desk)), upstream_(std::move(upstream)) {}

  bool stores() const { return desk_ != nullptr; }
  // nullopt: there is no record.
  boost::asio::awaitable<Result<std::optional<LoginRecord>>> read() const;
  // Returns once the record is on the disk.
  boost::asio::awaitable<Result<void>> write(LoginRecord record) const;

 private:
  const std::shared_ptr<store::Desk> desk_;
  const std::string upstream_;
};

}  // namespace host::upstream::oauth
