// Asks the client that made a call, in the way of its protocol version.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "mcp/peer/client_requests.h"
#include "mcp/peer/outlet.h"
#include "mcp/peer/request_state.h"
#include "protocol/json_rpc.h"
#include "protocol/versions.h"
#include "tool/call/call.h"

namespace host::mcp {

// For versions with sessions: the host sends its requests to the client while the call waits.
class SessionAsker : public tool::Asker {
 public:
  // If `client` or `outlet` is null, the client cannot be asked.
  SessionAsker(ClientRequests* client, Outlet* outlet, protocol::Version version,
               tool::Abilities abilities, std::chrono::milliseconds timeout)
      : client_(client),
        outlet_(outlet),
        version_(version),
        abilities_(client && outlet ? abilities : tool::Abilities{}),
        timeout_(timeout) {}

  tool::Abilities abilities() const override { return abilities_; }
  tool::Continuation take_resumed() override { return {}; }
  boost::asio::awaitable<Result<std::optional<tool::Answers>>> ask(
      const tool::Call& call, const tool::Round& round) override;
  // The question to the client is cancelled when the visit no longer waits.
  boost::asio::awaitable<Result<bool>> send_to(const tool::Call& call, tool::Visit& visit) override;

 private:
  boost::asio::awaitable<Result<std::string>> ask_one(const tool::Call& call,
                                                      const tool::Question& question);
  boost::asio::awaitable<void> ask_to_open(tool::Visit& visit, const std::string& params,
                                           Cancel& no_more);

  ClientRequests* client_;
  Outlet* outlet_;
  protocol::Version version_;
  tool::Abilities abilities_;
  std::chrono::milliseconds timeout_;
};

// For the stateless version: the questions are the result of the request, and the answers arrive
// with a second request.
class StatelessAsker : public tool::Asker {
 public:
  explicit StatelessAsker(tool::Abilities abilities) : abilities_(abilities) {}

  // The request repeats an earlier one that was answered with the questions in `open`. `responses`:
  // its inputResponses, or null. Returns the fault of a malformed answer (-32602). If an accepted
  // form is not valid against its schema, its question is asked again with the reason.
  std::optional<std::string> resume(const OpenRound& open, const json::Value* responses);
  bool heard() const { return heard_; }  // the request had an answer
  // Takes the answers of a first request, sent before any question. They answer matching questions
  // of the provider. They never answer questions of the host itself, because a person must have
  // seen those.
  void bring(const json::Value& responses);

  tool::Abilities abilities() const override { return abilities_; }
  tool::Continuation take_resumed() override;
  boost::asio::awaitable<Result<std::optional<tool::Answers>>> ask(
      const tool::Call& call, const tool::Round& round) override;
  boost::asio::awaitable<Result<bool>> send_to(const tool::Call& call, tool::Visit& visit) override;

  // The state to keep until the next request, if the call ends with `round`.
  OpenRound left_open(tool::Round round) const;

 private:
  tool::Abilities abilities_;
  tool::Continuation resumed_;
  tool::Answers brought_;                                    // sent early, not used yet
  std::map<std::string, std::string, std::less<>> refused_;  // by key: why the answer was refused
  bool heard_ = false;
  bool taken_ = false;
};

}  // namespace host::mcp
