// tp.kv/1 on the host's side: checks what plugins ask, and keeps the blocking store on a thread of
// its own, which is started, and the store opened, by the first request. I/O thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <functional>
#include <memory>

#include "plugin/services/service_table.h"
#include "store/kv_store.h"

namespace host::plugin {

class KvService {
 public:
  struct Settings {
    store::KvQuota quota;
    std::chrono::milliseconds session_ttl{std::chrono::hours(24 * 30)};
  };
  using Open = std::function<Result<std::unique_ptr<store::KvStore>>()>;

  // open: runs on the store's thread, again where it failed.
  KvService(boost::asio::any_io_executor io, Settings settings, Open open);
  ~KvService();  // waits for what the store is doing
  KvService(const KvService&) = delete;
  KvService& operator=(const KvService&) = delete;

  void offer_in(ServiceTable& table);

 private:
  class Worker;
  struct Request;
  using Act = std::function<HostAnswer(store::KvStore&, const Request&)>;

  void run(const std::shared_ptr<ServiceCall>& call, Result<Request> request, Act act);

  const boost::asio::any_io_executor io_;
  const Settings settings_;
  const std::unique_ptr<Worker> worker_;
};

}  // namespace host::plugin
