#include "router/toolkit/skill_groups.h"

#include <boost/asio/awaitable.hpp>

#include <utility>

#include "router/toolkit/activate_groups.h"
#include "router/toolkit/own_answer.h"

namespace host::router {
namespace {

boost::asio::awaitable<void> activate_for_skill(std::shared_ptr<session::Sessions> sessions,
                                                const config::Config& config,
                                                std::shared_ptr<tool::Invocation> invocation,
                                                std::vector<std::string> groups,
                                                tool::CallResult read) {
  const auto about = co_await activate_groups(
      std::move(sessions), invocation->passport->who.session, std::move(groups), config);
  if (!about) {
    read.add_text("The tool groups of this skill were not activated: " + about.error().message);
  } else if (!about->empty()) {
    read.add_text(instructions_block(*about).substr(1));
  }
  invocation->finish(std::move(read));
}

}  // namespace

void finish_skill_read(const boost::asio::any_io_executor& io,
                       std::shared_ptr<session::Sessions> sessions, const config::Config& config,
                       const std::shared_ptr<tool::Invocation>& invocation,
                       std::vector<std::string> groups, tool::CallResult read) {
  if (groups.empty() || invocation->passport->who.session.empty())
    return static_cast<void>(invocation->finish(std::move(read)));
  run_own(io, invocation, "activates the groups of a skill",
          activate_for_skill(std::move(sessions), config, invocation, std::move(groups),
                             std::move(read)));
}

}  // namespace host::router
