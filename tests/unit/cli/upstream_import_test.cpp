#include "cli/operate/upstream_import.h"

#include <gmock/gmock.h>

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

TEST(UpstreamImport, AFolderIsAbsolute) {
  const auto imported = import_servers(R"({"mcpServers": {
    "a": {"command": "x", "cwd": "/srv/a"}, "b": {"command": "x", "cwd": "b"}}})");
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_THAT(imported->notes, ElementsAre(HasSubstr("the cwd b: write an absolute path")));
}

}  // namespace
}  // namespace host::cli
