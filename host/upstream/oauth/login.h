// Logs this host in at one upstream by OAuth 2.1. The host uses an authorization code with PKCE,
// and a user agrees in a browser.
//
// begin() returns the URL at which a user agrees in a browser. The authorization server then sends
// the browser to the host's callback, and the host gets the tokens.
//
// Only one login can be in progress at a time. The host accepts the `state` parameter of a login
// once, and only until it expires. The functions of Login are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "outbound/gate.h"
#include "store/desk.h"
#include "upstream/oauth/access.h"
#include "upstream/oauth/callback.h"
#include "upstream/oauth/discovery.h"

namespace host::upstream::oauth {

class Login : public std::enable_shared_from_this<Login> {
 public:
  // `gate` is the outbound gate for requests to the upstream. If `desk` is null, the login is lost
  // when the host ends.
  Login(boost::asio::any_io_executor io, LoginSettings settings,
        std::shared_ptr<outbound::Gate> gate, std::shared_ptr<store::Desk> desk, const Clock& clock,
        std::shared_ptr<Secrets> secrets);

  const std::shared_ptr<Access>& access() const { return access_; }
  // Reads the stored login for status().
  void prepare();

  struct Begun {
    std::string id;             // the id of this login, for wait()
    std::string url;            // the URL that a browser opens
    std::string issuer;         // the issuer at which the user agrees
    std::string former_issuer;  // the issuer of the last login; empty: no login
    std::string callback;       // the URL to which the browser returns
    WallTime expires{};         // the login fails if it has not ended at this time
  };
  // Begins a login, and ends an earlier login that is in progress.
  boost::asio::awaitable<Result<Begun>> begin();
  // Completes a login with the callback URL that the user copied from the browser. A browser on a
  // different machine cannot reach the callback URL itself. The Error InvalidArgument means that
  // `address` belongs to no login in progress.
  boost::asio::awaitable<Result<void>> answer(std::string address);
  // wait() returns when the login has ended. If the login failed, the Error gives the reason.
  boost::asio::awaitable<Result<void>> wait(std::string id);
  // Forgets the tokens and the registration of the login, and revokes the tokens at the
  // authorization server. The Error Unavailable means that the host has forgotten the tokens but
  // could not revoke them.
  boost::asio::awaitable<Result<void>> log_out();
  // Ends the login in progress, because the upstream ends. The user who waits for the login sees
  // `why`. Requests for tokens that are in progress continue after stop().
  void stop(std::string why);
  // The Login calls `done` when no request for tokens is in progress.
  void when_idle(std::function<void()> done) { access_->when_idle(std::move(done)); }

  // The Login calls `listener` after each login and logout, also of another host with this store.
  void on_change(std::function<void()> listener) {
    access_->on_login_elsewhere(listener);
    on_change_ = std::move(listener);
  }

 private:
  // An Attempt contains the data of a login from begin() until the browser comes back.
  struct Attempt {
    std::string id;
    std::string state;
    std::string verifier;
    Discovered found;
    Client client;  // includes the client's secret
    std::vector<std::string> scopes;
    std::unique_ptr<Callback> callback;
    WallTime expires{};
  };

  boost::asio::awaitable<Challenge> challenge() const;
  boost::asio::awaitable<Result<Client>> client_for(ServerMetadata server, std::string redirect,
                                                    std::vector<std::string> scopes) const;
  std::vector<std::string> scopes_for(const Discovered& found) const;
  std::string authorization_url(const Attempt& attempt) const;
  void expire_later();
  boost::asio::awaitable<Callback::Page> show_answer(Form query);
  boost::asio::awaitable<Result<void>> take_answer(Form query);
  boost::asio::awaitable<Result<void>> finish(const Attempt& attempt, std::string code);
  boost::asio::awaitable<Result<void>> keep(LoginRecord fresh, std::string id);
  boost::asio::awaitable<Result<Begun>> begin_attempt();
  Error stopped() const;
  void replace_attempt(std::unique_ptr<Attempt> attempt, const std::string& why);
  void close(std::unique_ptr<Callback> callback);
  void ended(const std::string& id, Result<void> outcome);

  const boost::asio::any_io_executor io_;
  const LoginSettings settings_;
  const std::shared_ptr<Requests> requests_;
  const std::shared_ptr<Access> access_;
  const Clock& clock_;
  std::function<void()> on_change_;   // null: there is no listener
  std::unique_ptr<Attempt> attempt_;  // null: the Login waits for no browser
  std::vector<std::unique_ptr<Callback>> closing_;
  boost::asio::steady_timer attempt_end_;
  std::string running_;          // the id of the login in progress; empty: none
  bool registers_anew_ = false;  // the next login registers the host again
  std::string last_;             // the id of the login that ended last, and its outcome
  Result<void> last_outcome_;
  std::vector<std::shared_ptr<boost::asio::steady_timer>> waiting_;  // for calls of wait()
  bool is_stopped_ = false;
  std::string stop_reason_;
};

// Returns a login in progress as the JSON object {"id", "url", "issuer", "former_issuer",
// "callback", "expires"}.
std::string as_json(const Login::Begun& begun);

}  // namespace host::upstream::oauth
