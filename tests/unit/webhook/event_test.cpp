#include "webhook/event.h"

#include <gtest/gtest.h>

#include <set>

#include "json/json.h"

namespace host::webhook {
namespace {

TEST(Event, TypesHaveBitsAndNamesOfTheirOwn) {
  std::set<std::string_view> names;
  std::uint32_t bits = 0;
  for (const EventType& type : event_types()) {
    EXPECT_TRUE(names.insert(type.name).second) << type.name;
    EXPECT_EQ(bits & bit(type.type), 0u) << type.name;
    bits |= bit(type.type);
    EXPECT_EQ(find_type(type.name), &about(type.type));
  }
  EXPECT_EQ(bits_of(names_of(bits)), bits);
  EXPECT_EQ(find_type("call.begun"), nullptr);
  EXPECT_EQ(bits_of({"call.begun", "call.finished"}), bit(Type::CallFinished));
}

TEST(Event, SchemasAreJsonAndNameTheirType) {
  for (const EventSchema& event : event_schemas()) {
    const auto schema = json::parse(event.schema);
    ASSERT_TRUE(schema) << event.schema;
    const auto& properties = schema->root()["properties"];
    EXPECT_EQ(json::find_text(properties["type"], "const"), event.name);
    EXPECT_EQ(json::find_text(properties["data"], "type"), "object");
    for (const auto& needed : properties["data"]["required"].GetArray())
      EXPECT_TRUE(properties["data"]["properties"].HasMember(needed)) << event.schema;
  }
}

TEST(Event, ATextThatAClientChoseIsShort) {
  std::string data = "{";
  add_text(data, "tool", "greet");
  add_text(data, "other", std::string(4'000'000, 'x'));
  const auto whole = json::parse(data + "}");
  ASSERT_TRUE(whole);
  EXPECT_EQ(json::find_text(whole->root(), "tool"), "greet");
  EXPECT_EQ(json::find_text(whole->root(), "other"), std::string(256, 'x') + "... (4000000 bytes)");
  EXPECT_EQ(shortened(std::string(256, 'x')), std::string(256, 'x'));
  EXPECT_EQ(shortened(std::string(255, 'x') + "\xc3\xa9"),
            std::string(255, 'x') + "... (257 bytes)");
}

TEST(Event, BodyHasTypeTimeAndData) {
  EXPECT_EQ(
      body_of(Type::PluginQuarantined, WallTime(std::chrono::seconds(1)), R"({"plugin":"p"})"),
      R"({"type":"plugin.quarantined","timestamp":"1970-01-01T00:00:01.000Z",)"
      R"("data":{"plugin":"p"}})");
}

}  // namespace
}  // namespace host::webhook
