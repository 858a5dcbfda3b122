// Logs this host in at one upstream by OAuth 2.1: authorization code with PKCE, in the browser of a
// person.
//
//     begin() -> a person agrees at the URL -> the browser comes to the callback -> tokens
//
// One login at a time. Its state is used once and expires. I/O thread only.
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
  // `gate`: of the upstream. `desk` null: the login ends with the host.
  Login(boost::asio::any_io_executor io, LoginSettings settings,
        std::shared_ptr<outbound::Gate> gate, std::shared_ptr<store::Desk> desk, const Clock& clock,
        std::shared_ptr<Secrets> secrets);

  const std::shared_ptr<Access>& access() const { return access_; }
  // Reads the stored login, so that status() knows it.
  void prepare();

  struct Begun {
    std::string id;             // of this login, for wait()
    std::string url;            // for a browser
    std::string issuer;         // at which the person agrees
    std::string former_issuer;  // of the login before; empty: there was none
    std::string callback;       // where the browser goes afterwards
    WallTime expires{};         // after that, the login fails
  };
  // Ends an earlier login that is in progress.
  boost::asio::awaitable<Result<Begun>> begin();
  // For a browser on a different machine, which cannot reach the callback: the address at which it
  // ended. InvalidArgument: it belongs to no login in progress.
  boost::asio::awaitable<Result<void>> answer(std::string address);
  // Returns when the login has ended; an Error says why it failed.
  boost::asio::awaitable<Result<void>> wait(std::string id);
  // Forgets the tokens and the registration, and revokes the tokens at the authorization server. An
  // Error with the kind Unavailable: they are forgotten, but not revoked.
  boost::asio::awaitable<Result<void>> log_out();
  // The host stops: ends what is in progress, save requests for tokens.
  void stop();
  // `done` is called when no such request is in progress.
  void when_idle(std::function<void()> done) { access_->when_idle(std::move(done)); }

  // Called after each login and logout.
  void on_change(std::function<void()> listener) { on_change_ = std::move(listener); }

 private:
  // From begin() until the browser comes back.
  struct Attempt {
    std::string id;
    std::string state;
    std::string verifier;
    Discovered found;
    Client client;  // with its secret
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
  void replace_attempt(std::unique_ptr<Attempt> attempt, const std::string& why);
  void close(std::unique_ptr<Callback> callback);
  void ended(const std::string& id, Result<void> outcome);

  const boost::asio::any_io_executor io_;
  const LoginSettings settings_;
  const std::shared_ptr<Requests> requests_;
  const std::shared_ptr<Access> access_;
  const Clock& clock_;
  std::function<void()> on_change_;   // null: no listener
  std::unique_ptr<Attempt> attempt_;  // null: no browser is awaited
  std::vector<std::unique_ptr<Callback>> closing_;
  boost::asio::steady_timer attempt_end_;
  std::string running_;          // the id of the login in progress; empty: none
  bool registers_anew_ = false;  // a browser did not come back: the registration may be forgotten
  std::string last_;             // the id of the login that ended last, and its outcome
  Result<void> last_outcome_;
  std::vector<std::shared_ptr<boost::asio::steady_timer>> waiting_;  // calls of wait()
  bool is_stopped_ = false;
};

// {"id", "url", "issuer", "former_issuer", "callback", "expires"}
std::string as_json(const Login::Begun& begun);

}  // namespace host::upstream::oauth
