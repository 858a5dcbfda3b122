#include "upstream/oauth/metadata.h"

#include <gtest/gtest.h>

#include "identity/oauth/issuer_metadata.h"

namespace host::upstream::oauth {
namespace {

using Urls = std::vector<std::string>;

constexpr const char* kIssuer = "https://login.example/tenant";

std::string server(const std::string& more = "") {
  return R"({"issuer":"https://login.example/tenant","authorization_endpoint":"https://login.example/a",)"
         R"("token_endpoint":"https://login.example/t","code_challenge_methods_supported":["plain","S256"])" +
         more + "}";
}

TEST(Discovery, LooksForTheResourceAtItsPathAndThenAtTheRoot) {
  const std::string root = "https://a.example:1/.well-known/oauth-protected-resource";
  EXPECT_EQ(resource_metadata_urls("https://a.example:1/x/mcp?token=1"),
            (Urls{root + "/x/mcp", root}));
  EXPECT_EQ(resource_metadata_urls("https://a.example:1/"), Urls{root});
  EXPECT_EQ(resource_metadata_urls("https://a.example:1"), Urls{root});
}

TEST(Discovery, LooksForTheAuthorizationServerInTheOrderOfTheSpecification) {
  EXPECT_EQ(identity::metadata_urls(kIssuer),
            (Urls{"https://login.example/.well-known/oauth-authorization-server/tenant",
                  "https://login.example/.well-known/openid-configuration/tenant",
                  "https://login.example/tenant/.well-known/openid-configuration"}));
  EXPECT_EQ(identity::metadata_urls("https://login.example"),
            (Urls{"https://login.example/.well-known/oauth-authorization-server",
                  "https://login.example/.well-known/openid-configuration"}));
}

TEST(ResourceMetadata, IsOfTheServerOrOfAPathAboveIt) {
  const auto read = [](const std::string& resource) {
    return read_resource_metadata(R"({"resource":")" + resource +
                                      R"(","authorization_servers":["https://login.example"],)"
                                      R"("scopes_supported":["a","b c",1]})",
                                  "https://a.example/x/mcp?token=secret");
  };
  for (const char* const good :
       {"https://a.example/x/mcp", "https://a.example/x/mcp/", "https://a.example/x",
        "https://a.example", "https://A.example:443/"}) {
    const auto found = read(good);
    ASSERT_TRUE(found) << good;
    EXPECT_EQ(found->resource, good);
    EXPECT_EQ(found->issuer, "https://login.example");
    EXPECT_EQ(found->scopes, (Urls{"a", "b", "c"}));
  }
  for (const char* const bad :
       {"https://a.example/x/mc", "https://a.example/x/mcp/y", "http://a.example/x/mcp",
        "https://b.example/x/mcp", "https://a.example:444/x/mcp", "x", ""}) {
    const auto found = read(bad);
    ASSERT_FALSE(found) << bad;
    EXPECT_EQ(found.error().message.find("secret"), std::string::npos);
  }
}

TEST(ResourceMetadata, NamesAnAuthorizationServer) {
  for (const char* const servers :
       {"[]", "null", "[1]", R"(["http://login.example"])", R"(["ftp://a"])"}) {
    EXPECT_FALSE(read_resource_metadata(
        R"({"resource":"https://a.example","authorization_servers":)" + std::string(servers) + "}",
        "https://a.example"))
        << servers;
  }
  EXPECT_FALSE(read_resource_metadata("[]", "https://a.example"));
  EXPECT_FALSE(read_resource_metadata("<html>", "https://a.example"));
}

TEST(ServerMetadata, IsOfTheIssuerByteByByte) {
  ASSERT_TRUE(read_server_metadata(server(), kIssuer));
  EXPECT_FALSE(read_server_metadata(server(), "https://login.example/tenant/"));
  EXPECT_FALSE(read_server_metadata(server(), "https://LOGIN.example/tenant"));
}

TEST(ServerMetadata, HasPkceAndEndpointsByHttps) {
  std::string plain = server();
  plain.replace(plain.find("S256"), 4, "s256");
  EXPECT_FALSE(read_server_metadata(plain, kIssuer));
  for (const char* const url :
       {"http://login.example/r", "javascript:alert(1)", "https://login.example/\\u0001", "//x",
        "https://user@login.example/", "https://login.example/#f"}) {
    const std::string text = server(R"(,"revocation_endpoint":")" + std::string(url) + "\"");
    EXPECT_FALSE(read_server_metadata(text, kIssuer)) << url;
  }
  EXPECT_TRUE(
      read_server_metadata(server(R"(,"revocation_endpoint":"http://127.0.0.1:1/r")"), kIssuer));
}

TEST(ServerMetadata, SaysWhatTheServerCan) {
  const auto found = read_server_metadata(
      server(
          R"(,"authorization_response_iss_parameter_supported":true,"client_id_metadata_document_supported":true,)"
          R"("token_endpoint_auth_methods_supported":["none"],"scopes_supported":["offline_access"])"),
      kIssuer);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->sends_issuer && found->reads_client_documents);
  EXPECT_EQ(found->auth_methods, Urls{"none"});
  EXPECT_EQ(found->scopes, Urls{"offline_access"});
}

}  // namespace
}  // namespace host::upstream::oauth
