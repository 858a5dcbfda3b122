// The tools of session tests, each a coroutine of the test or one of the common ones below.
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
  void remove(const std::string& name) { tools_.erase(name); }

  Listing list(const tool::Peer&) const override;
  tool::Route find(const tool::Peer&, const std::string& name) const override;
  boost::asio::awaitable<Answer> call(tool::Call& call) override;

  std::vector<std::string> calls;  // name and arguments
  std::vector<std::string> principals;

 private:
  std::map<std::string, std::shared_ptr<const tool::Tool>> tools_;
  std::map<std::string, Act> acts_;
};

// Empty where the call has no such text.
std::string text_argument(const tool::Call& call, std::string_view name);

// echo {text}; fail {kind}: the error of that name; steps: three steps of progress; blocks: a text,
// a link and audio; object and number: structured results; ask: greets by the name that a person
// gives; slow: until cancelled; region: its argument is mirrored in a header; save_csv: as a
// client's documentation has it.
void add_common(FakeTools& tools);

}  // namespace host::test
