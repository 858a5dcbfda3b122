// What the host's own tools share: how they run, and what they say of groups.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>

#include "config/config.h"
#include "tool/invocation.h"

namespace host::router {

// Runs `work`, which finishes the invocation. If it throws, the invocation ends with that.
void run_own(const boost::asio::any_io_executor& io,
             const std::shared_ptr<tool::Invocation>& invocation, const char* what,
             boost::asio::awaitable<void> work);

// Name, description and instructions of a group that became active, for the model.
std::string about_group(const config::Group& group);
// These texts, put together; nothing for none.
std::string instructions_block(const std::string& about_groups);

}  // namespace host::router
