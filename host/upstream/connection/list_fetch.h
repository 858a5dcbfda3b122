// Fetches a whole list of an upstream, page by page, within limits.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/job_thread.h"
#include "base/result.h"
#include "upstream/connection/connection.h"

namespace host::upstream {

struct ListLimits {
  std::uint32_t entries = 1000;
  std::uint32_t pages = 100;
  std::uint64_t bytes = 16u << 20u;
  std::chrono::milliseconds timeout{std::chrono::seconds(30)};  // for all pages together; 0: none
};

struct FetchedList {
  std::vector<std::string> entries;  // JSON texts
  std::string cut;                   // why the list is incomplete; empty: it is complete
};

// `list`: tools, resources, prompts. `jobs` reads the pages. `done` is called once, unless
// `connection` is destroyed before.
void fetch_list(Connection& connection, const std::string& list, const ListLimits& limits,
                std::shared_ptr<JobThread> jobs, std::function<void(Result<FetchedList>)> done);

}  // namespace host::upstream
