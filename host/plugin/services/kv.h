// The host's side of tp.kv/1. The service checks the plugins' requests and passes them to the
// store. The functions of this header are called on the I/O thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "plugin/services/service_table.h"
#include "store/desk.h"

namespace host::plugin {

class KvService {
 public:
  struct Settings {
    store::KvQuota quota;
    std::chrono::milliseconds session_ttl{std::chrono::hours(24 * 30)};
  };

  KvService(Settings settings, std::shared_ptr<store::Desk> desk);

  void offer_in(ServiceTable& table);

 private:
  struct Request;
  struct Cleaning;
  using Act = std::function<HostAnswer(store::KvStore&, const Request&)>;

  void run(const std::shared_ptr<ServiceCall>& call, Result<Request> request, Act act);

  const Settings settings_;
  const std::shared_ptr<store::Desk> desk_;
  const std::shared_ptr<Cleaning> cleaning_;
};

}  // namespace host::plugin
