// The tool and provider of a call, complete, for the steps of the call pipeline.
#pragma once

#include "tool/catalog.h"
#include "tool/provider.h"
#include "tool/route.h"
#include "tool/tool.h"

namespace host::router {

using tool::Route;

}  // namespace host::router
