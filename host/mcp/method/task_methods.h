// Serves tasks/get, tasks/update and tasks/cancel of the extension io.modelcontextprotocol/tasks,
// for requests that declare this extension. The functions of this header are called on the I/O
// thread.
#pragma once

#include "mcp/peer/request.h"
#include "mcp/peer/server_infos.h"
#include "mcp/peer/services.h"

namespace host::mcp {

// Returns the error -32021, which means that the client does not support tasks.
Reply needs_tasks(const Request& request, const std::string& what);

class TaskMethods {
 public:
  TaskMethods(const Services& services, const ServerInfos& infos)
      : services_(services), infos_(infos) {}

  awaitable<Reply> get(const Request& request) const;
  awaitable<Reply> update(const Request& request) const;
  awaitable<Reply> cancel(const Request& request) const;

 private:
  awaitable<Reply> acknowledge(const Request& request, std::string id, Result<void> done) const;

  const Services& services_;
  const ServerInfos& infos_;
};

}  // namespace host::mcp
