// Starts a generation from a validated build. The functions of this header are called on the I/O
// thread.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>

#include "plugin/serving/generation.h"
#include "plugin/serving/worker_generation.h"

namespace host::plugin {

// Starts the build inline, or with a running worker whose description equals `manifest`. If
// Build::known is true, start_generation() starts no worker: the first call or a short timer starts
// it, and then `started` is called. `state` is the state of the previous build. If `state` is null,
// the build starts without state.
boost::asio::awaitable<Result<std::shared_ptr<Generation>>> start_generation(
    std::shared_ptr<Surroundings> around, Build build, std::string manifest,
    std::shared_ptr<const SavedState> state, WorkerGeneration::Started started);

// Writes a log line that names the protection layers that a worker's sandbox lacks.
void tell_of_sandbox(const std::string& plugin, const sandbox::Applied& applied);

}  // namespace host::plugin
