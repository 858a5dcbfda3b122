// The access of this host to one upstream, by the tokens of its login: it gives requests their
// access token, renews it, and notes when a person has to log in again. Without tokens, requests
// are sent without one, and what the upstream demands is kept for the next login. I/O thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "upstream/connection/secrets.h"
#include "upstream/http/authorizer.h"
#include "upstream/oauth/challenge.h"
#include "upstream/oauth/messages.h"
#include "upstream/oauth/requests.h"
#include "upstream/oauth/vault.h"

namespace host::upstream::oauth {

struct LoginSettings {
  std::string name;  // of the upstream
  std::string url;
  std::vector<std::string> scopes;  // instead of those that the upstream names; empty: these
  std::string client_id;            // empty: no client was registered beforehand
  // Reads the secret of `client_id`. Null: it has none.
  std::function<Result<std::string>()> client_secret;
  std::string client_metadata_url;  // of a document about this host, used as its id; empty: none
  std::uint16_t port = 0;           // of the callback; 0: any free port
};

class Access final : public Authorizer, public std::enable_shared_from_this<Access> {
 public:
  Access(boost::asio::any_io_executor io, LoginSettings settings,
         std::shared_ptr<Requests> requests, Vault vault, const Clock& clock,
         std::shared_ptr<Secrets> secrets);

  void token(Done done) override;
  void refused(Refusal refusal, Done done) override;

  // Reads the stored record, once.
  boost::asio::awaitable<Result<void>> load();
  // Call it after load(). Without a login, it has no tokens; it may have a registration.
  const LoginRecord& record() const { return record_; }
  // Stores the record and uses it from now on, also if it cannot be stored.
  boost::asio::awaitable<Result<void>> replace(LoginRecord record);
  // The client of a record, with the secret of the configuration.
  Result<Client> with_secret(Client client) const;

  // What the upstream demanded last; nullopt: nothing yet.
  const std::optional<Challenge>& challenge() const { return challenge_; }
  // Why a person has to log in; empty: nobody has, as far as is known.
  std::string reason() const;

 private:
  bool fits(const LoginRecord& record) const;
  bool is_due() const;
  bool is_over() const;
  boost::asio::awaitable<Result<std::optional<LoginRecord>>> stored() const;
  void use(LoginRecord record);
  void renew(Done done);
  void renewed(const Result<std::string>& outcome);
  boost::asio::awaitable<Result<std::string>> renew_once();
  boost::asio::awaitable<bool> take_over();
  boost::asio::awaitable<Result<std::string>> logged_in_elsewhere(std::string why);
  boost::asio::awaitable<Result<std::string>> give_up(std::string code);
  void answer_with(boost::asio::awaitable<Result<std::string>> work, Done done);
  boost::asio::awaitable<Result<std::string>> load_first();
  void later(Done done, Result<std::string> outcome) const;
  boost::asio::awaitable<Result<std::string>> step_up(std::vector<std::string> scopes);
  Error login_needed(const std::string& why);

  const boost::asio::any_io_executor io_;
  const LoginSettings settings_;
  const std::shared_ptr<Requests> requests_;
  const Vault vault_;
  const Clock& clock_;
  const std::shared_ptr<Secrets> secrets_;
  bool is_loaded_ = false;
  LoginRecord record_;
  std::string reason_;
  bool is_refused_ = false;  // the access token, although it was just renewed
  std::optional<Challenge> challenge_;
  std::vector<Done> renewals_;  // wait for the renewal in progress
};

}  // namespace host::upstream::oauth
