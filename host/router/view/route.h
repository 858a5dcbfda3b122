// A route consists of pointers to the tool and the provider of a call. In the steps of the call
// pipeline, the tool and the provider are always set.
#pragma once

#include "tool/call/route.h"
#include "tool/definition/tool.h"
#include "tool/provider/catalog.h"
#include "tool/provider/provider.h"

namespace host::router {

using tool::Route;

}  // namespace host::router
