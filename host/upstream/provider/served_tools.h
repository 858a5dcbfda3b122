// Makes this host's tools of an upstream's definitions, by its settings.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/upstream.h"
#include "tool/offers.h"
#include "tool/tool.h"

namespace host::upstream {

struct ServedTools {
  std::vector<std::shared_ptr<const tool::Tool>> tools;
  std::vector<std::string> names;       // as the upstream names them, by Tool::index()
  std::vector<tool::Refusal> refusals;  // those that are not served, and why
};

// `definitions`: JSON texts of tools. Each is untrusted and judged for itself.
ServedTools served_tools(const config::Upstream& upstream,
                         const std::vector<std::string>& definitions);

}  // namespace host::upstream
