// A LongCall is a tools/call that can outlive its request. If the tool can take long and the client
// supports tasks, the call becomes a task after it has passed all checks. Until the checks are
// over, a LongCall behaves like any other call. During the checks, questions to the client are sent
// within the request, and a refusal is the answer to the request. If the client disconnects during
// the checks, the host cancels the call. The task continues after its request has ended. The
// functions of this header are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <string>

#include "mcp/method/call_runner.h"
#include "mcp/peer/server_infos.h"
#include "mcp/peer/services.h"
#include "task/records.h"
#include "task/tasks.h"
#include "tool/definition/tool.h"

namespace host::mcp {

// A LongCall lives as long as its request.
class LongCall final : public Callee {
 public:
  // `plain` runs a call that does not become a task. The constructor's reference arguments must
  // outlive the LongCall.
  LongCall(const Services& services, const ServerInfos& infos, const CallRunner& runner,
           const Callee& plain, const tool::Tool& tool)
      : services_(services),
        infos_(infos),
        runner_(runner),
        plain_(plain),
        definition_(tool.digest()),
        asks_first_(tool.declared().asks_first) {}

  // The data with which resume() runs a task's call again after a restart of the host. Before the
  // restart, the host asked the client questions, and the client has now answered them.
  struct Resumed {
    task::RecordPtr record;
    tool::Continuation continuation;
    std::shared_ptr<Cancel> cancel;
    task::Tasks::Answerer by;
  };
  static void resume(const Services& services, const CallRunner& runner, const Callee& plain,
                     Resumed resumed);

  awaitable<Result<tool::CallResult>> run(tool::Call& call) override;
  std::string answer(const Request& request, const tool::Call& call,
                     const tool::CallResult& result) const override;
  Reply failure(const Request& request, const tool::Call& call, const Error& error) const override {
    return plain_.failure(request, call, error);
  }
  // When run() makes the call a task, it moves the call into running_.
  bool keeps_answer(const tool::Call& call) const override {
    return plain_.keeps_answer(running_ ? *running_ : call);
  }

 private:
  const Services& services_;
  const ServerInfos& infos_;
  const CallRunner& runner_;
  const Callee& plain_;
  const std::string definition_;
  const bool asks_first_;
  std::shared_ptr<const tool::Call> running_;
};

}  // namespace host::mcp
