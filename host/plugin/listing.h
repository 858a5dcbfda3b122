// Asks a generation what it offers beside tools.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <memory>

#include "base/result.h"
#include "plugin/generation.h"

namespace host::plugin {

// Its lists, each within `timeout`; a malformed one is a fault that says what is wrong. I/O thread.
boost::asio::awaitable<Result<tool::Offer>> list_offer(std::shared_ptr<Generation> generation,
                                                       std::chrono::milliseconds timeout);

// The same of one that serves, whose lists changed: again and again while it is too busy to tell.
// True: it offers something else than before. Ends early where it does not `serve` any more.
boost::asio::awaitable<bool> list_again(std::shared_ptr<Generation> generation,
                                        std::chrono::milliseconds timeout,
                                        std::function<bool()> serves);

}  // namespace host::plugin
