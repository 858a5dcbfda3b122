// tp.args/1: the arguments of a call, value by value, as a plugin in C reads them.
#include <string>

#include <toolpost/ext/args.h>

#include "services.h"

namespace {

using toolpost::Context;

struct Wanted {
  toolpost::Json any;   // what is read
  std::string pointer;  // where
  std::string as;       // a function of tp.args/1
};

std::string told(const tp_args_api& args, const Wanted& wanted, const Context& call) {
  const tp_str pointer = toolpost::detail::str(wanted.pointer);
  const auto read = [&](auto function, auto value) {
    const tp_status status = function(call.id(), pointer, &value);
    return status == TP_OK ? std::to_string(value) : "status " + std::to_string(status);
  };
  if (wanted.as == "integer") return read(args.integer, std::int64_t{});
  if (wanted.as == "number") return read(args.number, double{});
  if (wanted.as == "truth") return read(args.truth, std::int32_t{});
  if (wanted.as == "count") return read(args.count, std::uint64_t{});
  tp_str text;
  const tp_status status = args.text(call.id(), pointer, &text);
  return status == TP_OK ? std::string(toolpost::detail::view(text))
                         : "status " + std::to_string(status);
}

const tp_args_api& table(const Context& call) {
  return *call.host().extension<tp_args_api>(TP_EXT_ARGS);
}

std::string read_argument(const Wanted& wanted, Context& call) {
  return told(table(call), wanted, call);
}

// Read after call() has returned: what was read before it is still there, or nothing is.
void read_later(Instance& instance, const Wanted& wanted, toolpost::Pending pending) {
  const bool before = wanted.as != "too late";
  if (before) told(table(pending.context()), wanted, pending.context());
  auto shared = std::make_shared<toolpost::Pending>(std::move(pending));
  const std::lock_guard lock(instance.timers_mutex);
  instance.timers.push_back(
      shared->context().host().after(std::chrono::milliseconds(1), [shared, wanted] {
        shared->finish(told(table(shared->context()), wanted, shared->context()));
      }));
}

// Each way to give a field its initial value.
struct Window {
  std::string city;
  int skip = 0;
  int most = 3;
  std::string unit = "";
  bool exact = false;
  TOOLPOST_FIELDS(Window, TOOLPOST_FIELD(city, "Where"),
                  TOOLPOST_FIELD(skip, "Days to skip", toolpost::defaulted),
                  TOOLPOST_FIELD(most, "Days to show"),
                  TOOLPOST_FIELD(unit, "Of the values", toolpost::defaulted),
                  TOOLPOST_FIELD(exact, "Whether not rounded"))
};

std::string show_window(const Window& window) {
  return window.city + "/" + std::to_string(window.skip) + "/" + std::to_string(window.most) + "/" +
         window.unit + "/" + (window.exact ? "exact" : "rounded");
}

}  // namespace

Services with_args(Services plugin) {
  return std::move(plugin)
      .tool("argument", "Reads one argument", read_argument, {.read_only = true})
      .tool("window", "Shows its arguments", show_window, {.read_only = true})
      .tool("argument_later", "Reads one after its function returned", read_later,
            {.read_only = true});
}
