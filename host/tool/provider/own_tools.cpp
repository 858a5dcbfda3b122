#include "tool/provider/own_tools.h"

#include <utility>

#include "base/log.h"
#include "json/own_text.h"

namespace host::tool {

Declaration own_declaration(std::string name, std::string title, std::string description,
                            std::string input_schema) {
  Declaration declaration;
  declaration.name = std::move(name);
  declaration.title = std::move(title);
  declaration.description = std::move(description);
  declaration.input_schema = std::move(input_schema);
  declaration.destructive = false;
  declaration.idempotent = true;
  declaration.open_world = false;
  return declaration;
}

std::shared_ptr<const Tool> declare_own(Declaration declaration) {
  const std::string name = declaration.name;
  auto made = Tool::make(std::move(declaration), 0);
  if (made) return *std::move(made);
  log::error("tool", "the host's own tool " + name + " cannot be declared",
             {{"reason", made.error().message}});
  return nullptr;
}

OwnTools::OwnTools(std::string name, std::string build)
    : identity_{ProviderIdentity::Kind::Host, std::move(name), {}, std::move(build)} {}

void OwnTools::add(Declaration declaration, Run run) {
  auto tool = declare_own(std::move(declaration));
  if (!tool) return;
  tools_.push_back(std::move(tool));
  runs_.push_back(std::move(run));
}

void OwnTools::start(std::shared_ptr<Invocation> invocation) {
  const auto arguments = json::parse_own(invocation->arguments);
  if (invocation->function == Function::Call && arguments && arguments->root().IsObject()) {
    for (std::size_t i = 0; i < tools_.size(); ++i) {
      if (tools_[i] == invocation->tool) return runs_[i](invocation, arguments->root());
    }
  }
  invocation->finish(Error{ErrorKind::InvalidArgument, "expected a call with an object"});
}

}  // namespace host::tool
