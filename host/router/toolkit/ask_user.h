// ask_user is a tool of the host. A model uses ask_user to ask a person a question. If the client
// can show forms, the tool asks the client's user. If the client cannot show forms, the question
// waits for a reviewer of this host (approval/question.h).
#pragma once

#include "tool/provider/own_tools.h"

namespace host::router {

void add_ask_user(tool::OwnTools& tools);

}  // namespace host::router
