// The host's side of tp.call_tool/1. The service runs a nested call for a plugin, and answers with
// the call's outcome. Code in app/ sets the function that runs the nested call. The functions of
// this header are called on the I/O thread.
#pragma once

#include <functional>
#include <memory>

#include "base/result.h"
#include "plugin/services/service_table.h"
#include "tool/call/call.h"
#include "tool/call/result.h"

namespace host::plugin {

class CallToolService {
 public:
  using Done = std::function<void(Result<tool::CallResult>)>;
  // Runs the call through the call pipeline and calls `done` once with its outcome. The call object
  // exists until `done` has run.
  using Run = std::function<void(std::shared_ptr<tool::Call> call, Done done)>;

  explicit CallToolService(Run run) : run_(std::move(run)) {}

  void offer_in(ServiceTable& table) const;

 private:
  const Run run_;
};

}  // namespace host::plugin
