// Functions that several tools of the host use to run their work, and to describe tool groups.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>

#include "config/config.h"
#include "tool/call/invocation.h"

namespace host::router {

// Runs the function `work`, which must finish the invocation. If `work` throws, the invocation ends
// with an error that contains the text `what`.
void run_own(const boost::asio::any_io_executor& io,
             const std::shared_ptr<tool::Invocation>& invocation, const char* what,
             boost::asio::awaitable<void> work);

// Returns the name, description and instructions of a group that became active, as a text for the
// model.
std::string about_group(const config::Group& group);
// Returns the block of instructions with the texts that about_group() returned. Returns an empty
// block if `about_groups` is empty.
std::string instructions_block(const std::string& about_groups);

}  // namespace host::router
