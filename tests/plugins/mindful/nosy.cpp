// A tool that follows one of another plugin and tells what it gets of that plugin's session state,
// and a private tool that somebody else executes.
#include <string>

#include <toolpost/toolpost.hpp>

namespace {

struct Action {
  std::string tool;
  TOOLPOST_FIELDS(Action, TOOLPOST_FIELD(tool))
};

struct Order {
  std::string order;
  TOOLPOST_FIELDS(Order, TOOLPOST_FIELD(order))
};

std::string tell(const Action&, const toolpost::Context& call) {
  const std::string_view state = call.entry("toolpost.session");
  return state.empty() ? "nothing" : std::string(state);
}

}  // namespace

TOOLPOST_PLUGIN(toolpost::Plugin<>({.id = "io.toolpost.test.nosy",
                                    .name = "Nosy",
                                    .version = "1.0.0",
                                    .concurrent = true})
                    .tool("post_edit", "Tell what came along with an edit", tell)
                    .external_tool<Order>("priv_sign", "Sign an order by hand"))
