// Runs what a request waits for, a tool or something else that is offered, and makes its outcome an
// answer of the protocol: who can be asked and how, what is sent meanwhile, which failure is told
// in which way. I/O thread only. One for the whole host.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "mcp/peer/request.h"
#include "mcp/peer/request_state.h"
#include "mcp/peer/server_infos.h"
#include "mcp/peer/services.h"

namespace host::mcp {

// What is particular to one kind of call.
class Callee {
 public:
  virtual ~Callee() = default;
  virtual awaitable<Result<tool::CallResult>> run(tool::Call& call) = 0;
  // The whole answer.
  virtual std::string answer(const Request& request, const tool::Call& call,
                             const tool::CallResult& result) const = 0;
  // The failures that are not told alike for all calls. Denied: the client lacks what has to be
  // asked.
  virtual Reply failure(const Request& request, const tool::Call& call,
                        const Error& error) const = 0;
  // Whether a client that goes away can fetch the answer by the same call again: it has a key, or
  // waits for a person.
  virtual bool keeps_answer(const tool::Call& call) const;
};

class CallRunner {
 public:
  CallRunner(const Services& services, const ServerInfos& infos);

  // `call` has its function, name and arguments, which may be the request's own tree; what else it
  // needs is filled in here. `definition` is a digest of what is called: answers to its questions
  // are good for no other.
  awaitable<Reply> run(Request& request, tool::Call& call, std::string_view definition,
                       Callee& callee);

  // The answer to what a call ended with, save a round of questions.
  Reply reply_to(const Request& request, const tool::Call& call,
                 const Result<tool::CallResult>& result, const Callee& callee) const;

 private:
  tool::PassportPtr passport_of(const Request& request);
  void fill(tool::Call& call, const Request& request);
  Reply reply_to_error(const Request& request, const tool::Call& call, const Error& error,
                       const Callee& callee) const;
  Reply reply_to_lacking(const Request& request, const tool::Call& call, const std::string& lacking,
                         const Callee& callee) const;
  bool timeout_is_rpc_error(const Request& request) const;

  const Services& services_;
  const ServerInfos& infos_;
  RequestStates states_;
  std::string call_prefix_;
  std::uint64_t last_call_ = 0;
};

}  // namespace host::mcp
