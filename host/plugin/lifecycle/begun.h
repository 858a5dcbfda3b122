// Waits for the start of a worker.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>
#include <string>
#include <utility>

#include "plugin/process/worker_process.h"

namespace host::plugin {

// The result is the worker's manifest, or the reason why the worker did not start. WorkerProcess
// calls the callback once, and never before start() has returned.
inline boost::asio::awaitable<Result<std::string>> begun(std::shared_ptr<WorkerProcess> worker) {
  auto initiate = [](auto handler, std::shared_ptr<WorkerProcess> process) {
    auto kept = std::make_shared<decltype(handler)>(std::move(handler));
    process->start(
        [kept](Result<std::string> manifest) { std::move (*kept)(std::move(manifest)); });
  };
  Result<std::string> manifest =
      co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<>,
                                           void(Result<std::string>)>(
          initiate, boost::asio::use_awaitable, std::move(worker));
  co_return manifest;
}

}  // namespace host::plugin
