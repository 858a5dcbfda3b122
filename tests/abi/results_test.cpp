// What a tool may return, how errors tell where they are, what a call knows of its caller, and
// tools as classes.
#include <gtest/gtest.h>

#include <functional>

#include "abi/linked.h"

namespace {

using toolpost::testing::Call;
using toolpost::testing::Plugin;

struct Row {
  std::string name;
  int amount = 0;
  TOOLPOST_FIELDS(Row, TOOLPOST_FIELD(name), TOOLPOST_FIELD(amount, "", toolpost::defaulted))
};

enum class Mood { calm, wild };
TOOLPOST_ENUM(Mood, TOOLPOST_VALUE(calm), TOOLPOST_VALUE(wild))

toolpost::Content everything() {
  toolpost::Content content;
  content.text("for people").annotate({{{toolpost::Role::user}}, 0.5, "2025-01-12T15:00:58Z"});
  content.image("image/png", "PNG").audio("audio/wav", "RIFF");
  content.link("file:///x", "x", {.title = "X", .mime = "text/plain", .size = 3});
  content.link("file:///y", "y").annotate({.priority = 1});
  content.resource("mem:a", "text/plain", "A \"quoted\"");
  content.resource_blob("mem:b", "application/zip", "PK");
  return content;
}

std::string whose(toolpost::Context& call) {
  const auto row = call.entry<Row>("row");
  std::string out(call.principal());
  out.append("/").append(call.agent()).append("/").append(call.session());
  return out + "/" + (row ? row->name : "none");
}

std::string pay(const Row& row) {
  if (row.amount > 10) throw toolpost::ArgumentError("/amount", "is more than the account holds");
  return "paid";
}

struct Purse {
  int left = 100;
  Row row() const { return {"purse", left}; }
};
struct Spend : toolpost::Tool<Row, Purse> {
  int call(Purse& purse, const Row& row) const { return purse.left -= row.amount; }
  toolpost::Permission check_permissions(Purse& purse, const Row& row,
                                         const toolpost::Check&) const override {
    if (row.amount > purse.left) return {toolpost::Behavior::deny, "too much", {}, false};
    return Tool::check_permissions(purse, row, {});
  }
  bool match_rule(Purse&, const Row& row, const toolpost::Check& check) const override {
    return check.rule_content == row.name;
  }
};

// Converters of single tools: the type Row keeps its own result in all other tools.
std::string as_line(const Row& row) {
  return row.name + ":" + std::to_string(row.amount);
}
toolpost::Task<Row> row_later(const Row& row) {
  if (row.amount < 0) throw toolpost::Error("owes");
  co_return row;
}

class Results : public testing::Test {
 protected:
  Plugin plugin{linked::table(+[] {
    return toolpost::Plugin<Purse>(linked::about())
        .tool("list", "List",
              [] {
                return std::vector<Row>{{"a", 1}};
              })
        .tool("map", "Map",
              [] {
                return std::map<std::string, int>{{"a", 1}};
              })
        .tool("either", "Either",
              [](const Row& row) {
                std::variant<Row, std::map<std::string, int>> out = row;
                if (row.amount == 0) out = std::map<std::string, int>{{"zero", 0}};
                return out;
              })
        .tool("number", "Number", [] { return 1.5; })
        .tool("mood", "Mood", [] { return Mood::wild; })
        .tool("maybe", "Maybe", [] { return std::optional<int>(); })
        .tool("raw", "Raw", [] { return toolpost::Json{"[1]"}; })
        .tool("everything", "Everything", everything)
        .tool("whose", "Whose", whose)
        .tool("pay", "Pay", pay)
        .tool("row", "Row", [](const Row& row) { return row; })
        .tool("line", "Line", toolpost::converted([](const Row& row) { return row; }, as_line),
              {.read_only = true})
        .tool("line later", "Line later", toolpost::converted(row_later, as_line))
        .tool("length", "Length",
              toolpost::converted(
                  toolpost::converted([](const Row& row) { return row; }, as_line),
                  [](const std::string& line) { return static_cast<int>(line.size()); }))
        .tool("view", "View",
              toolpost::converted(toolpost::converted([](const Row& row) { return row; }, as_line),
                                  [](const std::string& line) -> std::string_view { return line; }))
        .tool("left", "Left",
              toolpost::converted(&Purse::row, [](const Row& row) { return row.amount; }))
        .tool("strict", "Strict",
              toolpost::converted([](const Row& row) { return row; },
                                  [](const Row& row) -> std::string {
                                    throw toolpost::Error(row.name + " has no line");
                                  }))
        .tool<Spend>("spend", "Spend", {.title = "Spend"});
  })};
};

TEST_F(Results, OfAnyTypeHaveTheirSchema) {
  Call call;
  EXPECT_EQ(plugin.call("list", "{}", call), TP_OK);
  EXPECT_EQ(call.text(), R"([{"name":"a","amount":1}])");
  EXPECT_EQ(call.structured(), R"({"result":[{"name":"a","amount":1}]})");
  EXPECT_EQ(
      linked::output_schema(plugin, "list"),
      R"({"type":"object","properties":{"result":{"type":"array","items":{"type":"object","properties":)"
      R"({"name":{"type":"string"},"amount":{"type":"integer","default":0}},"required":["name"]}}},"required":["result"]})");
  EXPECT_EQ(plugin.answer("map"), R"({"a":1})");
  EXPECT_EQ(linked::output_schema(plugin, "map"),
            R"({"type":"object","additionalProperties":{"type":"integer"}})");
  EXPECT_EQ(plugin.answer("either", R"({"name":"n","amount":2})"), R"({"name":"n","amount":2})");
  EXPECT_EQ(plugin.answer("either", R"({"name":"n"})"), R"({"zero":0})");
  EXPECT_TRUE(linked::output_schema(plugin, "either").starts_with(R"({"type":"object","anyOf":[)"));
  EXPECT_EQ(plugin.answer("number"), "1.5");
  EXPECT_EQ(plugin.answer("mood"), "\"wild\"");
  EXPECT_EQ(plugin.answer("maybe"), "null");
  EXPECT_EQ(
      linked::output_schema(plugin, "maybe"),
      R"({"type":"object","properties":{"result":{"anyOf":[{"type":"integer"},{"type":"null"}]}},"required":["result"]})");
  EXPECT_EQ(plugin.answer("raw"), "[1]");
  EXPECT_EQ(linked::output_schema(plugin, "raw"), "");
}

TEST_F(Results, AConverterChangesTheResultOfItsOwnToolOnly) {
  const char* const args = R"({"name":"a","amount":2})";
  EXPECT_EQ(plugin.answer("row", args), args);
  EXPECT_EQ(plugin.answer("line", args), "a:2");
  EXPECT_EQ(linked::output_schema(plugin, "line"), "");  // the converter returns text
  EXPECT_EQ(linked::input_schema(plugin, "line"), linked::input_schema(plugin, "row"));
  EXPECT_EQ(plugin.answer("line later", args), "a:2");
  const std::string name(100, 'a');  // longer than what a string keeps in itself
  EXPECT_EQ(plugin.answer("view", R"({"name":")" + name + R"(","amount":2})"), name + ":2");
  EXPECT_EQ(plugin.answer("length", args), "3");
  EXPECT_EQ(plugin.answer("line later", R"({"name":"a","amount":-1})"), "error: owes");
  EXPECT_EQ(plugin.answer("left"), "100");
  EXPECT_EQ(
      linked::output_schema(plugin, "left"),
      R"({"type":"object","properties":{"result":{"type":"integer"}},"required":["result"]})");
  EXPECT_EQ(plugin.answer("strict", args), "error: a has no line");
}

TEST_F(Results, ContentIsBuiltBlockByBlock) {
  Call call;
  ASSERT_EQ(plugin.call("everything", "{}", call), TP_OK);
  ASSERT_EQ(call.blocks.size(), 7u);
  EXPECT_EQ(
      call.blocks[0].bytes,
      R"({"type":"text","text":"for people","annotations":{"audience":["user"],"priority":0.5,"lastModified":"2025-01-12T15:00:58Z"}})");
  EXPECT_EQ(call.blocks[1].bytes, R"({"type":"image","mimeType":"image/png","data":"UE5H"})");
  EXPECT_EQ(call.blocks[2].bytes, R"({"type":"audio","mimeType":"audio/wav","data":"UklGRg=="})");
  EXPECT_EQ(call.blocks[3].kind, TP_RESOURCE_LINK);
  EXPECT_EQ(call.blocks[3].bytes,
            R"({"uri":"file:///x","name":"x","title":"X","mimeType":"text/plain","size":3})");
  EXPECT_EQ(
      call.blocks[4].bytes,
      R"({"type":"resource_link","uri":"file:///y","name":"y","annotations":{"priority":1}})");
  EXPECT_EQ(
      call.blocks[5].bytes,
      R"({"type":"resource","resource":{"uri":"mem:a","mimeType":"text/plain","text":"A \"quoted\""}})");
  EXPECT_EQ(
      call.blocks[6].bytes,
      R"({"type":"resource","resource":{"uri":"mem:b","mimeType":"application/zip","blob":"UEs="}})");
}

TEST_F(Results, ErrorsTellWhichArgumentIsWrong) {
  Call wrong;
  plugin.call("pay", R"({"name":"n","amount":11})", wrong);
  EXPECT_EQ(wrong.error, "argument /amount is more than the account holds");
  EXPECT_EQ(wrong.error_data, R"({"pointer":"/amount"})");
  Call broken;
  plugin.call("pay", R"({"name":7})", broken);
  EXPECT_EQ(broken.error, "argument /name is not a string");
  EXPECT_EQ(broken.error_data, R"({"pointer":"/name"})");
}

TEST_F(Results, ACallKnowsWhoMadeItAndItsEntriesByType) {
  EXPECT_EQ(plugin.answer("whose"), "///none");
  Call call;
  call.context = {{"principal", "anna"}, {"agent", "desk"}, {"session", "s1"}};
  call.entries = {{"row", R"({"name":"typed"})"},
                  {"principal", R"("root")"},
                  {"agent", "1"},
                  {"session", "true"}};  // a client can send an entry under any name
  plugin.call("whose", "{}", call);
  EXPECT_EQ(call.text(), "anna/desk/s1/typed");
  Call given;
  given.context = {{"row", R"({"name":"no fact"})"}};
  given.entries = {{"row", R"({"name":"given"})"}};
  plugin.call("whose", "{}", given);
  EXPECT_EQ(given.text(), "///given");
  Call wrong;
  wrong.entries = {{"row", R"({"name":1})"}};
  plugin.call("whose", "{}", wrong);
  EXPECT_EQ(wrong.error, R"(entry "row" /name is not a string)");
  Call list;
  list.entries = {{"row", "[]"}};
  plugin.call("whose", "{}", list);
  EXPECT_EQ(list.error, R"(entry "row" is not an object)");
}

TEST_F(Results, AToolMayBeAClassWhosePermissionMethodsAreOverridden) {
  const tp_tool& spend = plugin.tool(plugin.index_of("spend"));
  EXPECT_EQ(spend.flags, TP_TOOL_HAS_CHECK_PERMISSIONS | TP_TOOL_HAS_MATCH_RULE);
  EXPECT_EQ(plugin.answer("spend", R"({"name":"a","amount":60})"), "40");
  EXPECT_EQ(plugin.check_permissions("spend", R"({"name":"a","amount":41})"),
            R"({"behavior":"deny","message":"too much","safety":false})");
  EXPECT_EQ(plugin.check_permissions("spend", R"({"name":"a","amount":40})"),
            R"({"behavior":"passthrough","message":"","safety":false})");
  EXPECT_EQ(plugin.match_rule("spend", R"({"name":"a"})", "a"), "true");
  EXPECT_EQ(plugin.match_rule("spend", R"({"name":"a"})", "b"), "false");
}

// ---- interceptors

toolpost::Verdict look(const toolpost::Intercepted& call, const toolpost::Json& arguments,
                       const toolpost::Context&) {
  return toolpost::Verdict::refuse(std::string(call.tool) + " of " + std::string(call.provider) +
                                   " gets " + arguments.text);
}
toolpost::Verdict enter(const toolpost::Intercepted& call, const toolpost::Context&) {
  return toolpost::Verdict().state("entered " + std::string(call.tool));
}
std::optional<toolpost::CalledResult> leave(const toolpost::Intercepted& call,
                                            const toolpost::CalledResult& result,
                                            const toolpost::Context&) {
  toolpost::CalledResult made = result;
  made.structuredContent = toolpost::Json{'"' + std::string(call.state) + '"'};
  return made;
}
toolpost::Plugin<> that_reads() {
  return toolpost::Plugin<>(linked::about()).before_calls(look).enter_calls(enter);
}
toolpost::Plugin<> that_reads_nothing() {
  return toolpost::Plugin<>(linked::about()).enter_calls(enter).leave_calls(leave);
}

std::optional<std::string> marked(const toolpost::JsonString& one) {
  if (one.is_name) return std::nullopt;
  return "<" + std::string(one.key) + ":" + std::string(one.text) + ">";
}

TEST(Interceptor, ReplacesStringsByAnyKindOfFunction) {
  const toolpost::Json json{R"({"a":"x","b":["y",1]})"};
  const char* const expected = R"({"a":"<a:x>","b":["<b:y>",1]})";
  EXPECT_EQ(toolpost::replace_strings(json, marked).text, expected);
  EXPECT_EQ(toolpost::replace_strings(json, &marked).text, expected);
  const auto function = [](const toolpost::JsonString& one) { return marked(one); };
  EXPECT_EQ(toolpost::replace_strings(json, function).text, expected);
  const std::function<std::optional<std::string>(const toolpost::JsonString&)> held = marked;
  EXPECT_EQ(toolpost::replace_strings(json, held).text, expected);
}

TEST(Interceptor, SaysWhetherItReadsTheArguments) {
  Plugin reads(linked::table(that_reads));
  Plugin reads_nothing(linked::table(that_reads_nothing));
  const auto flags = [](const Plugin& plugin) {
    return plugin.extension<tp_interceptor_api>(TP_EXT_INTERCEPTOR)->flags;
  };
  EXPECT_EQ(flags(reads), 0u);
  EXPECT_EQ(flags(reads_nothing), TP_INTERCEPTOR_NO_ARGUMENTS);
}

TEST(Interceptor, GetsTheCallAndItsState) {
  Plugin reads(linked::table(that_reads));
  Plugin reads_nothing(linked::table(that_reads_nothing));
  Call before, entered, left;
  EXPECT_EQ(reads.intercept(&tp_interceptor_api::before, R"({"a":1})", "echo", before),
            R"({"refuse":"echo of test gets {\"a\":1}"})");
  EXPECT_EQ(reads_nothing.intercept(&tp_interceptor_api::enter, "", "echo", entered),
            R"({"state":"entered echo"})");
  EXPECT_EQ(reads_nothing.intercept(&tp_interceptor_api::leave, R"({"content":[]})", "echo", left,
                                    "kept"),
            R"({"result":{"content":[],"structuredContent":"kept","isError":false}})");
}

}  // namespace
