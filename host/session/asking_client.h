// The person behind the calling client, asked in the way of the client's protocol version.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "protocol/versions.h"
#include "session/client_requests.h"
#include "session/outlet.h"
#include "session/request_state.h"
#include "tool/call.h"

namespace host::session {

// Nothing where `result` is no ElicitResult.
std::optional<tool::Answer> read_answer(const json::Value& result);

// Versions with sessions: the host sends elicitation/create while the call waits.
class SessionAsker : public tool::Asker {
 public:
  SessionAsker(ClientRequests* client, Outlet* outlet, protocol::Version version, bool shows_forms,
               std::chrono::milliseconds timeout)
      : client_(client),
        outlet_(outlet),
        version_(version),
        shows_forms_(shows_forms),
        timeout_(timeout) {}

  bool can_ask() const override { return shows_forms_ && client_ && outlet_; }
  boost::asio::awaitable<Result<std::optional<tool::Answer>>> ask(
      const tool::Call& call, const tool::Question& question) override;

 private:
  ClientRequests* client_;
  Outlet* outlet_;
  protocol::Version version_;
  bool shows_forms_;
  std::chrono::milliseconds timeout_;
};

// The stateless version: the question is the call's result, and the answer comes with a second
// call.
class StatelessAsker : public tool::Asker {
 public:
  StatelessAsker(RequestStates& states, bool shows_forms)
      : states_(states), shows_forms_(shows_forms) {}

  // The call is a repetition that carries this state, and perhaps an answer.
  void resume(RequestStates::Opened opened, std::optional<tool::Answer> answer) {
    opened_ = std::move(opened);
    answer_ = std::move(answer);
  }

  bool can_ask() const override { return shows_forms_; }
  boost::asio::awaitable<Result<std::optional<tool::Answer>>> ask(
      const tool::Call& call, const tool::Question& question) override;

 private:
  RequestStates& states_;
  bool shows_forms_;
  RequestStates::Opened opened_;
  std::optional<tool::Answer> answer_;
};

}  // namespace host::session
