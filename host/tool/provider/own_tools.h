// The host's own tools: one provider with a function for each tool. Every tool that the host
// declares itself is declared here. I/O thread only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "json/json.h"
#include "tool/provider/provider.h"

namespace host::tool {

// A declaration with the properties that all of the host's own tools share: they change only data
// of the host, and a second call with the same arguments has no further effect.
Declaration own_declaration(std::string name, std::string title, std::string description,
                            std::string input_schema);

// Returns nullptr and logs the reason if the declaration is not valid.
std::shared_ptr<const Tool> declare_own(Declaration declaration);

class OwnTools final : public Provider {
 public:
  // `arguments` is a valid object for the tool's schema. The invocation must be finished once.
  using Run = std::function<void(const std::shared_ptr<Invocation>& invocation,
                                 const json::Value& arguments)>;

  // `build`: of this host.
  OwnTools(std::string name, std::string build);

  // Call it before the provider is published.
  void add(Declaration declaration, Run run);

  const ProviderIdentity& identity() const override { return identity_; }
  const std::vector<std::shared_ptr<const Tool>>& tools() const override { return tools_; }
  void start(std::shared_ptr<Invocation> invocation) override;
  void cancel(const std::shared_ptr<Invocation>&) override {}  // none of them waits for long

 private:
  const ProviderIdentity identity_;
  std::vector<std::shared_ptr<const Tool>> tools_;
  std::vector<Run> runs_;  // of each tool
};

}  // namespace host::tool
