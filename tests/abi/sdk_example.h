// A plugin that uses every part of toolpost.hpp, for the tests to call through the C ABI.
#pragma once

#include <map>
#include <stdexcept>
#include <thread>

#include "toolpost/toolpost.hpp"

namespace sample {

enum class Unit { celsius, fahrenheit };
TOOLPOST_ENUM(Unit, TOOLPOST_VALUE(celsius), TOOLPOST_VALUE(fahrenheit))

struct Place {
  std::string city;
  std::optional<std::string> country;
  TOOLPOST_FIELDS(Place, TOOLPOST_FIELD(city, "City \"name\"", toolpost::min_length(1)),
                  TOOLPOST_FIELD(country))
};

struct Everything {
  Place place;
  std::vector<Place> more;
  int days = 3;
  std::uint8_t small = 0;
  double factor = 0.5;
  bool verbose;
  Unit unit = Unit::fahrenheit;
  std::map<std::string, int> counts;
  toolpost::Json any;
  TOOLPOST_FIELDS(Everything, TOOLPOST_FIELD(place),
                  TOOLPOST_FIELD(more, "Others", toolpost::max_items(2)),
                  TOOLPOST_FIELD(days, "How many", toolpost::minimum(1), toolpost::maximum(14)),
                  TOOLPOST_FIELD(small, "", toolpost::defaulted), TOOLPOST_FIELD(factor),
                  TOOLPOST_FIELD(verbose), TOOLPOST_FIELD(unit), TOOLPOST_FIELD(counts),
                  TOOLPOST_FIELD(any))
};

struct Text {
  std::string text;
  TOOLPOST_FIELDS(Text, TOOLPOST_FIELD(text))
};

// Not described: to_result() says what it is.
struct Opaque {};
inline std::string to_result(const Opaque&) {
  return "made by to_result";
}

class Sample {
 public:
  struct Settings {
    std::string greeting = "hi";
    TOOLPOST_FIELDS(Settings, TOOLPOST_FIELD(greeting))
  };

  Sample(Settings settings, toolpost::Host host) : settings_(std::move(settings)), host_(host) {}

  void activate() { host_.log(toolpost::LogLevel::Info, "activated"); }
  void on_cancel(tp_call*) { host_.log(toolpost::LogLevel::Info, "cancel"); }
  void quiesce(std::chrono::milliseconds) {
    if (thread_.joinable()) thread_.join();
  }
  void selftest() {
    if (settings_.greeting.empty()) throw std::runtime_error("no greeting");
  }

  std::string greet(const Text& args, toolpost::Context& call) const {
    call.progress(1, 2, "half");
    call.partial("soon");
    return settings_.greeting + " " + args.text;
  }
  void later(const Text& args, toolpost::Pending pending) {
    if (args.text == "drop") return;
    if (args.text == "throw") throw std::runtime_error("before it kept the call");
    thread_ = std::thread(
        [text = args.text, pending = std::move(pending)]() mutable { pending.finish(text); });
  }

 private:
  Settings settings_;
  toolpost::Host host_;
  std::thread thread_;
};

inline Everything everything(Everything args) {
  return args;
}

inline std::string fails(const Text& how) {
  if (how.text == "error") throw toolpost::Error("try a smaller one", 5);
  if (how.text == "cancelled") throw toolpost::Cancelled();
  if (how.text == "exception") throw std::runtime_error("disk is full");
  if (how.text == "memory") throw std::bad_alloc();
  if (how.text == "int") throw 7;
  return "no failure";
}

inline toolpost::Content blocks() {
  toolpost::Content content;
  content.text("a").blob("image/png", "\x89PNG").structured(Text{"s"});
  content.link({R"({"uri":"file:///x","name":"x"})"}).block({R"({"type":"text","text":"raw"})"});
  return content;
}

inline toolpost::Permission may_run(const Text& args, const toolpost::Check& check) {
  if (check.mode == "explore") return {toolpost::Behavior::deny, "not while exploring", {}, false};
  return {toolpost::Behavior::ask, "run " + args.text + "?", "it writes", true};
}

inline auto make() {
  using toolpost::Check;
  return toolpost::Plugin<Sample>({.id = "org.example.sample",
                                   .name = "Sample",
                                   .version = "1.2.3",
                                   .vendor = "Example",
                                   .concurrent = true,
                                   .pin = true,
                                   .permissions = {"fs:ro:/data"},
                                   .optional_extensions = {"tp.context/1"}})
      .tool("greet", "Greet", &Sample::greet,
            {.title = "Greeting", .read_only = true, .strict = false})
      .tool("later", "Answer later", &Sample::later)
      .tool("everything", "All field types", everything)
      .tool("fails", "Fail in a way", fails)
      .tool("blocks", "All kinds of content", blocks)
      .tool("opaque", "A foreign type", [] { return Opaque{}; })
      .tool("nothing", "No result", [](toolpost::Context& call) { call.check(); })
      .tool("count", "A number", [](Sample&, const Text& args) { return args.text.size(); })
      .tool("write", "Write", [](const Text& args) { return args.text; },
            {.serial = true,
             .exclusive = "disk",
             .max_inflight = 2,
             .idempotent = true,
             .not_destructive = true,
             .closed_world = true,
             .strict = true,
             .timeout = std::chrono::seconds(5),
             .group = "files",
             .presets = {R"({"root":"/data"})"},
             .dangerous_paths = {".secret"},
             .path_args = {"/text", "/other"},
             .command_arg = "/text"})
      .check_permissions(may_run)
      .match_rule(
          [](const Text& args, const Check& check) { return check.rule_content == args.text; })
      .generate_suggestions([](const Text& args) {
        return std::vector<toolpost::Suggestion>{{args.text}, {std::nullopt}};
      })
      .check_read_only([](const Text& args) { return args.text == "look"; })
      .external_tool<Text>("outside", "Run by the agent's side");
}

}  // namespace sample

TOOLPOST_PLUGIN(sample::make())
