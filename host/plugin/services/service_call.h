// A request that a plugin sent to a service of the host. The bytes of a request come from the
// plugin's process, so the service must check them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/cancel.h"
#include "config/config.h"
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
  const std::shared_ptr<tool::Invocation> call;  // null: the request belongs to no tool call
  const std::string bytes;
  // The plugin's settings, changed by its side file. For a plugin without a side file, `settings`
  // is null, and the plugin's settings in the configuration apply.
  std::shared_ptr<const config::Plugin> settings;
  std::shared_ptr<const void> room;  // the request's share of kMostOpenBytes
  // The host requests `cancel` when the service's answer is no longer needed.
  const std::shared_ptr<Cancel> cancel = std::make_shared<Cancel>();

  // Sends the service's answer to the request. The plugin gets only the first answer. Only the I/O
  // thread can call this function.
  void answer(HostAnswer given) {
    if (const Answered act = std::exchange(answered_, nullptr)) act(std::move(given));
  }
  void fail(tp_status status, std::string why) { answer({status, 0, {}, std::move(why)}); }

 private:
  Answered answered_;
};

}  // namespace host::plugin
