#include "support/fake_tools.h"

#include <stdexcept>

#include "mcp/peer/one_shot.h"

namespace host::test {

void FakeTools::add(tool::Declaration declared, Act act) {
  const std::string name = declared.name;
  tools_[name] = make_tool(std::move(declared));
  acts_[name] = std::move(act);
}

FakeTools::Listing FakeTools::list(const tool::Peer&) const {
  Listing listing;
  for (const auto& [name, tool] : tools_) listing.tools.push_back(tool.get());
  return listing;
}

tool::Route FakeTools::find(const tool::Peer&, const std::string& name) const {
  const auto at = tools_.find(name);
  return {at == tools_.end() ? nullptr : at->second, nullptr, nullptr};
}

boost::asio::awaitable<FakeTools::Answer> FakeTools::call(tool::Call& call) {
  calls.push_back(call.name + " " + json::write(call.arguments.root()));
  principals.push_back(call.passport->who.principal);
  const auto act = acts_.find(call.name);
  if (!tools_.contains(call.name) || act == acts_.end()) {
    co_return Error{ErrorKind::NotFound, "unknown tool: " + call.name};
  }
  if (before_cleared) before_cleared(call);
  if (call.on_cleared) {
    HOST_CO_TRY(call.on_cleared());
  }
  Answer answer = co_await act->second(call);
  co_return answer;
}

std::string text_argument(const tool::Call& call, std::string_view name) {
  return std::string(json::find_text(call.arguments.root(), name));
}

void add_common(FakeTools& tools) {
  using Answer = FakeTools::Answer;
  using boost::asio::awaitable;

  auto echo = declaration("echo");
  echo.title = "Echo";
  echo.icons = R"([{"src":"https://icons.example/echo.png"}])";
  echo.input_schema =
      R"({"type":"object","properties":{"text":{"type":"string"}},"required":["text"]})";
  echo.read_only = true;
  tools.add(std::move(echo), [](tool::Call& call) -> awaitable<Answer> {
    co_return tool::CallResult::text(text_argument(call, "text"));
  });
  tools.add(declaration("fail"), [](tool::Call& call) -> awaitable<Answer> {
    const std::string kind = text_argument(call, "kind");
    if (kind == "throw") throw std::runtime_error("it threw");
    if (kind == "result") co_return tool::CallResult::error("it failed");
    for (const ErrorKind each :
         {ErrorKind::NotFound, ErrorKind::DeadlineExceeded, ErrorKind::Unavailable,
          ErrorKind::Denied, ErrorKind::PluginFault, ErrorKind::Cancelled, ErrorKind::Io}) {
      if (kind == to_string(each)) co_return Error{each, "because of " + kind};
    }
    co_return Error{ErrorKind::Internal, "a secret of the host"};
  });
  tools.add(declaration("steps"), [](tool::Call& call) -> awaitable<Answer> {
    for (const double done : {0.0, 50.0, 50.0, 40.0, 100.0}) {
      if (call.observer) call.observer->progress(done, 100, "step");
    }
    co_return tool::CallResult::text("stepped");
  });
  tools.add(declaration("blocks"), [](tool::Call&) -> awaitable<Answer> {
    tool::CallResult result = tool::CallResult::text("first");
    result.add_block(R"({"type":"resource_link","uri":"file:///a.txt","name":"a"})");
    result.add_block(R"({"type":"audio","data":"AAAA","mimeType":"audio/wav"})");
    co_return result;
  });
  auto object = declaration("object");
  object.output_schema = R"({"type":"object","properties":{"sum":{"type":"number"}}})";
  tools.add(std::move(object), [](tool::Call&) -> awaitable<Answer> {
    tool::CallResult result;
    result.structured = R"({"sum":3})";
    co_return result;
  });
  auto number = declaration("number");
  number.output_schema = R"({"type":"number"})";
  tools.add(std::move(number), [](tool::Call&) -> awaitable<Answer> {
    tool::CallResult result;
    result.structured = "42";
    co_return result;
  });
  tools.add(declaration("ask"), [](tool::Call& call) -> awaitable<Answer> {
    if (!call.asker || !call.asker->abilities().forms) {
      co_return tool::CallResult::error("nobody to ask");
    }
    tool::Round round;
    round.questions.push_back(
        {"who", "elicitation/create",
         R"({"mode":"form","message":"Your name?","requestedSchema":{"type":"object",)"
         R"("properties":{"name":{"type":"string"}}}})"});
    Result<std::optional<tool::Answers>> answers = co_await call.asker->ask(call, round);
    if (!answers) co_return std::move(answers).error();
    tool::CallResult result;
    if (!*answers) {
      result.round = round;
      co_return result;
    }
    const auto answer = json::parse((*answers)->at("who"));
    const json::Value* const content = json::find(answer->root(), "content");
    if (json::find_text(answer->root(), "action") == "accept") {
      result.add_text("hello " + (content ? json::write(*content) : "{}"));
    } else {
      result = tool::CallResult::error("no name given");
    }
    co_return result;
  });
  tools.add(declaration("slow"), [](tool::Call& call) -> awaitable<Answer> {
    const auto executor = co_await boost::asio::this_coro::executor;
    mcp::OneShot done(executor);
    const auto registration = call.cancel->on_cancel([&done] { done.set(); });
    co_await done.wait();
    co_return Error{ErrorKind::Cancelled, "cancelled"};
  });
  auto region = declaration("region");
  region.input_schema =
      R"({"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},)"
      R"("deep":{"type":"object","properties":{"count":{"type":"integer","x-mcp-header":"Count"},)"
      R"("flag":{"type":"boolean","x-mcp-header":"Flag"}}}}})";
  tools.add(std::move(region), [](tool::Call& call) -> awaitable<Answer> {
    co_return tool::CallResult::text("in " + text_argument(call, "region"));
  });
  auto save = declaration("save_csv");
  save.description = "Save parsed invoice data as a CSV file to the shared drive";
  tools.add(std::move(save), [](tool::Call& call) -> awaitable<Answer> {
    const json::Value* const rows = json::find(call.arguments.root(), "rows");
    co_return tool::CallResult::text("CSV saved to /shared/invoices/" +
                                     text_argument(call, "filename") + ".csv (" +
                                     std::to_string(rows ? rows->Size() : 0) + " rows)");
  });
}

}  // namespace host::test
