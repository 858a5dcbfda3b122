#include "router/toolkit/own_answer.h"

#include <utility>

#include "base/process/spawn.h"

namespace host::router {

void run_own(const boost::asio::any_io_executor& io,
             const std::shared_ptr<tool::Invocation>& invocation, const char* what,
             boost::asio::awaitable<void> work) {
  spawn(io, {"router", what}, std::move(work), [invocation](const Result<void>& ended) {
    if (!ended) invocation->finish(ended.error());  // without effect if it has finished
  });
}

std::string about_group(const config::Group& group) {
  std::string text = "\n<group name=\"" + group.name + "\">" + group.description;
  if (!group.instructions.empty()) text += "\n" + group.instructions;
  return text + "</group>";
}

std::string instructions_block(const std::string& about_groups) {
  if (about_groups.empty()) return {};
  return "\n<tool-instructions>\nAbout the groups that were activated now:" + about_groups +
         "\n</tool-instructions>";
}

}  // namespace host::router
