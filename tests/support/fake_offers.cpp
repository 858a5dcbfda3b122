#include "support/fake_offers.h"

#include "executor/executor.h"
#include "executor/scheduler.h"
#include "json/json.h"
#include "router/dispatch/offer_dispatcher.h"
#include "store/audit/audit.h"

namespace host::test {
namespace {

tool::CallResult ask(const tool::Invocation& invocation) {
  tool::CallResult result;
  if (!invocation.abilities.forms) {
    result.lacking = R"({"elicitation":{}})";
    return result;
  }
  result.round.emplace();
  result.round->questions.push_back(
      {"who", "elicitation/create",
       R"({"mode":"form","message":"Who?","requestedSchema":{"type":"object",)"
       R"("properties":{"name":{"type":"string"}}}})"});
  return result;
}

Result<tool::CallResult> answer(const tool::Invocation& invocation) {
  if (invocation.function == tool::Function::Complete) {
    return structured(R"({"values":["Ada","Alan"],"total":2})");
  }
  const bool read = invocation.function == tool::Function::ReadResource;
  const std::string& name = invocation.name;
  if (name == "note:day/none") return Error{ErrorKind::NotFound, "that day has no note"};
  std::string text = name;
  if (name == "ask" || name == "note:ask") {
    const auto told = invocation.continuation.answers.find("who");
    if (told == invocation.continuation.answers.end()) return ask(invocation);
    text = told->second;
  } else if (!read) {
    const auto arguments = json::parse(invocation.arguments);
    const json::Value& given = *json::find(arguments->root(), "arguments");
    text = "Hello " + std::string(json::find_text(given, "name"));
  }
  if (invocation.on_log) invocation.on_log(1, "notes", "looked at " + name, "");
  std::string quoted;
  json::write_string(text, quoted);
  if (read) {
    return structured(R"({"contents":[{"uri":")" + name + R"(","mimeType":"text/plain","text":)" +
                      quoted + "}]}");
  }
  return structured(R"({"description":"A greeting.","messages":[{"role":"user","content":)"
                    R"({"type":"text","text":)" +
                    quoted + "}}]}");
}

std::shared_ptr<FakeProvider> common_offers() {
  auto provider = std::make_shared<FakeProvider>();
  tool::Resource resource;
  resource.name = "a note";
  resource.title = "Note";
  resource.description = "What was noted.";
  resource.mime_type = "text/plain";
  resource.size = 3;
  resource.icons = R"([{"src":"https://icons.example/note.png"}])";
  resource.annotations = R"({"audience":["user"],"priority":0.5})";
  for (const auto* uri : {"note:2", "note:1", "note:ask"}) {
    resource.uri = uri;
    provider->offered.resources.push_back(resource);
  }
  resource.uri = "note:day/{day}";
  resource.name = "a day's note";
  resource.size.reset();
  provider->offered.templates = {resource};
  tool::Prompt prompt;
  prompt.name = "greet";
  prompt.title = "Greet";
  prompt.description = "Greets somebody.";
  prompt.arguments = {{"name", "Name", "Who is greeted.", true}, {"tone", "", "", false}};
  prompt.icons = R"([{"src":"https://icons.example/greet.png"}])";
  tool::Prompt asking;
  asking.name = "ask";
  asking.description = "Asks for a name.";
  provider->offered.prompts = {prompt, asking};
  provider->offered.completes = true;
  provider->act_on_offer = [](const auto& invocation) { invocation->finish(answer(*invocation)); };
  return provider;
}

}  // namespace

tool::CallResult structured(std::string text) {
  tool::CallResult result;
  result.structured = std::move(text);
  return result;
}

struct FakeOffers::Road {
  Road(RunLoop& loop, tool::Catalog& catalog)
      : scheduler(loop.io.get_executor(), {}),
        executor(loop.io.get_executor()),
        audit(*store::Audit::open("", system_clock())),
        profiles(catalog, config::Config{}),
        views(catalog, profiles),
        dispatcher({views, scheduler, executor, audit, system_clock(), 1u << 20u, metrics, live}) {}

  executor::Scheduler scheduler;
  executor::Executor executor;
  store::Audit audit;
  metrics::Registry counted;
  router::CallMetrics metrics{counted};
  const router::Profiles profiles;
  router::Views views;
  router::LiveCalls live;
  router::OfferDispatcher dispatcher;
};

FakeOffers::FakeOffers(RunLoop& loop)
    : provider(common_offers()), road_(std::make_unique<Road>(loop, catalog)) {
  publish();
}

FakeOffers::~FakeOffers() = default;

std::shared_ptr<const tool::Offers> FakeOffers::list(const tool::Peer&) const {
  return {catalog.snapshot(), &catalog.snapshot()->offers()};
}

boost::asio::awaitable<Result<tool::CallResult>> FakeOffers::call(tool::Call& call) {
  return road_->dispatcher.call(call);
}

}  // namespace host::test
