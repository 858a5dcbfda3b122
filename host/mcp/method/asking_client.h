// Sends the questions of a running call to the client that made the call, in the form of the
// client's protocol version.
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

// Asks clients whose protocol version has sessions: the host sends its requests to the client while
// the call waits.
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
  ~SessionAsker() override;
  SessionAsker(const SessionAsker&) = delete;
  SessionAsker& operator=(const SessionAsker&) = delete;

  tool::Abilities abilities() const override { return abilities_; }
  tool::Continuation take_resumed() override { return {}; }
  boost::asio::awaitable<Result<std::optional<tool::Answers>>> ask(
      const tool::Call& call, const tool::Round& round) override;
  // Asks the client to open the web page of `visit`. If the host does not wait for `visit` any
  // more, send_to() cancels the request to the client.
  boost::asio::awaitable<Result<bool>> send_to(const tool::Call& call, tool::Visit& visit) override;

 private:
  boost::asio::awaitable<Result<std::string>> ask_one(const tool::Question& question,
                                                      Cancel& no_more);
  boost::asio::awaitable<void> ask_to_open(tool::Visit& visit, const std::string& params,
                                           Cancel& no_more);

  ClientRequests* client_;
  Outlet* outlet_;
  protocol::Version version_;
  tool::Abilities abilities_;
  std::chrono::milliseconds timeout_;
};

// A StatelessAsker asks the user of a client questions in the stateless protocol version
// (2026-07-28). The result of the request contains the questions, and the client sends the answers
// with a second request.
class StatelessAsker : public tool::Asker {
 public:
  explicit StatelessAsker(tool::Abilities abilities) : abilities_(abilities) {}

  // Call resume() for a request that repeats an earlier request, if the host answered the earlier
  // one with the questions in `open`. `responses` contains the inputResponses of the new request,
  // or null. If an answer is malformed, the function returns the message for an error -32602. If
  // the user accepted a form whose data are not valid against its schema, the host asks again and
  // gives the reason. If `responses` contains no answers, resume() discards the earlier answers to
  // the host's questions.
  std::optional<std::string> resume(const OpenRound& open, const json::Value* responses);
  bool heard() const { return heard_; }  // true: the request had an answer to a question
  // Takes the answers that a client sent with its first request, before the host asked any
  // question. If the provider later asks a question with the same key, the provider gets the
  // client's early answer. The host asks its own questions, such as for an approval, even if the
  // client sent an early answer, because a person must see them.
  void bring(const json::Value& responses);

  tool::Abilities abilities() const override { return abilities_; }
  tool::Continuation take_resumed() override;
  boost::asio::awaitable<Result<std::optional<tool::Answers>>> ask(
      const tool::Call& call, const tool::Round& round) override;
  boost::asio::awaitable<Result<bool>> send_to(const tool::Call& call, tool::Visit& visit) override;

  // Returns the state that the host keeps until the client's next request. `round` contains the
  // questions in the result of the current request. `state` is the state of the provider's previous
  // round, if the call has taken take_resumed().
  OpenRound left_open(tool::Round round, const std::string& state) const;

 private:
  tool::Abilities abilities_;
  tool::Continuation resumed_;
  tool::Answers brought_;  // answers that arrived before their questions, not used yet
  // For each key of a question, the reason why the client's answer was refused.
  std::map<std::string, std::string, std::less<>> refused_;
  std::optional<std::string> take(const std::vector<tool::Question>& questions,
                                  const json::Value& responses);

  bool heard_ = false;
  bool taken_ = false;
};

}  // namespace host::mcp
