// A build that passed its trial, on its way to a generation that answers calls. I/O thread only.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>

#include "plugin/serving/generation.h"
#include "plugin/serving/worker_generation.h"

namespace host::plugin {

// With a worker that is up and describes itself as in `manifest`, or loaded inline; a worker of a
// build that is known comes up later, and then `started` hears of it. `state`: of the build before;
// null: it begins fresh.
boost::asio::awaitable<Result<std::shared_ptr<Generation>>> start_generation(
    std::shared_ptr<Surroundings> around, Build build, std::string manifest,
    std::shared_ptr<const SavedState> state, WorkerGeneration::Started started);

// Logs what a worker's sandbox lacks.
void tell_of_sandbox(const std::string& plugin, const sandbox::Applied& applied);

}  // namespace host::plugin
