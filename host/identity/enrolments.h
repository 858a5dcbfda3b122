// Lets REST and the console manage the enrolments of principals for one-time codes. Users enrol
// themselves. The operator can list and remove enrolments. The command `toolpost totp` manages the
// enrolments in the store from a separate process. The functions of this header are called on the
// I/O thread.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "identity/totp.h"
#include "store/desk.h"

namespace host::identity {

class Enrolments {
 public:
  Enrolments(std::shared_ptr<store::Desk> desk, const Clock& clock);

  using MaybeRecord = std::optional<store::TotpRecord>;
  using Codes = std::vector<std::string>;

  boost::asio::awaitable<Result<MaybeRecord>> find(std::string principal);
  boost::asio::awaitable<Result<std::vector<store::TotpRecord>>> list();

  // enroll() calls enroll_first(), confirm() calls confirm_with_recovery(), renew() calls
  // renew_recovery(), and remove() calls remove_by_code() (identity/totp.h).
  boost::asio::awaitable<Result<std::optional<Enrolment>>> enroll(std::string principal);
  boost::asio::awaitable<Result<Codes>> confirm(std::string principal, std::string code,
                                                SharedJudgement judged);
  boost::asio::awaitable<Result<Codes>> renew(std::string principal, std::string code,
                                              SharedJudgement judged);
  boost::asio::awaitable<Result<void>> remove(std::string principal, std::string code,
                                              SharedJudgement judged);

  // unlock() and forget() are for the operator, and need no one-time code. unlock() and forget()
  // return false if the principal has no enrolment.
  boost::asio::awaitable<Result<bool>> unlock(std::string principal);
  boost::asio::awaitable<Result<bool>> forget(std::string principal);

 private:
  const Clock& clock_;
  const std::shared_ptr<store::Desk> desk_;
};

}  // namespace host::identity
