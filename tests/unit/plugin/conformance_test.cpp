// What plugins offer beside tools, what they ask and what they announce, by the fixtures of the
// conformance suite, in both isolations.
#include <signal.h>

#include "support/places.h"
#include "unit/plugin/plugin_fixture.h"

namespace host::plugin {
namespace {

class Fixtures : public PluginTest {
 protected:
  Fixtures() {
    settings("conformance").isolation = GetParam();
    install_file(places::build() / "tests/plugins/conformance.so", "conformance");
    catalog_.on_resource_updated(
        [this](const std::string& uri, const auto&) { updated_.push_back(uri); });
  }

  std::shared_ptr<tool::Provider> provider() {
    return catalog_.snapshot()->find("test_simple_text")->provider;
  }
  bool has_tool(const std::string& name) { return catalog_.snapshot()->find(name) != nullptr; }
  bool has_prompt(const std::string& name) {
    for (const tool::Prompt& prompt : provider()->offer().prompts) {
      if (prompt.name == name) return true;
    }
    return false;
  }

  Answer ask(tool::Function function, const std::string& arguments) {
    return finish(begin_on(provider(), nullptr, function, arguments));
  }
  std::string structured(tool::Function function, const std::string& arguments) {
    const Answer answer = ask(function, arguments);
    return answer ? answer->structured : "error: " + answer.error().message;
  }
  ErrorKind fault(tool::Function function, const std::string& arguments) {
    const Answer answer = ask(function, arguments);
    return answer ? ErrorKind::Internal : answer.error().kind;
  }

  // The next calls come from a client that can be asked everything, and has answered so.
  void answered(tool::Answers answers, std::string state = {}) {
    prepare_ = [answers = std::move(answers), state = std::move(state)](tool::Invocation& call) {
      call.abilities = {true, true, true, true, true};
      call.continuation = {state, answers};
    };
  }
  tool::Round round_of(const std::string& tool) {
    const Answer answer = call(tool);
    if (!answer || !answer->round) return {};
    return *answer->round;
  }

  std::vector<std::string> updated_;
};
INSTANTIATE_TEST_SUITE_P(Both, Fixtures,
                         ::testing::Values(config::Isolation::Worker, config::Isolation::Inline),
                         isolation_name);

using tool::Function;

TEST_P(Fixtures, OfferWhatTheyHave) {
  start();
  const tool::Offer& offer = provider()->offer();
  ASSERT_EQ(offer.resources.size(), 3u);
  EXPECT_EQ(offer.resources[1].uri, "test://static-text");
  EXPECT_EQ(offer.resources[1].mime_type, "text/plain");
  ASSERT_EQ(offer.templates.size(), 1u);
  EXPECT_EQ(offer.templates[0].uri, "test://template/{id}/data");
  EXPECT_TRUE(offer.completes);
  ASSERT_EQ(offer.prompts.size(), 6u);
  const tool::Prompt& two = offer.prompts[3];
  EXPECT_EQ(two.name, "test_prompt_with_arguments");
  ASSERT_EQ(two.arguments.size(), 2u);
  EXPECT_EQ(two.arguments[0], (tool::PromptArgument{"arg1", "", "First test argument", true}));
}

TEST_P(Fixtures, AreReadByTheirUri) {
  start();
  EXPECT_EQ(structured(Function::ReadResource, "test://static-text"),
            R"({"contents":[{"uri":"test://static-text","mimeType":"text/plain",)"
            R"("text":"This is the content of the static text resource."}]})");
  EXPECT_EQ(structured(Function::ReadResource, "test://template/1%202/data"),
            R"({"contents":[{"uri":"test://template/1%202/data","mimeType":"application/json",)"
            R"("text":"{\"id\":\"1 2\",\"templateTest\":true,\"data\":\"Data for ID: 1 2\"}"}]})");
  const std::string image = structured(Function::ReadResource, "test://static-binary");
  EXPECT_TRUE(image.starts_with(R"({"contents":[{"uri":"test://static-binary",)"
                                R"("mimeType":"image/png","blob":"iVBORw0KGgo)"))
      << image;
  EXPECT_EQ(fault(Function::ReadResource, "test://nothing"), ErrorKind::NotFound);
  EXPECT_EQ(fault(Function::ReadResource, "test://template/a/b/data"), ErrorKind::NotFound);
  EXPECT_EQ(fault(Function::ReadResource, "test://template/..%2Fa/data"), ErrorKind::NotFound);
  EXPECT_EQ(fault(Function::ReadResource, "test://template/a%00b/data"), ErrorKind::NotFound);
}

TEST_P(Fixtures, BecomePrompts) {
  start();
  EXPECT_EQ(structured(Function::GetPrompt, R"({"name":"test_prompt_with_arguments",)"
                                            R"("arguments":{"arg1":"hello","arg2":"world"}})"),
            R"({"messages":[{"role":"user","content":{"type":"text",)"
            R"("text":"Prompt with arguments: arg1='hello', arg2='world'"}}]})");
  EXPECT_EQ(structured(Function::GetPrompt,
                       R"({"name":"test_prompt_with_arguments","arguments":{"arg1":"hello"}})"),
            "error: argument /arg2 is missing");
  EXPECT_EQ(fault(Function::GetPrompt,
                  R"({"name":"test_prompt_with_arguments","arguments":{"arg1":"hello"}})"),
            ErrorKind::InvalidArgument);
  EXPECT_EQ(fault(Function::GetPrompt, R"({"name":"nothing"})"), ErrorKind::NotFound);
  EXPECT_EQ(structured(Function::GetPrompt, R"({"name":"test_prompt_with_embedded_resource",)"
                                            R"("arguments":{"resourceUri":"test://x"}})"),
            R"({"messages":[{"role":"user","content":{"type":"resource","resource":{)"
            R"("uri":"test://x","mimeType":"text/plain",)"
            R"("text":"Embedded resource content for testing."}}},{"role":"user","content":)"
            R"({"type":"text","text":"Please process the embedded resource above."}}]})");
}

TEST_P(Fixtures, CompleteWhatIsTyped) {
  start();
  const std::string before = R"({"ref":{"type":"ref/prompt","name":"test_prompt_with_arguments"},)";
  EXPECT_EQ(structured(Function::Complete, before + R"("argument":{"name":"arg1","value":"te"}})"),
            R"({"values":["test1","test2"],"hasMore":false})");
  EXPECT_EQ(structured(Function::Complete, before + R"("argument":{"name":"arg2","value":""}})"),
            R"({"values":[],"hasMore":false})");
}

TEST_P(Fixtures, AskAndRunAgainWithTheAnswer) {
  start();
  answered({});
  const tool::Round round = round_of("test_input_required_result_elicitation");
  ASSERT_EQ(round.questions.size(), 1u);
  EXPECT_EQ(round.questions[0].key, "user_name");
  EXPECT_EQ(round.questions[0].method, "elicitation/create");
  EXPECT_EQ(round.questions[0].params,
            R"({"mode":"form","message":"What is your name?","requestedSchema":{"type":"object",)"
            R"("properties":{"name":{"type":"string"}},"required":["name"]}})");
  answered({{"user_name", R"({"action":"accept","content":{"name":"Ada"}})"}});
  EXPECT_EQ(text("test_input_required_result_elicitation"), "Hello, Ada!");
  answered({{"user_name", R"({"action":"decline"})"}});
  EXPECT_EQ(text("test_input_required_result_elicitation"), "Hello, stranger!");
}

TEST_P(Fixtures, AskSeveralAtOnceAndKeepAState) {
  start();
  answered({});
  const tool::Round round = round_of("test_input_required_result_multiple_inputs");
  ASSERT_EQ(round.questions.size(), 3u);
  EXPECT_EQ(
      round.questions[1].params,
      R"({"messages":[{"role":"user","content":{"type":"text","text":"Generate a greeting"}}],)"
      R"("maxTokens":50})");
  EXPECT_EQ(round.questions[2].method, "roots/list");
  EXPECT_EQ(round.state, "three questions");
  answered({{"user_name", R"({"action":"accept","content":{"name":"Ada"}})"},
            {"greeting", R"({"role":"assistant","content":{"type":"text","text":"Good day"},)"
                         R"("model":"m"})"},
            {"client_roots", R"({"roots":[{"uri":"file:///a"},{"uri":"file:///b"}]})"}},
           "three questions");
  EXPECT_EQ(text("test_input_required_result_multiple_inputs"), "Good day Ada, with 2 roots");

  const std::string confirmed = R"({"action":"accept","content":{"ok":true}})";
  answered({{"confirm", confirmed}}, "asked once");
  EXPECT_TRUE(text("test_input_required_result_request_state").starts_with("state-ok"));
  answered({{"confirm", confirmed}}, std::string("\0binary", 7));
  EXPECT_EQ(text("test_input_required_result_request_state"),
            "the state of the round before is lost");
}

TEST_P(Fixtures, AskAlsoForAPrompt) {
  start();
  answered({});
  const std::string which = R"({"name":"test_input_required_result_prompt"})";
  const Answer asked = ask(Function::GetPrompt, which);
  ASSERT_TRUE(asked && asked->round);
  EXPECT_EQ(asked->round->questions.at(0).key, "user_context");
  answered({{"user_context", R"({"action":"accept","content":{"context":"snow"}})"}});
  EXPECT_NE(structured(Function::GetPrompt, which).find("Use this context: snow"),
            std::string::npos);
}

TEST_P(Fixtures, SayWhatTheClientLacks) {
  start();
  const Answer model = call("test_missing_capability");
  ASSERT_TRUE(model);
  EXPECT_EQ(model->lacking, R"({"sampling":{}})");
  EXPECT_EQ(call("test_input_required_result_list_roots")->lacking, R"({"roots":{}})");
  EXPECT_EQ(call("test_elicitation", R"({"message":"?"})")->lacking, R"({"elicitation":{}})");
  EXPECT_EQ(text("test_input_required_result_capabilities"), "Nothing can be asked");
}

TEST_P(Fixtures, ShowAFormItsDefaults) {
  start();
  answered({});
  const tool::Round round = round_of("test_elicitation_sep1034_defaults");
  ASSERT_EQ(round.questions.size(), 1u);
  for (const char* part :
       {R"("name":{"type":"string","description":"User name","default":"John Doe"})",
        R"("default":30)", R"("default":95.5)",
        R"("enum":["active","inactive","pending"],"description":"User status","default":"active")",
        R"("default":true)"}) {
    EXPECT_NE(round.questions[0].params.find(part), std::string::npos) << part;
  }
}

TEST_P(Fixtures, AnnounceWhatChanges) {
  start();
  EXPECT_TRUE(has_tool("test_changing_tool"));
  text("test_trigger_tool_change");
  EXPECT_TRUE(run_until([&] { return !has_tool("test_changing_tool"); }));
  text("test_trigger_tool_change");
  EXPECT_TRUE(run_until([&] { return has_tool("test_changing_tool"); }));

  EXPECT_TRUE(has_prompt("test_changing_prompt"));
  text("test_trigger_prompt_change");
  EXPECT_TRUE(run_until([&] { return !has_prompt("test_changing_prompt"); }));
  text("test_touch_watched_resource");
  EXPECT_TRUE(run_until([&] { return !updated_.empty(); }));
  EXPECT_EQ(updated_.front(), "test://watched-resource");
  EXPECT_TRUE(has_tool("test_changing_tool"));
}

TEST_P(Fixtures, AFloodOfAnnouncementsFoldsIntoFew) {
  start();
  std::vector<Running> touches;
  for (int i = 0; i < 500; ++i) touches.push_back(begin("test_touch_watched_resource"));
  for (const Running& touch : touches) EXPECT_TRUE(finish(touch));
  run_for(250ms);
  EXPECT_GE(updated_.size(), 2u);  // the first, and what came after it
  EXPECT_LE(updated_.size(), 50u);
}

class WorkerFixtures : public Fixtures {};
INSTANTIATE_TEST_SUITE_P(InAWorker, WorkerFixtures, ::testing::Values(config::Isolation::Worker));

TEST_P(WorkerFixtures, ANewWorkerBeginsWithAllThatItOffers) {
  start();
  text("test_trigger_tool_change");
  text("test_trigger_prompt_change");
  ASSERT_TRUE(run_until(
      [&] { return !has_tool("test_changing_tool") && !has_prompt("test_changing_prompt"); }));
  ::kill(status("conformance").pid, SIGKILL);
  ASSERT_TRUE(run_until([&] { return status("conformance").pid == 0; }));
  EXPECT_EQ(text("test_simple_text"), "This is a simple text response for testing.");
  EXPECT_TRUE(run_until(
      [&] { return has_tool("test_changing_tool") && has_prompt("test_changing_prompt"); }));
}

}  // namespace
}  // namespace host::plugin
