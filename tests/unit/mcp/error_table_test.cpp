// The error codes of MCP 2026-07-28, one test for each of their uses,
// over HTTP, where the status matters, and over lines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/both_peers.h"

namespace host::mcp {
namespace {

using test::BothPeers;
using test::HttpPeer;
using test::modern_meta;
using test::modern_text;
using ::testing::HasSubstr;
using ::testing::Not;

struct ErrorTable : testing::Test, BothPeers {
  // Both transports give this error to the request of id 1; HTTP with this status.
  void expect(const Answers& answers, int status, int code, std::string_view more = {}) {
    const std::string error = R"({"jsonrpc":"2.0","id":1,"error":{"code":)" + std::to_string(code);
    EXPECT_EQ(answers.status, status) << answers.http;
    EXPECT_THAT(answers.http, HasSubstr(error));
    EXPECT_THAT(answers.lines, HasSubstr(error));
    EXPECT_THAT(answers.http, HasSubstr(std::string(more)));
    EXPECT_THAT(answers.lines, HasSubstr(std::string(more)));
  }
};

TEST_F(ErrorTable, ParseErrorWhereTheBodyIsNoJson) {
  const auto exchange = http.post("{", fields("tools/list"));
  EXPECT_EQ(exchange->status, 400);
  EXPECT_THAT(exchange->answer, HasSubstr(R"({"jsonrpc":"2.0","error":{"code":-32700)"));
  EXPECT_THAT(line.say_one("{"), HasSubstr(R"({"jsonrpc":"2.0","error":{"code":-32700)"));
}

TEST_F(ErrorTable, InvalidRequestForWhatIsNoMessageAnArrayOrAResponse) {
  for (const std::string& body :
       {std::string("7"), std::string(R"({"id":1,"method":"tools/list"})"),
        "[" + modern_text("tools/list") + "]"}) {
    const auto exchange = http.post(body, fields("tools/list"));
    EXPECT_EQ(exchange->status, 400) << body;
    EXPECT_THAT(exchange->answer, HasSubstr(R"("code":-32600)")) << body;
    EXPECT_THAT(line.say_one(body), HasSubstr(R"("code":-32600)")) << body;
  }
  const auto response = http.post(R"({"jsonrpc":"2.0","id":1,"result":{}})", fields("tools/list"));
  EXPECT_EQ(response->status, 400);
  EXPECT_THAT(response->answer, HasSubstr(R"("code":-32600)"));
}

TEST_F(ErrorTable, MethodNotFoundForUnknownAndRemovedOnesWith404) {
  for (const auto* method : {"nonsense", "initialize", "ping", "logging/setLevel",
                             "resources/subscribe", "resources/unsubscribe"}) {
    const auto exchange = http.post(modern_text(method), fields(method));
    EXPECT_EQ(exchange->status, 404) << method;
    EXPECT_THAT(exchange->answer, HasSubstr(R"("id":1,"error":{"code":-32601)")) << method;
    EXPECT_THAT(line.say_one(modern_text(method)), HasSubstr(R"("id":1,"error":{"code":-32601)"))
        << method;
  }
}

TEST_F(ErrorTable, InvalidParamsWith400WhereMetaIsIncomplete) {
  for (
      const auto* meta :
      {R"(,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"})",
       R"(,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":[]})"}) {
    expect(ask("prompts/list", "", "", meta), 400, -32602);
  }
  const auto bare = http.post(test::request_text("prompts/list"), fields("prompts/list"));
  EXPECT_EQ(bare->status, 400);
  EXPECT_THAT(bare->answer, HasSubstr(R"("id":1,"error":{"code":-32602)"));
}

TEST_F(ErrorTable, InvalidParamsWith200ForWhatDoesNotExist) {
  expect(ask("tools/call", R"("name":"absent")", "absent"), 200, -32602);
  expect(ask("prompts/get", R"("name":"absent")", "absent"), 200, -32602);
  expect(ask("resources/read", R"("uri":"note:9")", "note:9"), 200, -32602,
         R"("data":{"uri":"note:9"})");
  expect(ask("resources/read", R"("uri":"note:day/none")", "note:day/none"), 200, -32602,
         R"("data":{"uri":"note:day/none"})");
}

TEST_F(ErrorTable, InvalidParamsWith200ForABadCursorOfAnyList) {
  for (const auto* method :
       {"tools/list", "resources/list", "resources/templates/list", "prompts/list"}) {
    for (const auto* cursor : {R"("x")", R"("")", "5", "null"}) {
      expect(ask(method, R"("cursor":)" + std::string(cursor)), 200, -32602);
    }
  }
}

TEST_F(ErrorTable, InvalidParamsWith200ForABadLogLevelOrProgressToken) {
  for (const auto* method : {"tools/call", "resources/list"}) {
    const std::string name = std::string(method) == "tools/call" ? "echo" : "";
    const std::string params = name.empty() ? "" : R"("name":"echo")";
    expect(ask(method, params, name,
               modern_meta("{}", R"(,"io.modelcontextprotocol/logLevel":"loud")")),
           200, -32602);
    expect(ask(method, params, name, modern_meta("{}", R"(,"progressToken":{})")), 200, -32602);
  }
}

TEST_F(ErrorTable, InvalidParamsWith200ForMalformedParams) {
  expect(ask("tools/call", ""), 200, -32602);
  expect(ask("tools/call", R"("name":7)"), 200, -32602);
  expect(ask("tools/call", R"("name":"echo","arguments":[])", "echo"), 200, -32602);
  expect(ask("resources/read", ""), 200, -32602);
  expect(ask("prompts/get", R"("name":"greet","arguments":[])", "greet"), 200, -32602);
  expect(ask("prompts/get", R"("name":"greet")", "greet"), 200, -32602, R"(\"name\")");
  expect(ask("prompts/get", R"("name":"greet","arguments":{"name":7})", "greet"), 200, -32602);
  for (const auto* params :
       {"", R"("ref":{"type":"ref/tool","name":"x"},"argument":{"name":"a","value":"b"})",
        R"("ref":{"type":"ref/prompt"},"argument":{"name":"a","value":"b"})",
        R"("ref":{"type":"ref/prompt","name":"greet"})",
        R"("ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"name","value":7})",
        R"("ref":{"type":"ref/prompt","name":"absent"},"argument":{"name":"a","value":"b"})",
        R"("ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"absent","value":"b"})",
        R"("ref":{"type":"ref/resource","uri":"a:{b}"},"argument":{"name":"b","value":"b"})"}) {
    expect(ask("completion/complete", params), 200, -32602);
  }
  expect(ask("subscriptions/listen", ""), 200, -32602);
  expect(ask("subscriptions/listen", R"("notifications":{"promptsListChanged":1})"), 200, -32602);
  expect(ask("subscriptions/listen", R"("notifications":{"resourceSubscriptions":"note:1"})"), 200,
         -32602);
}

TEST_F(ErrorTable, InvalidParamsWith200ForATamperedRequestState) {
  const auto tampered = [&](const std::string& method, const std::string& named,
                            const std::string& name) {
    const std::string meta = modern_meta(R"({"elicitation":{}})");
    const auto first =
        json::parse(http.post(modern_text(method, named, meta), fields(method, name))->answer);
    const json::Value* const state = json::at(first->root(), "/result/requestState");
    ASSERT_NE(state, nullptr) << method;
    std::string changed(json::text(*state));
    changed[changed.size() / 2] = changed[changed.size() / 2] == 'A' ? 'B' : 'A';
    expect(ask(method, named + R"(,"inputResponses":{},"requestState":")" + changed + "\"", name,
               meta),
           200, -32602, "requestState");
  };
  tampered("tools/call", R"("name":"ask")", "ask");
  tampered("prompts/get", R"("name":"ask")", "ask");
  tampered("resources/read", R"("uri":"note:ask")", "note:ask");
}

TEST_F(ErrorTable, InternalErrorWith200AndNoSecret) {
  const auto answers = ask("tools/call", R"("name":"fail","arguments":{"kind":"throw"})", "fail");
  expect(answers, 200, -32603);
  EXPECT_THAT(answers.http, Not(HasSubstr("it threw")));
}

TEST_F(ErrorTable, HeaderMismatchForMissingMalformedOrDifferentHeaders) {
  const auto post = [&](const std::string& method, const std::string& params,
                        HttpPeer::Fields headers) {
    const auto exchange = http.post(modern_text(method, params), std::move(headers));
    EXPECT_EQ(exchange->status, 400);
    EXPECT_THAT(exchange->answer, HasSubstr(R"("id":1,"error":{"code":-32020)"));
  };
  for (const auto& [method, params, name] : {std::tuple{"tools/call", R"("name":"echo")", "echo"},
                                             {"prompts/get", R"("name":"greet")", "greet"},
                                             {"resources/read", R"("uri":"note:1")", "note:1"}}) {
    post(method, params, fields(method));                   // no Mcp-Name
    post(method, params, fields(method, "other"));          // another one
    post(method, params, fields(method, "=?base64?!!?="));  // malformed
    post(method, params, fields("tools/list", name));       // another method
    post(method, params, {{"mcp-protocol-version", "2026-07-28"}, {"mcp-name", name}});
    post(method, params, {{"mcp-method", method}, {"mcp-name", name}});  // no version
    post(method, params, fields(method, name, {{"mcp-protocol-version", "2025-11-25"}}));
  }
}

TEST_F(ErrorTable, MissingCapabilityWith400NamesItAsAnObject) {
  expect(ask("prompts/get", R"("name":"ask")", "ask"), 400, -32021,
         R"("data":{"requiredCapabilities":{"elicitation":{}}})");
  expect(ask("resources/read", R"("uri":"note:ask")", "note:ask"), 400, -32021,
         R"("data":{"requiredCapabilities":{"elicitation":{}}})");
}

TEST_F(ErrorTable, UnsupportedVersionWith400NamesWhatIsSpoken) {
  const std::string text = modern_text("tools/list", "", modern_meta("{}", "", "1900-01-01"));
  auto headers = fields("tools/list");
  headers["mcp-protocol-version"] = "1900-01-01";
  const auto exchange = http.post(text, headers);
  EXPECT_EQ(exchange->status, 400);
  for (const std::string& answer : {exchange->answer, line.say_one(text)}) {
    EXPECT_THAT(answer, HasSubstr(R"("id":1,"error":{"code":-32022)"));
    EXPECT_THAT(answer,
                HasSubstr(R"("data":{"supported":["2026-07-28"],"requested":"1900-01-01"})"));
  }
}

TEST_F(ErrorTable, EveryErrorEchoesTheIdWithItsType) {
  for (const auto* id : {"\"a\"", "9007199254740991", "-3", "0"}) {
    for (const auto* method : {"nonsense", "resources/read", "prompts/get"}) {
      const std::string text = modern_text(method, "", modern_meta(), id);
      const std::string wanted = R"("id":)" + std::string(id) + R"(,"error")";
      EXPECT_THAT(http.post(text, fields(method))->answer, HasSubstr(wanted));
      EXPECT_THAT(line.say_one(text), HasSubstr(wanted));
    }
  }
}

TEST_F(ErrorTable, LegacyVersionsKeepTheirCodeForAResourceThatIsNotThere) {
  for (const auto* version : {"2025-03-26", "2025-06-18", "2025-11-25"}) {
    BothPeers peers;
    peers.open(version);
    for (const auto* method : {"resources/read", "resources/subscribe"}) {
      expect(peers.ask_in_session(method, R"("uri":"note:9")"), 200, -32002,
             R"("data":{"uri":"note:9"})");
    }
    expect(peers.ask_in_session("prompts/get", R"("name":"absent")"), 200, -32602);
    expect(peers.ask_in_session("server/discover"), 200, -32601);
    expect(peers.ask_in_session("subscriptions/listen"), 200, -32601);
  }
}

}  // namespace
}  // namespace host::mcp
