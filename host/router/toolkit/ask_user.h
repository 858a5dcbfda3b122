// ask_user is the host's own tool with which a model asks a person a question. If the client can
// show forms, the tool asks the client's own user. If the client cannot show forms, the question
// waits for a reviewer of this host (approval/question.h).
#pragma once

#include "tool/provider/own_tools.h"

namespace host::router {

void add_ask_user(tool::OwnTools& tools);

}  // namespace host::router
