// A service table lists the services of one host: the function for each kind of request. The code
// in app/ fills the service table. The code that transports requests does not depend on the service
// table. The functions of this header are called on the I/O thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "plugin/services/service_call.h"

namespace host::plugin {

class ServiceTable {
 public:
  // The function that answers the requests to a service. The function of a service must not block.
  // The service's function answers the request immediately or later.
  using Function = std::function<void(std::shared_ptr<ServiceCall>)>;

  void add(ServiceId id, Function function) { functions_[id] = std::move(function); }

  void start(ServiceId id, const std::shared_ptr<ServiceCall>& call) const {
    const auto at = functions_.find(id);
    if (at == functions_.end()) {
      call->fail(TP_E_UNSUPPORTED, "this host does not offer it");
    } else {
      at->second(call);
    }
  }

 private:
  std::map<ServiceId, Function> functions_;
};

}  // namespace host::plugin
