// One-time codes of principals, for who asks over HTTP: a person enrols by itself, the operator
// sees and ends what there is. `toolpost totp` does the same to the same store from another
// process. I/O thread only; the store is on a thread of its own, from the first request on.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/thread_pool.hpp>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "identity/totp.h"
#include "store/totp_store.h"

namespace host::identity {

class Enrolments {
 public:
  Enrolments(std::filesystem::path file, const Clock& clock);
  ~Enrolments();

  using MaybeRecord = std::optional<store::TotpRecord>;
  using Codes = std::vector<std::string>;

  boost::asio::awaitable<Result<MaybeRecord>> find(std::string principal);
  boost::asio::awaitable<Result<std::vector<store::TotpRecord>>> list();

  // See enroll_first(), confirm_with_recovery(), renew_recovery() and remove_by_code().
  boost::asio::awaitable<Result<std::optional<Enrolment>>> enroll(std::string principal);
  boost::asio::awaitable<Result<Codes>> confirm(std::string principal, std::string code);
  boost::asio::awaitable<Result<Codes>> renew(std::string principal, std::string code);
  boost::asio::awaitable<Result<void>> remove(std::string principal, std::string code);

  // The operator's, without a code. False: the principal has none.
  boost::asio::awaitable<Result<bool>> unlock(std::string principal);
  boost::asio::awaitable<Result<bool>> forget(std::string principal);

 private:
  class Keeper;

  template <class T>
  using Act = std::function<Result<T>(store::TotpStore&)>;
  template <class T>
  boost::asio::awaitable<Result<T>> on_store(Act<T> act);

  const Clock& clock_;
  const std::shared_ptr<Keeper> keeper_;
  std::optional<boost::asio::thread_pool> thread_;
};

}  // namespace host::identity
