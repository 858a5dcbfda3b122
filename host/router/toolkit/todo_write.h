// todo_write is a tool of the host. A model uses todo_write to keep the todo list of its session.
// The functions of this header are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <memory>

#include "session/sessions.h"
#include "session/todos.h"
#include "tool/provider/own_tools.h"

namespace host::router {

void add_todo_write(tool::OwnTools& tools, const boost::asio::any_io_executor& io,
                    std::shared_ptr<session::Sessions> sessions, session::TodoLimits limits);

}  // namespace host::router
