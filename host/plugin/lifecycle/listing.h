// Asks a generation for its resources and prompts.
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

// The lists as texts, empty if it has none, and their parsed form.
struct Listing {
  std::string resources;
  std::string prompts;
  tool::Offer offer;
};

// Parses stored lists. An Error with the reason: a list is malformed.
Result<Listing> read_listing(const Manifest& manifest, std::string resources, std::string prompts);

// Requests its lists, each within `timeout`, and parses them. I/O thread.
boost::asio::awaitable<Result<Listing>> list_offer(std::shared_ptr<Generation> generation,
                                                   std::chrono::milliseconds timeout);

// The same, for a serving generation: repeats while the generation is too busy. Cancelled: `serves`
// returned false.
boost::asio::awaitable<Result<Listing>> list_while_busy(std::shared_ptr<Generation> generation,
                                                        std::chrono::milliseconds timeout,
                                                        std::function<bool()> serves);

// Reads the lists of a generation again, after it announced a change. True: its offer has changed.
boost::asio::awaitable<bool> list_again(std::shared_ptr<Generation> generation,
                                        std::chrono::milliseconds timeout,
                                        std::function<bool()> serves);

}  // namespace host::plugin
