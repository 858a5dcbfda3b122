// Functions that the host's own tools share: to run a tool, and to describe groups.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>

#include "config/config.h"
#include "tool/call/invocation.h"

namespace host::router {

// Runs `work`, which finishes the invocation. If `work` throws, the invocation ends with this
// error.
void run_own(const boost::asio::any_io_executor& io,
             const std::shared_ptr<tool::Invocation>& invocation, const char* what,
             boost::asio::awaitable<void> work);

// Name, description and instructions of a group that became active, for the model.
std::string about_group(const config::Group& group);
// The block of instructions with the texts of about_group(). Empty for an empty text.
std::string instructions_block(const std::string& about_groups);

}  // namespace host::router
