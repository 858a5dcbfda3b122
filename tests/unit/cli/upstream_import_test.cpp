#include "cli/operate/upstream_import.h"

#include <gmock/gmock.h>

#include "cli/operate/jsonc.h"
#include "json/json.h"

namespace host::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// VS Code and others accept these values.
TEST(UpstreamImport, ValuesThatAreNoTextAreWrittenAsTextOrNamed) {
  const auto imported = import_servers(R"({"servers": {"web": {
    "command": "npx", "cwd": "${workspaceFolder}",
    "args": ["--port", 8080, true, null],
    "env": {"PORT": 8080, "RATIO": 0.5, "QUIET": false, "DEBUG": null, "LIST": [1]}}}})");
  ASSERT_TRUE(imported) << imported.error().message;
  ASSERT_EQ(imported->upstreams.size(), 1u);
  const config::Upstream& web = imported->upstreams.front();
  EXPECT_THAT(web.args, ElementsAre("--port", "8080", "true"));
  EXPECT_EQ(web.env, R"({"PORT":"8080","RATIO":"0.5","QUIET":"false"})");
  EXPECT_THAT(imported->notes,
              ElementsAre(HasSubstr("an argument that is no text"), HasSubstr("DEBUG"),
                          HasSubstr("LIST"), HasSubstr("the cwd ${workspaceFolder}")));
}

TEST(UpstreamImport, HeadersAreTextToo) {
  const auto imported = import_servers(R"({"mcpServers": {
    "web": {"url": "https://x.example/mcp", "headers": {"X-Zone": 1, "X-None": null}},
    "bare": {"url": "https://y.example/mcp", "headers": {"X-None": {}}}}})");
  ASSERT_TRUE(imported) << imported.error().message;
  ASSERT_EQ(imported->upstreams.size(), 2u);
  EXPECT_EQ(imported->upstreams[0].headers, R"({"X-Zone":"1"})");
  EXPECT_EQ(imported->upstreams[1].headers, config::Upstream().headers);
  EXPECT_THAT(imported->notes, ElementsAre(HasSubstr("X-None"), HasSubstr("X-None")));
}

TEST(UpstreamImport, AValueWithTwoReferencesIsNotExpanded) {
  const auto imported = import_servers(R"({"mcpServers": {
    "web": {"url": "https://x.example/mcp", "headers": {"X": "${env:A}${env:B}", "Y": "Bearer ${A}-${B}"}},
    "run": {"command": "x", "env": {"Z": "${A}${B}"}}}})");
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->upstreams[0].headers, R"({"X":"${env:A}${env:B}","Y":"Bearer ${A}-${B}"})");
  EXPECT_EQ(imported->upstreams[1].env, R"({"Z":"${A}${B}"})");
  EXPECT_THAT(imported->notes, ElementsAre(HasSubstr("not expanded"), HasSubstr("not expanded"),
                                           HasSubstr("not expanded")));
}

TEST(UpstreamImport, WhatIsNotConvertedHasANote) {
  const auto imported = import_servers(R"({"mcpServers": {
    "a b": {"type": "stdio", "command": "x", "args": "one", "env": ["A=b"], "cwd": 1, "disabled": false,
            "envFile": ".env", "dev": {}, "timeout": 60, "autoApprove": ["t"], "headers": {}},
    "web": {"type": "ws", "url": "https://x.example/mcp", "command": "y", "args": [], "headers": "h",
            "oauth": {"clientId": "z"}}}})");
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_THAT(
      imported->notes,
      ElementsAre("\"a b\" has the name a-b here",
                  "\"a b\" has envFile, which was left out: write its variables in env",
                  "\"a b\" has dev, which was left out",
                  "\"a b\" has timeout, which was left out: see timeout_s",
                  "\"a b\" has autoApprove, which was left out: see auto_approve",
                  "\"a b\" has headers, which was left out",
                  "\"a b\" has a cwd that is no text: it was left out",
                  "\"a b\" has args that is no list: it was left out",
                  "\"a b\" has env that is no object: it was left out",
                  "\"web\" has command, which was left out", "\"web\" has args, which was left out",
                  "\"web\" has oauth, which was left out: see auth = \"oauth\"",
                  "\"web\" has the type ws, which was left out",
                  "\"web\" has headers that is no object: it was left out"));
}

TEST(UpstreamImport, ServersOfOneProjectAreReadToo) {
  const auto imported = import_servers(R"({"numStartups": 3, "mcpServers": {"a": {"command": "x"}},
    "projects": {"/p": {"mcpServers": {"b": {"command": "y"}, "a": {"command": "z"}}}, "/q": {}}})");
  ASSERT_TRUE(imported) << imported.error().message;
  ASSERT_EQ(imported->upstreams.size(), 2u);
  EXPECT_EQ(imported->upstreams[1].name, "b");
  EXPECT_THAT(imported->notes,
              ElementsAre(HasSubstr("\"b\" of /p is of one project"),
                          HasSubstr("\"a\" of /p would have the name of an earlier one")));
  EXPECT_TRUE(import_servers(R"({"projects": {"/p": {"mcpServers": {"b": {"command": "y"}}}}})"));
  EXPECT_FALSE(import_servers(R"({"projects": {"/p": {}}})"));
}

TEST(UpstreamImport, CommentsAndLastCommasAreLeftOut) {
  const auto imported = import_servers(
      "\xEF\xBB\xBF// of VS Code\n{\"servers\": { /* here:\n */ "
      "\"v\": {\"command\": \"x//y\", \"args\": [\"/*\", \"a,]\\\",\", "
      "/* , */],},\n}, // \"end\"\n}");
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->upstreams.front().command, "x//y");
  EXPECT_THAT(imported->upstreams.front().args, ElementsAre("/*", "a,]\","));
  EXPECT_THAT(imported->notes, ElementsAre(HasSubstr("the command x//y")));
}

// Faults are reported at the place that they have in the file.
TEST(UpstreamImport, CommentsMoveNothing) {
  EXPECT_EQ(without_comments("{/*\xC3\xA9\n*/\"a\":[1, ]//x\r\n,}"),
            "{    \n  \"a\":[1  ]    \n }");
  for (const char* kept : {"[,]", "{,}", "[1,,]", "{\"a\":,}", "[1 /* , ]", "\"a // b", "/"}) {
    EXPECT_FALSE(json::parse(without_comments(kept))) << kept;
  }
  const auto fault = import_servers("// x\n{\"servers\": {/* y */ 1}}");
  ASSERT_FALSE(fault);
  EXPECT_THAT(fault.error().message, HasSubstr("line 2, column 22"));
}

TEST(UpstreamImport, AFolderIsAbsolute) {
  const auto imported = import_servers(R"({"mcpServers": {
    "a": {"command": "x", "cwd": "/srv/a"}, "b": {"command": "x", "cwd": "b"}}})");
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_THAT(imported->notes, ElementsAre(HasSubstr("the cwd b: write an absolute path")));
}

}  // namespace
}  // namespace host::cli
