// ask_user: the host's own tool with which a model asks a person. A client that shows forms asks
// its user. Otherwise the question waits for a reviewer of this host (approval/question.h).
#pragma once

#include "tool/provider/own_tools.h"

namespace host::router {

void add_ask_user(tool::OwnTools& tools);

}  // namespace host::router
