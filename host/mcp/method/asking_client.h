// The client that made a call, asked in the way of its protocol version.
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
#include "tool/call.h"

namespace host::mcp {

// Versions with sessions: the host sends its requests while the call waits.
class SessionAsker : public tool::Asker {
 public:
  // Nobody can be asked where `client` or `outlet` is null.
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
  // The question is open as long as the visit waits, and no longer.
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

// The stateless version: the questions are the request's result, and the answers come with a second
// request.
class StatelessAsker : public tool::Asker {
 public:
  explicit StatelessAsker(tool::Abilities abilities) : abilities_(abilities) {}

  // The request repeats one that was answered with `open`; `responses` is its inputResponses, or
  // null. What is no answer at all is told (-32602); an accepted form that breaks its schema counts
  // as unanswered, and is asked again with the reason.
  std::optional<std::string> resume(const OpenRound& open, const json::Value* responses);
  bool heard() const { return heard_; }  // an answer came with the request
  // A first request that brings answers with it: they serve what the provider asks, where they fit.
  // What the host itself asks is not answered so: a person has to have seen that question.
  void bring(const json::Value& responses);

  tool::Abilities abilities() const override { return abilities_; }
  tool::Continuation take_resumed() override;
  boost::asio::awaitable<Result<std::optional<tool::Answers>>> ask(
      const tool::Call& call, const tool::Round& round) override;
  boost::asio::awaitable<Result<bool>> send_to(const tool::Call& call, tool::Visit& visit) override;

  // What has to wait for the next request, when the call ends with `round`.
  OpenRound left_open(tool::Round round) const;

 private:
  tool::Abilities abilities_;
  tool::Continuation resumed_;
  tool::Answers brought_;                                    // and not used yet
  std::map<std::string, std::string, std::less<>> refused_;  // by key, why an answer was
  bool heard_ = false;
  bool taken_ = false;
};

}  // namespace host::mcp
