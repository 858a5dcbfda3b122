// An OwnTools object is a provider of some of the host's own tools, with a function for each tool.
// The function own_declaration() declares one of the host's own tools. The functions of OwnTools
// must be called on the I/O thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "json/json.h"
#include "tool/provider/provider.h"

namespace host::tool {

// Returns a declaration with the properties that most of the host's own tools have. Most of the
// host's own tools change only data of the host, and a second call with the same arguments has no
// further effect.
Declaration own_declaration(std::string name, std::string title, std::string description,
                            std::string input_schema);

// Returns nullptr and logs the reason if the declaration is not valid.
std::shared_ptr<const Tool> declare_own(Declaration declaration);

class OwnTools final : public Provider {
 public:
  // `arguments` is a valid object for the tool's schema. The function Run must call the
  // invocation's finish() once.
  using Run = std::function<void(const std::shared_ptr<Invocation>& invocation,
                                 const json::Value& arguments)>;

  // `build` is the build of this host, for ProviderIdentity.
  OwnTools(std::string name, std::string build);

  // Adds a tool. Call add() before the catalog gets the provider.
  void add(Declaration declaration, Run run);

  const ProviderIdentity& identity() const override { return identity_; }
  const std::vector<std::shared_ptr<const Tool>>& tools() const override { return tools_; }
  void start(std::shared_ptr<Invocation> invocation) override;
  // cancel() does nothing, because none of the host's own tools takes long.
  void cancel(const std::shared_ptr<Invocation>&) override {}

 private:
  const ProviderIdentity identity_;
  std::vector<std::shared_ptr<const Tool>> tools_;
  std::vector<Run> runs_;  // the functions of the tools, in the order of add()
};

}  // namespace host::tool
