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

// A generation's lists of resources and prompts, as JSON texts and in parsed form. `resources` or
// `prompts` is empty if the plugin offers none.
struct Listing {
  std::string resources;
  std::string prompts;
  tool::Offer offer;
};

// Parses stored lists. Returns an Error with the reason if a list is malformed.
Result<Listing> read_listing(const Manifest& manifest, std::string resources, std::string prompts);

// Requests the plugin's resources and prompts, each within `timeout`, and parses them. list_offer()
// is called on the I/O thread.
boost::asio::awaitable<Result<Listing>> list_offer(std::shared_ptr<Generation> generation,
                                                   std::chrono::milliseconds timeout);

// Calls list_offer(), and repeats the call a few times while the plugin is too busy to answer.
// Returns the Error Cancelled as soon as `serves` returns false.
boost::asio::awaitable<Result<Listing>> list_while_busy(std::shared_ptr<Generation> generation,
                                                        std::chrono::milliseconds timeout,
                                                        std::function<bool()> serves);

// Reads the lists of a generation again after the generation announced a change. Returns true if
// the lists have changed.
boost::asio::awaitable<bool> list_again(std::shared_ptr<Generation> generation,
                                        std::chrono::milliseconds timeout,
                                        std::function<bool()> serves);

}  // namespace host::plugin
