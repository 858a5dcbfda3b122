// A ledger keeps the record of one upstream's login, in memory and in the store. The ledger carries
// out all changes of the record one after the other. Each change is a function of the newest
// record, and is stored only if no other host with this store has changed the record meanwhile. The
// functions of Ledger are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "upstream/oauth/vault.h"

namespace host::upstream::oauth {

class Ledger : public std::enable_shared_from_this<Ledger> {
 public:
  struct Surroundings {
    // `fits` returns true if the login was made with the url, client and issuer of the
    // configuration.
    std::function<bool(const LoginRecord&)> fits;
    // The ledger calls `on_change` after it has replaced its record: `former` is the old record,
    // and `now` is the new record.
    std::function<void(const LoginRecord& now, const LoginRecord& former)> on_change;
    // The ledger calls `on_login_elsewhere` after on_change, if it has read that another host with
    // this store has logged in or out.
    std::function<void()> on_login_elsewhere;
  };

  // `upstream` is the upstream's name, for logs.
  Ledger(boost::asio::any_io_executor io, std::string upstream, LoginRecord none, Vault vault,
         Surroundings surroundings)
      : io_(std::move(io)),
        upstream_(std::move(upstream)),
        none_(std::move(none)),
        record_(none_),
        vault_(std::move(vault)),
        around_(std::move(surroundings)) {}

  bool is_loaded() const { return is_loaded_; }
  const LoginRecord& record() const { return record_; }
  // Returns true if other hosts can have the same store.
  bool is_shared() const { return vault_.stores(); }

  // Reads the stored record. Only the first load() reads the store.
  boost::asio::awaitable<Result<void>> load();

  // A Change changes the newest record and returns true, or returns false if it no longer applies
  // to that record. The ledger calls the Change again if another host has changed the record
  // meanwhile.
  using Change = std::function<bool(LoginRecord&)>;
  // Waits until the changed record is stored. Returns the result of the function `change`. If the
  // store cannot write the record, the record is still valid in memory, and the ledger stores it
  // together with the next change.
  boost::asio::awaitable<bool> change(Change change);
  // Reads the stored record again. If another host has changed the stored record, the stored record
  // replaces the record in memory.
  boost::asio::awaitable<void> look();

 private:
  boost::asio::awaitable<void> begin_turn();
  void end_turn();
  boost::asio::awaitable<bool> change_in_turn(Change change);
  LoginRecord newest(LoginRecord stored) const;
  void use(LoginRecord record);
  void not_stored(const Error& why);

  const boost::asio::any_io_executor io_;
  const std::string upstream_;
  const LoginRecord none_;
  LoginRecord record_;
  const Vault vault_;
  const Surroundings around_;
  bool is_loaded_ = false;
  bool is_unsaved_ = false;  // the record could not be stored
  bool is_taken_ = false;    // a change is in progress
  std::deque<std::shared_ptr<boost::asio::steady_timer>> waiting_;
};

}  // namespace host::upstream::oauth
