// tp.call_tool/1. Built twice: as part of the plugin `services`, and as a serial plugin of its own.
#include <string>
#include <thread>
#include <utility>

#include "services.h"

namespace {

using toolpost::Context;

#if defined(SERVICES_SERIAL)
#define NAME(name) "serial_" name
#else
#define NAME(name) name
#endif

struct Target {
  std::string tool;
  toolpost::Json args = {"{}"};
  TOOLPOST_FIELDS(Target, TOOLPOST_FIELD(tool), TOOLPOST_FIELD(args, "", toolpost::defaulted))
};

std::string outcome(const toolpost::ToolResult& result) {
  return (result.is_error ? "isError: " : "") + result.text();
}

// What the other tool said, or the status with which it was not reached.
std::string call(const Target& target, Context& context) {
  try {
    return outcome(context.call_tool(target.tool, target.args));
  } catch (const toolpost::ServiceError& error) {
    return std::to_string(error.status()) + ": " + error.what();
  }
}

void call_later(const Target& target, toolpost::Pending pending) {
  auto kept = std::make_shared<toolpost::Pending>(std::move(pending));
  kept->context().call_tool(target.tool, target.args,
                            [kept](const toolpost::ServiceAnswer& answer) {
                              kept->finish(std::to_string(answer.status) + " " + answer.json);
                            });
}

struct Depth {
  int left = 0;
  TOOLPOST_FIELDS(Depth, TOOLPOST_FIELD(left, "", toolpost::defaulted))
};

// Calls itself this often.
std::string down(const Depth& depth, Context& context) {
  if (depth.left == 0) return "bottom";
  try {
    return outcome(context.call_tool(NAME("down"), Depth{depth.left - 1}));
  } catch (const toolpost::ServiceError& error) {
    return std::to_string(depth.left) + " left, " + std::to_string(error.status());
  }
}

struct Note {
  std::string order;
  toolpost::Json more = {"{}"};  // anything
  TOOLPOST_FIELDS(Note, TOOLPOST_FIELD(order), TOOLPOST_FIELD(more, "", toolpost::defaulted))
};

std::string who(Context& context) {
  return std::string(context.principal()) + " " + std::string(context.traceparent());
}

// Until it is cancelled.
void hang(Context& context) {
  for (;;) {
    context.check();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace

Services with_calls(Services plugin) {
  return std::move(plugin)
      .tool(NAME("call"), "Calls a tool", call, {.read_only = true})
      .tool(NAME("call_alone"), "The same, one at a time", call,
            {.read_only = true, .exclusive = NAME("alone")})
      .tool(NAME("call_later"), "Calls a tool without waiting", call_later, {.read_only = true})
      .tool(NAME("down"), "Calls itself", down, {.read_only = true})
      .tool(NAME("hang"), "Ends when it is cancelled", hang, {.read_only = true})
      .tool(NAME("writes"), "Says that it writes", [] { return "written"; })
      .tool("pre_" NAME("give_back"), "Gives back what it was given",
            [](const Note& note) { return note.more.text; })
      .tool("_" NAME("secret"), "Nobody's but the host's", who);
}
