// Fetches a whole list of an upstream, page by page, within limits.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/job_thread.h"
#include "base/result.h"
#include "upstream/connection/connection.h"

namespace host::upstream {

struct ListLimits {
  std::uint32_t entries = 1000;
  const char* entries_key = "limits.upstream_tools";
  std::uint32_t pages = 100;
  std::uint64_t bytes = 16u << 20u;
  std::chrono::milliseconds timeout{std::chrono::seconds(30)};  // for all pages; 0: no limit
};

struct FetchedList {
  std::vector<std::string> entries;  // JSON texts
  std::string cut;                   // why the list is incomplete; empty: the list is complete
  // `ttl` is the shortest ListPage::ttl of the pages; unset: no page has one.
  std::optional<std::chrono::milliseconds> ttl = std::nullopt;
};

// A ListName is the name of a list: its method without "/list", and the member of the result that
// has the entries.
struct ListName {
  std::string method;
  std::string member;
};
inline const ListName kTools{"tools", "tools"};
inline const ListName kResources{"resources", "resources"};
inline const ListName kTemplates{"resources/templates", "resourceTemplates"};
inline const ListName kPrompts{"prompts", "prompts"};

// Fetches a list of the upstream. The thread `jobs` parses the pages of the list. fetch_list()
// calls `done` once, unless `connection` is destroyed earlier. The Error NotFound means that the
// upstream does not know the list's method.
void fetch_list(Connection& connection, const ListName& list, const ListLimits& limits,
                std::shared_ptr<JobThread> jobs, std::function<void(Result<FetchedList>)> done);

}  // namespace host::upstream
