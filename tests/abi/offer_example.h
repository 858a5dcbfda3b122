// A plugin that offers, asks and announces by toolpost.hpp, for the tests to call through the C
// ABI.
#pragma once

#include "toolpost/toolpost.hpp"

namespace offering {

enum class Size { small, large };
TOOLPOST_ENUM(Size, TOOLPOST_VALUE(small), TOOLPOST_VALUE(large))

struct Order {
  std::string name;
  Size size = Size::large;
  TOOLPOST_FIELDS(Order, TOOLPOST_FIELD(name, "For whom"), TOOLPOST_FIELD(size))
};

struct Note {
  std::string folder;
  std::string name;
  TOOLPOST_FIELDS(Note, TOOLPOST_FIELD(folder), TOOLPOST_FIELD(name))
};

struct Topic {
  std::string topic;
  std::optional<std::string> tone;
  std::string language = "English";
  TOOLPOST_FIELDS(Topic, TOOLPOST_FIELD(topic, "What about"), TOOLPOST_FIELD(tone),
                  TOOLPOST_FIELD(language))
};

class Shop {
 public:
  explicit Shop(toolpost::Host host) : host_(host) {}

  std::string order(toolpost::Context& call) {
    ++runs_;
    const auto order = call.elicit<Order>("order", "What may it be?");
    if (!order) return "no order";
    return order->name + (order->size == Size::large ? ", large" : ", small");
  }
  std::string close() {
    host_.announce().offer_tool("order", false);
    host_.announce().prompts_changed();
    host_.announce().resources_changed();
    host_.announce().resource_updated("shop://sign");
    closed_ = true;
    return host_.announce().offer_tool("nothing", true) ? "?" : "closed";
  }
  bool is_closed() const { return closed_; }
  int runs() const { return runs_; }

 private:
  toolpost::Host host_;
  bool closed_ = false;
  int runs_ = 0;
};

inline std::string ask_all(toolpost::Context& call) {
  toolpost::Round round(call);
  const auto said = round.sample("model", {.prompt = "Hi", .max_tokens = 9, .temperature = 0.5});
  const auto roots = round.roots("roots");
  call.keep("kept");
  round.wait();
  return said->text + " by " + said->model + ", " + roots->at(0).name.value_or("?") + ", " +
         std::string(call.state());
}

inline toolpost::Contents note(const Note& which) {
  if (which.name == "none") throw toolpost::Error("no note of this name");
  return toolpost::Contents().text(which.folder + "+" + which.name).blob("\x01", "image/png");
}

inline toolpost::Messages write_about(const Topic& about) {
  return toolpost::Messages()
      .description("Writes")
      .text(toolpost::Role::user, about.topic + " in " + about.language)
      .image(toolpost::Role::assistant, "image/png", "png");
}

inline std::vector<std::string> many(const toolpost::Typed& typed) {
  const auto folder = typed.others.find("folder");
  const std::string before = folder == typed.others.end() ? "" : folder->second + "-";
  return std::vector<std::string>(120, before + typed.value);
}

inline auto make() {
  return toolpost::Plugin<Shop>(
             {.id = "org.example.shop", .name = "Shop", .version = "1", .concurrent = true})
      .tool("order", "Take an order", &Shop::order)
      .tool("close", "Close", &Shop::close)
      .tool("ask_all", "Ask", ask_all)
      .tool("runs", "How often order ran", &Shop::runs)
      .resource("shop://sign", "sign", "The sign", "text/plain", [] { return "open"; },
                {.title = "Sign", .size = 4, .annotations = {R"({"priority":1})"}})
      .resource("shop://closed", "closed", "Only when it is closed", "text/plain",
                [] { return "sorry"; })
      .listed_if(&Shop::is_closed)
      .resource_template("notes://{folder}/{+name}.txt", "note", "A note", "text/plain", note)
      .completion("name", many)
      .prompt("write", "Write about something", write_about, {.title = "Write"})
      .prompt("plain", "A plain one", [] { return "just \"this\""; });
}

}  // namespace offering

TOOLPOST_PLUGIN(offering::make())
