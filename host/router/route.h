// The provider and tool of a call.
#pragma once

#include <memory>

#include "tool/catalog.h"
#include "tool/provider.h"
#include "tool/tool.h"

namespace host::router {

struct Route {
  std::shared_ptr<const tool::Tool> tool;
  std::shared_ptr<tool::Provider> provider;  // keeps the provider from being retired
  std::shared_ptr<const tool::Snapshot> snapshot;
};

}  // namespace host::router
