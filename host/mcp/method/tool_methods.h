// Serves tools/list and tools/call. The functions of this header are called on the I/O thread.
#pragma once

#include "mcp/method/call_runner.h"
#include "mcp/method/long_call.h"
#include "mcp/method/pages.h"
#include "mcp/peer/request.h"

namespace host::mcp {

class ToolMethods final : private Callee {
 public:
  ToolMethods(const Services& services, const ServerInfos& infos, const Pages& pages,
              CallRunner& runner)
      : services_(services), infos_(infos), pages_(pages), runner_(runner) {}

  Reply list(const Request& request) const;
  awaitable<Reply> call(Request& request);
  // Runs a task's call again that an earlier process of the host began. task::Tasks::on_resume()
  // says when this happens.
  void resume(LongCall::Resumed resumed) const;

 private:
  std::string definition_of(const Request& request, const tool::Call& call) const;
  Reply without_task(const Request& request, const tool::Call& call) const;
  awaitable<Result<tool::CallResult>> run(tool::Call& call) override;
  std::string answer(const Request& request, const tool::Call& call,
                     const tool::CallResult& result) const override;
  Reply failure(const Request& request, const tool::Call& call, const Error& error) const override;

  const Services& services_;
  const ServerInfos& infos_;
  const Pages& pages_;
  CallRunner& runner_;
};

}  // namespace host::mcp
