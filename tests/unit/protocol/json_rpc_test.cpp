#include "protocol/json_rpc.h"

#include <gtest/gtest.h>

#include <string>

namespace host::protocol {
namespace {

struct Read {
  json::Document tree;
  std::variant<Message, Fault> outcome;
};

Read read(std::string_view text) {
  Read read{*json::parse(text), {}};
  read.outcome = read_message(read.tree.root());
  return read;
}

Fault fault_of(std::string_view text) {
  const Read got = read(text);
  const auto* const fault = std::get_if<Fault>(&got.outcome);
  return fault ? *fault : Fault{0, "it was read", {}, {}};
}

TEST(JsonRpc, TellsRequestsNotificationsAndResponsesApart) {
  const Read request = read(R"({"jsonrpc":"2.0","id":7,"method":"a","params":{"b":1}})");
  EXPECT_EQ(std::get<Message>(request.outcome).kind, Kind::Request);
  EXPECT_EQ(std::get<Message>(request.outcome).id, "7");
  EXPECT_EQ(std::get<Message>(request.outcome).method, "a");
  ASSERT_NE(std::get<Message>(request.outcome).params, nullptr);
  EXPECT_EQ(std::get<Message>(read(R"({"jsonrpc":"2.0","method":"a"})").outcome).kind,
            Kind::Notification);
  const Read response = read(R"({"jsonrpc":"2.0","id":"x","result":{}})");
  EXPECT_EQ(std::get<Message>(response.outcome).kind, Kind::Response);
  EXPECT_EQ(std::get<Message>(response.outcome).id, R"("x")");
}

TEST(JsonRpc, AnErrorWithoutAReadableIdIsAResponse) {
  const Read orphan = read(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}})");
  EXPECT_EQ(std::get<Message>(orphan.outcome).kind, Kind::Response);
}

TEST(JsonRpc, IdsKeepTheirType) {
  const auto id_of = [](std::string_view text) { return read_id(&json::parse(text)->root()); };
  EXPECT_EQ(id_of("7"), "7");
  EXPECT_EQ(id_of("\"7\""), "\"7\"");
  EXPECT_EQ(id_of("-9007199254740992"), "-9007199254740992");
  EXPECT_EQ(id_of("\"\\u0000\""), "\"\\u0000\"");
  EXPECT_EQ(id_of("\"" + std::string(1024, 'a') + "\"").size(), 1026u);
}

TEST(JsonRpc, RefusesIdsThatAreNone) {
  const auto id_of = [](std::string_view text) { return read_id(&json::parse(text)->root()); };
  EXPECT_EQ(id_of("null"), "");
  EXPECT_EQ(id_of("1.5"), "");
  EXPECT_EQ(id_of("9007199254740993"), "");
  EXPECT_EQ(id_of("18446744073709551615"), "");
  EXPECT_EQ(id_of("[1]"), "");
  EXPECT_EQ(id_of("\"" + std::string(1025, 'a') + "\""), "");
  for (const std::string id : {"null", "1.5", "{}", "true", "9007199254740993"}) {
    const Fault fault = fault_of(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"a"})");
    EXPECT_EQ(fault.code, kInvalidRequest) << id;
    EXPECT_EQ(fault.id, "") << id;
  }
}

TEST(JsonRpc, AMetaThatIsNoObjectIsRefusedToARequestAlone) {
  for (const std::string meta : {"7", "\"x\"", "[]"}) {
    const std::string params = R"("params":{"_meta":)" + meta + R"(,"a":1}})";
    const Fault fault = fault_of(R"({"jsonrpc":"2.0","id":3,"method":"a",)" + params);
    EXPECT_EQ(fault.code, kInvalidParams);
    EXPECT_EQ(fault.id, "3");
    const Read told = read(R"({"jsonrpc":"2.0","method":"a",)" + params);
    const auto* const message = std::get_if<Message>(&told.outcome);
    ASSERT_TRUE(message) << meta;
    EXPECT_EQ(json::find(*message->params, "_meta"), nullptr);
    EXPECT_NE(json::find(*message->params, "a"), nullptr);
  }
  // As a client writes a member that it does not set.
  const Read absent = read(R"({"jsonrpc":"2.0","id":3,"method":"a","params":{"_meta":null}})");
  ASSERT_TRUE(std::get_if<Message>(&absent.outcome));
}

TEST(JsonRpc, AFaultEchoesTheIdWhereItCouldBeRead) {
  for (const std::string text :
       {R"({"id":3,"method":"a"})", R"({"jsonrpc":"1.0","id":3,"method":"a"})",
        R"({"jsonrpc":"2.0","id":3,"method":5})",
        R"({"jsonrpc":"2.0","id":3,"method":"a","params":[1]})", R"({"jsonrpc":"2.0","id":3})",
        R"({"jsonrpc":"2.0","id":3,"method":"a","result":1})",
        R"({"jsonrpc":"2.0","id":3,"result":1,"error":{}})",
        R"({"jsonrpc":"2.0","id":3,"error":1})"}) {
    const Fault fault = fault_of(text);
    EXPECT_EQ(fault.code, kInvalidRequest) << text;
    EXPECT_EQ(fault.id, "3") << text;
  }
}

TEST(JsonRpc, WhatIsNoObjectIsNoMessage) {
  for (const std::string text : {"1", "\"a\"", "null", "[]", "{}"}) {
    EXPECT_EQ(fault_of(text).code, kInvalidRequest) << text;
  }
}

TEST(JsonRpc, AnErrorWithoutIdHasNoIdMember) {
  EXPECT_EQ(error_text({}, kParseError, "no \"JSON\""),
            R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"no \"JSON\""}})");
  EXPECT_EQ(error_text("\"a\"", 1, "m", "{}"),
            R"({"jsonrpc":"2.0","id":"a","error":{"code":1,"message":"m","data":{}}})");
}

}  // namespace
}  // namespace host::protocol
