// Asks a generation what it offers beside tools.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "plugin/serving/generation.h"

namespace host::plugin {

// The lists as it told them, which are empty where it has none, and what they mean.
struct Listing {
  std::string resources;
  std::string prompts;
  tool::Offer offer;
};

// Reads lists of before; a malformed one is a fault that says what is wrong.
Result<Listing> read_listing(const Manifest& manifest, std::string resources, std::string prompts);

// Asks for its lists, each within `timeout`, and reads them. I/O thread.
boost::asio::awaitable<Result<Listing>> list_offer(std::shared_ptr<Generation> generation,
                                                   std::chrono::milliseconds timeout);

// The same of one that serves: again and again while it is too busy to tell. Cancelled where it
// does not `serve` any more.
boost::asio::awaitable<Result<Listing>> list_while_busy(std::shared_ptr<Generation> generation,
                                                        std::chrono::milliseconds timeout,
                                                        std::function<bool()> serves);

// Of one whose lists changed. True: it offers something else than before.
boost::asio::awaitable<bool> list_again(std::shared_ptr<Generation> generation,
                                        std::chrono::milliseconds timeout,
                                        std::function<bool()> serves);

}  // namespace host::plugin
