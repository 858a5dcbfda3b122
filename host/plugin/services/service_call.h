// One request of a plugin to a service of the host. Its contents come from the plugin's process, so
// the service must check them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/cancel.h"
#include "plugin/wire/host_call.h"
#include "tool/call/invocation.h"

namespace host::plugin {

class ServiceCall {
 public:
  using Answered = std::function<void(HostAnswer)>;

  ServiceCall(std::string asking, std::shared_ptr<tool::Invocation> belongs_to, std::string body,
              Answered answered)
      : plugin(std::move(asking)),
        call(std::move(belongs_to)),
        bytes(std::move(body)),
        answered_(std::move(answered)) {}

  const std::string plugin;
  const std::shared_ptr<tool::Invocation> call;  // null: it belongs to no call
  const std::string bytes;
  // Requested when the answer is no longer needed.
  const std::shared_ptr<Cancel> cancel = std::make_shared<Cancel>();

  // Only the first answer is used. I/O thread.
  void answer(HostAnswer given) {
    if (const Answered act = std::exchange(answered_, nullptr)) act(std::move(given));
  }
  void fail(tp_status status, std::string why) { answer({status, 0, {}, std::move(why)}); }

 private:
  Answered answered_;
};

}  // namespace host::plugin
