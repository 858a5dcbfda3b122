// The address that client-config prints.
#include "cli/command/endpoint_url.h"

#include <gtest/gtest.h>

namespace host::cli {
namespace {

TEST(EndpointUrl, IsMadeOfTheHostAndTheAgentWhateverPathIsGiven) {
  const std::string host = "http://127.0.0.1:8808";
  for (const char* path : {"", "/", "/mcp", "/mcp/"}) {
    EXPECT_EQ(endpoint_url(host + path, "").value(), host + "/mcp") << path;
    EXPECT_EQ(endpoint_url(host + path, "bot").value(), host + "/bot/mcp") << path;
  }
  EXPECT_EQ(endpoint_url(host + "/bot/mcp", "bot").value(), host + "/bot/mcp");
  EXPECT_EQ(endpoint_url(host + "/bot/mcp", "").value(), host + "/bot/mcp");
  EXPECT_EQ(endpoint_url("https://mcp", "bot").value(), "https://mcp/bot/mcp");
  EXPECT_EQ(endpoint_url("https://a.example/tools", "bot").value(),
            "https://a.example/tools/bot/mcp");
  EXPECT_EQ(endpoint_url("https://a.example/tools/mcp", "bot").value(),
            "https://a.example/tools/bot/mcp");
  EXPECT_EQ(endpoint_url("http://[::1]:8808/mcp", "bot").value(), "http://[::1]:8808/bot/mcp");
}

TEST(EndpointUrl, RefusesWhatIsNoAddress) {
  for (const char* wrong : {"", "127.0.0.1:8808", "http://", "ftp://a", "http://a/mcp?x=1",
                            "http://a/#x", "http://a b"}) {
    const auto made = endpoint_url(wrong, "bot");
    ASSERT_FALSE(made) << wrong;
    EXPECT_EQ(made.error().kind, ErrorKind::InvalidArgument);
  }
}

}  // namespace
}  // namespace host::cli
