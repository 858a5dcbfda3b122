// A provider whose tools run functions of a test. For tests of the layers above plugins.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tool/definition/tool.h"
#include "tool/provider/provider.h"

namespace host::test {

// Returns the declaration of a tool with this name. Its input schema accepts any object.
inline tool::Declaration declaration(std::string name) {
  tool::Declaration declared;
  declared.name = std::move(name);
  declared.description = "A tool of a test.";
  declared.input_schema = R"({"type":"object"})";
  return declared;
}

inline std::shared_ptr<const tool::Tool> make_tool(tool::Declaration declared) {
  auto made = tool::Tool::make(std::move(declared), 0);
  if (!made) throw std::runtime_error(made.error().message);
  return *made;
}

class FakeProvider final : public tool::Provider {
 public:
  using Act = std::function<void(const std::shared_ptr<tool::Invocation>&)>;

  using Kind = tool::ProviderIdentity::Kind;
  explicit FakeProvider(std::string name = "fake", Kind kind = Kind::Plugin)
      : identity_{kind, std::move(name), {}, "sha256:00"} {}

  // Adds a tool. `act` must finish the invocation, at once or later.
  void add(tool::Declaration declared, Act act) {
    tools_.push_back(make_tool(std::move(declared)));
    acts_.emplace_back(tools_.back()->name(), std::move(act));
  }
  void add_answering(tool::Declaration declared, std::string text) {
    add(std::move(declared),
        [text](const auto& invocation) { invocation->finish(tool::CallResult::text(text)); });
  }

  // The provider's resources and prompts. The catalog reads them when the provider is set.
  tool::Offer offered;
  // Runs the functions that belong to no tool.
  Act act_on_offer = [](const auto& invocation) {
    invocation->finish(Error{ErrorKind::NotFound, "no such thing"});
  };

  // Runs the functions of an interceptor that never waits. Null: they run by act_on_offer.
  std::function<tool::AtOnce(tool::AtOnceCall&)> act_at_once;

  // Reads the lists again, see tool::Provider::catch_up(). Null: they are never out of date.
  std::function<bool(std::function<void()> done)> act_catch_up;

  bool catch_up(const std::function<void()>& done) override {
    return act_catch_up && act_catch_up(done);
  }
  const tool::ProviderIdentity& identity() const override { return identity_; }
  // Makes the provider look like another build with the same name. Use it only between calls.
  void be_build(std::string build) { identity_.build = std::move(build); }
  const tool::Offer& offer() const override { return offered; }
  const std::vector<std::shared_ptr<const tool::Tool>>& tools() const override { return tools_; }
  void start(std::shared_ptr<tool::Invocation> invocation) override {
    ++started;
    if (!invocation->tool) return act_on_offer(invocation);
    for (const auto& [name, act] : acts_) {
      if (name == invocation->tool->name()) return act(invocation);
    }
  }
  tool::AtOnce run_at_once(tool::AtOnceCall& call) override {
    return act_at_once ? act_at_once(call) : tool::AtOnce::No;
  }
  void cancel(const std::shared_ptr<tool::Invocation>&) override { ++cancelled; }

  int started = 0;
  int cancelled = 0;

 private:
  tool::ProviderIdentity identity_;
  std::vector<std::shared_ptr<const tool::Tool>> tools_;
  std::vector<std::pair<std::string, Act>> acts_;
};

}  // namespace host::test
