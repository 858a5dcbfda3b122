// The tools for tests of MCP sessions. Each tool is a coroutine of the test, or one of the common
// tools of add_common().
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mcp/peer/services.h"
#include "support/fake_provider.h"

namespace host::test {

class FakeTools final : public mcp::ToolService {
 public:
  using Answer = Result<tool::CallResult>;
  using Act = std::function<boost::asio::awaitable<Answer>(tool::Call&)>;

  void add(tool::Declaration declared, Act act);
  const Act& act_of(const std::string& name) const { return acts_.at(name); }
  void remove(const std::string& name) { tools_.erase(name); }

  Listing list(const tool::Peer&) const override;
  tool::Route find(const tool::Peer&, const std::string& name) const override;
  boost::asio::awaitable<Answer> call(tool::Call& call) override;

  // Changes a call as the steps of the pipeline may, before the call is cleared. Null: no change.
  std::function<void(tool::Call&)> before_cleared;
  std::vector<std::string> calls;  // name and arguments of each call
  std::vector<std::string> principals;

 private:
  std::map<std::string, std::shared_ptr<const tool::Tool>> tools_;
  std::map<std::string, Act> acts_;
};

// Returns a text argument of the call. Empty if the call has no such argument.
std::string text_argument(const tool::Call& call, std::string_view name);

// Adds the common tools. echo {text} returns the text. fail {kind} returns the Error of that kind.
// steps reports three steps of progress. blocks returns a text, a link and audio. object and number
// return structured results. ask asks the user for a name and returns a greeting. slow runs until
// it is cancelled. region has an argument that is repeated in a header. save_csv is an example of a
// client's documentation.
void add_common(FakeTools& tools);

}  // namespace host::test
