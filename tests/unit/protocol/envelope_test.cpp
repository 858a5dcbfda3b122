#include "protocol/envelope.h"

#include <gtest/gtest.h>

#include <string>

namespace host::protocol {
namespace {

bool shows_forms(std::string_view capabilities, Version version) {
  const auto tree = json::parse(capabilities);
  return abilities_of(&tree->root(), version).forms;
}

TEST(Envelope, HasTheContextOfTheCall) {
  const auto params = json::parse(R"({"_meta":{"io.toolpost/context":{"values":{"a":"b"}}}})");
  const Envelope envelope = read_envelope(&params->root());
  ASSERT_NE(envelope.context, nullptr);
  EXPECT_EQ(json::write(*envelope.context), R"({"values":{"a":"b"}})");
  const auto bare = json::parse(R"({"_meta":{"toolpost/context":{}}})");
  EXPECT_EQ(read_envelope(&bare->root()).context, nullptr);
}

TEST(Envelope, AClaimNeedsVersionAndCapabilities) {
  const auto fault_of = [](std::string_view meta) {
    const auto params = json::parse(R"({"_meta":)" + std::string(meta) + "}");
    return envelope_fault(read_envelope(&params->root())).value_or("");
  };
  EXPECT_NE(fault_of("{}").find("protocolVersion"), std::string::npos);
  EXPECT_NE(fault_of(R"({"io.modelcontextprotocol/protocolVersion":1})").find("string"),
            std::string::npos);
  EXPECT_NE(fault_of(R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28"})")
                .find("clientCapabilities"),
            std::string::npos);
  EXPECT_EQ(fault_of(R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                     R"("io.modelcontextprotocol/clientCapabilities":{}})"),
            "");
}

TEST(Envelope, AnUnknownVersionIsToldWhatThereIs) {
  const auto fault = version_fault("1900-01-01", "4");
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->code, kUnsupportedVersion);
  EXPECT_EQ(fault->data, R"({"supported":["2026-07-28"],"requested":"1900-01-01"})");
  EXPECT_TRUE(version_fault("2025-11-25", "4"));  // of initialize alone
  EXPECT_FALSE(version_fault("2026-07-28", "4"));
}

TEST(Envelope, BadTokensAndLevelsAreRefused) {
  const auto fault_of = [](std::string_view meta) {
    const auto params = json::parse(R"({"_meta":)" + std::string(meta) + "}");
    return meta_fault(read_envelope(&params->root())).has_value();
  };
  EXPECT_TRUE(fault_of(R"({"progressToken":1.5})"));
  EXPECT_TRUE(fault_of(R"({"progressToken":{}})"));
  EXPECT_TRUE(fault_of(R"({"io.modelcontextprotocol/logLevel":"loud"})"));
  EXPECT_FALSE(fault_of(R"({"progressToken":"a","io.modelcontextprotocol/logLevel":"info"})"));
}

TEST(Envelope, AnEmptyElicitationCapabilityMeansForms) {
  EXPECT_TRUE(shows_forms(R"({"elicitation":{}})", Version::v2025_06_18));
  EXPECT_TRUE(shows_forms(R"({"elicitation":{}})", Version::v2026_07_28));
  EXPECT_TRUE(shows_forms(R"({"elicitation":{"form":{}}})", Version::v2025_11_25));
  EXPECT_FALSE(shows_forms(R"({"elicitation":{"url":{}}})", Version::v2025_11_25));
  EXPECT_FALSE(shows_forms(R"({"elicitation":{}})", Version::v2025_03_26));
  EXPECT_FALSE(shows_forms(R"({"elicitation":true})", Version::v2025_06_18));
  EXPECT_FALSE(shows_forms(R"({})", Version::v2026_07_28));
}

}  // namespace
}  // namespace host::protocol
