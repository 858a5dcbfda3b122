// Manages the tokens of the host's login at one upstream. The Access gives requests their access
// token, renews the token, and records when a user has to log in again. If there are no tokens, the
// host sends requests without a token. When the upstream refuses a request without a token, the
// Access keeps the challenge, which the next login needs. The functions of Access are called on the
// I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <deque>
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
#include "upstream/oauth/ledger.h"
#include "upstream/oauth/messages.h"
#include "upstream/oauth/requests.h"

namespace host::upstream::oauth {

struct LoginSettings {
  std::string name;  // the upstream's name
  std::string url;
  std::vector<std::string> scopes;  // scopes to request; empty: the upstream's scopes
  std::string issuer;               // the only issuer at which the host logs in
                                    // empty: the upstream's issuer
  std::string client_id;            // empty: no client is configured
  // `client_secret` reads the secret that belongs to `client_id`. If `client_secret` is null, the
  // OAuth client has no secret.
  std::function<Result<std::string>()> client_secret;
  std::string client_metadata_url;  // URL of a document about this host, used as its client id
                                    // empty: no document
  std::uint16_t port = 0;           // port of the callback; 0: any free port
};

class Access final : public Authorizer, public std::enable_shared_from_this<Access> {
 public:
  // Requests that were sent with `requests` are finished even while the host stops.
  Access(boost::asio::any_io_executor io, LoginSettings settings,
         std::shared_ptr<Requests> requests, std::shared_ptr<store::Desk> desk, const Clock& clock,
         std::shared_ptr<Secrets> secrets);

  void token(Done done) override;
  bool concerns(int status, const std::string& challenge) const override;
  void accepted(const std::string& token) override;
  void refused(Refusal refusal, Done done) override;

  const std::shared_ptr<Ledger>& ledger() const { return ledger_; }
  const Requests& requests() const { return *requests_; }
  // Returns the values to hide in texts of the upstream and of its authorization server.
  const Secrets& secrets() const { return *secrets_; }
  // Returns the OAuth client of a record, with the secret that the configuration contains.
  Result<Client> with_secret(Client client) const;
  // Revokes the tokens of a record at its authorization server (RFC 7009), if that server can
  // revoke tokens.
  boost::asio::awaitable<Result<void>> revoke(LoginRecord record) const;

  // Returns the upstream's last challenge to a request without a valid token. nullopt: the upstream
  // sent no challenge since the last login.
  const std::optional<Challenge>& challenge() const { return challenge_; }
  // Returns the reason why a user has to log in. The returned text is empty if no login is needed,
  // as far as the host knows.
  std::string reason() const;

  // The Access calls `listener` when it has read in the store that another host has logged in or
  // out. After the login or logout of the other host, the next token is for a different account, or
  // there is no token.
  void on_login_elsewhere(std::function<void()> listener) { elsewhere_ = std::move(listener); }

  // Counts work that continues even while the host stops: renewals, and logins to which a user has
  // agreed.
  void work_began() { ++working_; }
  void work_ended();
  void when_idle(std::function<void()> act);

 private:
  // A Claim says which host can use a refresh token. Claim::Nobody means that the refresh token is
  // not the current one, so no host can use it.
  enum class Claim { Me, Other, Nobody };

  bool fits(const LoginRecord& record) const;
  bool is_due() const;
  bool is_over() const;
  void changed(const LoginRecord& now, const LoginRecord& former);
  void renew(Done done);
  void renewed(const Result<std::string>& outcome);
  boost::asio::awaitable<Result<std::string>> renew_once(std::string refused);
  boost::asio::awaitable<Claim> claim(std::string refresh_token);
  boost::asio::awaitable<void> release();
  boost::asio::awaitable<Result<std::string>> ask_for_tokens(LoginRecord asked);
  boost::asio::awaitable<Result<std::string>> keep(LoginRecord asked, Tokens tokens);
  boost::asio::awaitable<Result<std::string>> give_up(LoginRecord asked, std::string code);
  void answer_with(boost::asio::awaitable<Result<std::string>> work, Done done);
  bool is_look_due() const;
  Done for_this_login(Done done);
  boost::asio::awaitable<Result<std::string>> read_record();
  void changed_elsewhere();
  void tell_elsewhere();
  boost::asio::awaitable<Result<std::string>> logged_in_elsewhere(std::string refused,
                                                                  std::string why);
  boost::asio::awaitable<Result<std::string>> step_up(std::string refused,
                                                      std::vector<std::string> scopes);
  void later(Done done, Result<std::string> outcome) const;
  void log_need(const std::string& why) const;
  Error login_needed(const std::string& why);
  Error with_remedy(const std::string& why) const;

  const boost::asio::any_io_executor io_;
  const LoginSettings settings_;
  const std::shared_ptr<Requests> requests_;
  const Clock& clock_;
  const std::shared_ptr<Secrets> secrets_;
  const std::string id_;  // this host's id, for Ledger records
  const std::shared_ptr<Ledger> ledger_;
  // `former_tokens_` contains the last earlier tokens, the oldest first. Calls that last long can
  // still get errors with these tokens.
  std::deque<std::string> former_tokens_;
  std::string reason_;       // why a user has to log in, apart from scopes
  bool is_refused_ = false;  // true: the upstream refused the access token
                             // directly after its renewal
  std::optional<Challenge> challenge_;
  SteadyTime looked_{};                // when token() last read the stored record
  std::function<void()> elsewhere_;    // null: there is no listener
  bool is_changed_elsewhere_ = false;  // another host's change; the listener was not called
  std::vector<Done> renewals_;         // callers that wait for the renewal in progress
  std::string refused_;                // the refused token that causes the renewal
                                       // empty: the token expires
  std::uint32_t working_ = 0;
  std::vector<std::function<void()>> when_idle_;
};

}  // namespace host::upstream::oauth
