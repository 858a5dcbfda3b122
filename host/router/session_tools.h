// The host's own tools that work with a session: reset_tools, which activates tool groups in it.
// There is one provider for each profile, because the groups that a session may switch are the
// profile's. I/O thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/config.h"
#include "json/json.h"
#include "session/sessions.h"
#include "tool/provider.h"

namespace host::router {

class SessionTools final : public tool::Provider,
                           public std::enable_shared_from_this<SessionTools> {
 public:
  // `groups`: those that a session may switch, in the order of the configuration. If there are
  // none, there is no tool. `build`: of this host.
  SessionTools(boost::asio::any_io_executor io, std::shared_ptr<session::Sessions> sessions,
               std::vector<config::Group> groups, std::string build);

  const tool::ProviderIdentity& identity() const override { return identity_; }
  const std::vector<std::shared_ptr<const tool::Tool>>& tools() const override { return tools_; }
  void start(std::shared_ptr<tool::Invocation> invocation) override;
  void cancel(const std::shared_ptr<tool::Invocation>&) override {}  // it never waits for long

 private:
  using Names = std::vector<std::string>;

  void declare();
  // The groups that the arguments turn on. An error result lists the groups that exist.
  Result<Names> wanted(const json::Value& arguments) const;
  bool is_active(const session::Session& session, const config::Group& group) const;
  tool::CallResult report(const session::Session& before, const Names& now) const;
  static boost::asio::awaitable<void> reset(std::shared_ptr<SessionTools> self,
                                            std::shared_ptr<tool::Invocation> invocation,
                                            Names now);

  const boost::asio::any_io_executor io_;
  const std::shared_ptr<session::Sessions> sessions_;
  const std::vector<config::Group> groups_;
  const tool::ProviderIdentity identity_;
  std::vector<std::shared_ptr<const tool::Tool>> tools_;
};

}  // namespace host::router
