// Runs the call that an MCP request starts (of a tool, resource, prompt or completion), and makes
// the answer from the call's result. The runner decides how the host can ask the client questions,
// which messages it sends during the call, and how it reports each failure. The functions of this
// header are called on the I/O thread. The host has one CallRunner.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mcp/peer/request.h"
#include "mcp/peer/request_state.h"
#include "mcp/peer/server_infos.h"
#include "mcp/peer/services.h"

namespace host::mcp {

// The functions that differ between calls of tools, resources, prompts and completions.
class Callee {
 public:
  virtual ~Callee() = default;
  virtual awaitable<Result<tool::CallResult>> run(tool::Call& call) = 0;
  // Returns the complete answer to a call that has ended with a result.
  virtual std::string answer(const Request& request, const tool::Call& call,
                             const tool::CallResult& result) const = 0;
  // Returns the answer for a call that has failed with `error`. ErrorKind::Denied means that the
  // client lacks the capability for a question of the call.
  virtual Reply failure(const Request& request, const tool::Call& call,
                        const Error& error) const = 0;
  // Returns true if a client that disconnects can fetch the answer later by sending the same call
  // again. The client can fetch the answer later if the call has an idempotency key or waits for a
  // person.
  virtual bool keeps_answer(const tool::Call& call) const;
};

class StatelessAsker;

class CallRunner {
 public:
  CallRunner(const Services& services, const ServerInfos& infos);

  // `call` contains the call's function, name and arguments, which can be part of the request's
  // tree. run() fills in the other members. `definition` is a digest of the definition of the
  // called tool, resource or prompt. A client's answers to the call's questions are valid only for
  // the same definition.
  awaitable<Reply> run(Request& request, tool::Call& call, std::string_view definition,
                       Callee& callee);

  // Returns the answer for the result of a call, unless the result contains questions to the
  // client.
  Reply reply_to(const Request& request, const tool::Call& call,
                 const Result<tool::CallResult>& result, const Callee& callee) const;

 private:
  tool::PassportPtr passport_of(const Request& request, tool::SentContext sent);
  void fill(tool::Call& call, const Request& request, tool::SentContext sent);
  Reply ask_again(const Request& request, const StatelessAsker& asker, const OpenRound& open,
                  std::string_view state) const;
  Reply refuse_state(const Request& request, const tool::Call& call, std::string_view definition,
                     const OpenRound* open, const Callee& callee) const;
  Reply reply_to_error(const Request& request, const tool::Call& call, const Error& error,
                       const Callee& callee) const;
  Reply reply_to_lacking(const Request& request, const tool::Call& call, const std::string& lacking,
                         const Callee& callee) const;
  std::optional<Reply> reply_to_cancelled(const Request& request, const tool::Call& call,
                                          const Result<tool::CallResult>& result) const;
  bool timeout_is_rpc_error(const Request& request) const;

  const Services& services_;
  const ServerInfos& infos_;
  RequestStates states_;
  std::string call_prefix_;
  std::uint64_t last_call_ = 0;
};

}  // namespace host::mcp
