#include "config/upstream.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

#include "config/name/known_names.h"
#include "loading.h"

namespace host::config {
namespace {

using ::testing::HasSubstr;

constexpr const char* kHead = "[[upstream]]\nname = \"u\"\ncommand = \"server\"\n";

std::string upstream_fault_of(const std::string& more) {
  return only_headline(parse_text(kHead + more));
}

TEST(UpstreamConfig, IsReadAndShownAsItWas) {
  const std::string text = R"(
[upstreams]
pin = "off"
[agent.coder]
[[upstream]]
name = "files"
command = "/usr/bin/server"
args = ["--allow", "a", "--allow", "a"]
env = { TOKEN = { env = "T" }, KEY = { file = "/k" }, MODE = "x" }
cwd = "sub"
presets.read = { a = 1 }
pin = "review"
timeout_s = 1.5
agents = ["coder"]
)";
  const Config config = good(parse_text(text));
  ASSERT_EQ(config.upstream.size(), 1u);
  const Upstream& one = config.upstream.front();
  EXPECT_EQ(one.args.size(), 4u);
  EXPECT_EQ(one.cwd, "/etc/toolpost/sub");
  EXPECT_EQ(one.pin, Pin::Review);
  EXPECT_EQ(config.upstreams.pin, Pin::Off);
  EXPECT_EQ(good(parse_text(show(config))).upstream, config.upstream);
}

TEST(UpstreamConfig, FaultsShowNoSecretOfAUrl) {
  const std::pair<std::string, std::string> cases[] = {
      {"url = \"http://tools.example/mcp?key=hidden\"", "\"http://tools.example/mcp?[secret]\""},
      {"url = \"tools.example/mcp?key=hidden\"", "\"tools.example/mcp?[secret]\""},
      {"url = \"https://me:hid/den@tools.example/mcp\"", "\"https://[secret]@tools.example/mcp\""},
      {"openapi = \"http://tools.example/api?key=hidden\"",
       "\"http://tools.example/api?[secret]\""},
      {"url = \"ftp://tools.example/what?\"", "\"ftp://tools.example/what?\""}};
  for (const auto& [line, shown] : cases) {
    const std::string fault =
        only_headline(parse_text("[[upstream]]\nname = \"u\"\n" + line + "\n"));
    EXPECT_THAT(fault, HasSubstr("found " + shown));
  }
}

TEST(UpstreamConfig, OneWithASandboxIsReadAndShownAsItWas) {
  const Config config = good(parse_text(std::string(kHead) + R"(
[upstream.sandbox]
fs = ["ro:/opt/server", "rw:~/out"]
sockets = true
exec = true
memory_mib = 64
file_mib = 2
cpu_s = 7
open_files = 99
processes = 5
uid = 1234
[[upstream]]
name = "strict"
command = "server"
sandbox = {}
[[upstream]]
name = "free"
command = "server"
)"));
  ASSERT_EQ(config.upstream.size(), 3u);
  ASSERT_TRUE(config.upstream[0].sandbox);
  const UpstreamSandbox& all = *config.upstream[0].sandbox;
  EXPECT_EQ(all.fs,
            (std::vector<sandbox::FsGrant>{{"/opt/server", false}, {"/home/ada/out", true}}));
  EXPECT_TRUE(all.sockets && all.exec);
  EXPECT_EQ(std::make_tuple(all.memory_mib, all.file_mib, all.cpu_s, all.open_files, all.processes,
                            all.uid),
            std::make_tuple(64u, 2u, 7u, 99u, 5u, 1234u));
  EXPECT_EQ(config.upstream[1].sandbox, UpstreamSandbox{});
  EXPECT_FALSE(config.upstream[2].sandbox);
  EXPECT_EQ(good(parse_text(show(config))).upstream, config.upstream);
  const std::string section = section_of(config.upstream[0]);
  EXPECT_EQ(good(parse_text(section)).upstream.front(), config.upstream[0]) << section;
}

TEST(UpstreamConfig, FaultsOfASandboxAreReportedAtTheirPlace) {
  const auto held = [](const std::string& line) {
    return upstream_fault_of("[upstream.sandbox]\n" + line + "\n");
  };
  EXPECT_THAT(
      held("fs = [\"/srv\"]"),
      HasSubstr(":5:7: error[C017]: fs in [upstream.sandbox]: expected ro:PATH or rw:PATH"));
  EXPECT_THAT(held("memory_mib = -1"), HasSubstr(":5:14: error[C012]"));
  EXPECT_THAT(held("open_files = 1"), HasSubstr("C012"));
  EXPECT_THAT(held("socket = true"), HasSubstr("unknown key \"socket\" in [upstream.sandbox]"));
  EXPECT_THAT(upstream_fault_of("sandbox = true"),
              HasSubstr(":4:11: error[C011]: sandbox in [[upstream]]: expected a table"));
  for (const char* const reached :
       {"url = \"https://a.example/\"", "openapi = \"https://a.example/\""}) {
    EXPECT_THAT(only_headline(parse_text("[[upstream]]\nname = \"u\"\n" + std::string(reached) +
                                         "\n[upstream.sandbox]\n")),
                HasSubstr("sandbox in [[upstream]] has no effect without `command`"));
  }
}

TEST(UpstreamConfig, VariablesOfTheLoaderAreRefusedWithASandbox) {
  for (const char* const name :
       {"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "GLIBC_TUNABLES", "GCONV_PATH", "GETCONF_DIR",
        "HOSTALIASES", "LOCALDOMAIN", "LOCPATH", "MALLOC_TRACE", "NIS_PATH", "NLSPATH",
        "RESOLV_HOST_CONF", "RES_OPTIONS", "TZDIR"}) {
    for (const char* const value : {"\"/x\"", "{ env = \"X\" }", "{ file = \"/x\" }"}) {
      const std::string env = "env = { " + std::string(name) + " = " + value + " }\n";
      EXPECT_THAT(upstream_fault_of(env + "sandbox = {}\n"),
                  HasSubstr(":4:9: error[C017]: env in [[upstream]]: " + std::string(name) + " "));
      good(parse_text(kHead + env));
    }
  }
  good(
      parse_text(std::string(kHead) + "env = { LC_ALL = \"C\", OLD_LD_X = \"\" }\nsandbox = {}\n"));
}

// Two upstreams with a sandbox, and a plugin; `more` are keys of the second upstream.
std::string with_writer(const std::string& writable, const std::string& more,
                        const std::string& grants, const std::string& of_plugin = "") {
  return "[plugin.p]\nfs = [" + of_plugin + "]\n" +
         "[[upstream]]\nname = \"w\"\ncommand = \"server\"\nsandbox.fs = [\"" + writable +
         "\"]\n[[upstream]]\nname = \"u\"\n" + more + "\nsandbox.fs = [" + grants + "]\n";
}

TEST(UpstreamConfig, PathsBelowAFolderThatASandboxCanWriteAreRefused) {
  const auto fault_of = [](const std::string& more, const std::string& grants,
                           const std::string& of_plugin = "") {
    return only_headline(parse_text(with_writer("rw:/srv/w", more, grants, of_plugin)));
  };
  const std::string server = "command = \"server\"";
  const auto depends = [](const std::string& place, const std::string& path) {
    return HasSubstr(place + path +
                     " depends on the folder /srv/w, which the upstream \"w\" can write");
  };
  for (const char* const mode : {"ro:", "rw:"}) {
    EXPECT_THAT(fault_of(server, "\"ro:/opt\", \"" + std::string(mode) + "/srv/w/sub\""),
                depends(":10:26: error[C017]: fs of [[upstream]]: ", "/srv/w/sub"));
  }
  EXPECT_THAT(fault_of("command = \"/srv/w/bin/server\"", ""),
              depends(":9:11: error[C017]: command of [[upstream]]: ", "/srv/w/bin/server"));
  EXPECT_THAT(fault_of(server + "\ncwd = \"/srv/w/sub\"", ""),
              depends(":10:7: error[C017]: cwd of [[upstream]]: ", "/srv/w/sub"));
  EXPECT_THAT(fault_of(server + "\nenv = { PATH = \"/usr/bin:/srv/w\" }", ""),
              depends(":10:16: error[C017]: PATH of [[upstream]]: ", "/srv/w/*"));
  EXPECT_THAT(fault_of(server, "", "\"ro:/etc/x\", \"ro:/srv/w/x\""),
              depends(":2:20: error[C017]: fs of [plugin.p]: ", "/srv/w/x"));
  EXPECT_THAT(only_headline(parse_text(
                  with_writer("rw:/srv/w/", server, "\"ro:/srv/p/x\"", "\"rw:/srv/p\""))),
              HasSubstr("depends on the folder /srv/p, which [plugin.p] can write"));
  good(parse_text(with_writer("rw:/srv/w", server + "\ncwd = \"/srv/w\"",
                              "\"ro:/srv/w\", \"ro:/srv\", \"rw:/srv/w2\"", "\"rw:/srv/w\"")));
}

TEST(UpstreamConfig, PathsThatLeadThroughAFolderThatASandboxCanWriteAreRefused) {
  namespace fs = std::filesystem;
  std::string name = fs::temp_directory_path() / "writable-XXXXXX";
  ASSERT_NE(::mkdtemp(name.data()), nullptr);
  const fs::path folder = fs::canonical(name);
  fs::create_directories(folder / "w/sub");
  fs::create_symlink(folder / "w", folder / "to_w");
  fs::create_symlink("to_w/sub/../later", folder / "into_w");
  fs::create_symlink("/etc", folder / "w/out");
  const std::string server = "command = \"server\"";
  const auto fault_of = [&](const std::string& writable, const std::string& granted) {
    return only_headline(parse_text(with_writer("rw:" + (folder / writable).string(), server,
                                                "\"ro:" + (folder / granted).string() + "\"")));
  };
  for (const char* const granted : {"to_w/sub", "into_w", "into_w/x", "w/out"}) {
    EXPECT_THAT(fault_of("w", granted), HasSubstr("depends on the folder")) << granted;
    EXPECT_THAT(fault_of("to_w", granted), HasSubstr("depends on the folder")) << granted;
  }
  good(parse_text(with_writer("rw:" + (folder / "w").string(), server,
                              "\"ro:" + (folder / "to_w").string() + "\"")));
  fs::remove_all(folder);
}

TEST(UpstreamConfig, OneWithAUrlIsReadAndShownAsItWas) {
  const Config config = good(
      parse_text("[[upstream]]\nname = \"u\"\nurl = \"https://a.example/mcp\"\n"
                 "headers = { A = { env = \"X\", prefix = \"Bearer \" } }\ntransport = \"sse\"\n"));
  ASSERT_EQ(config.upstream.size(), 1u);
  EXPECT_EQ(config.upstream.front().transport, UpstreamTransport::Sse);
  EXPECT_EQ(good(parse_text(show(config))).upstream, config.upstream);
}

TEST(UpstreamConfig, OneWithALoginIsReadAndShownAsItWas) {
  const std::string head =
      "[[upstream]]\nname = \"u\"\nurl = \"https://a.example/mcp\"\nauth = \"oauth\"\n";
  for (const char* const more : {"",
                                 "client_id = \"c\"\nclient_secret = { file = \"/s\", issuer = "
                                 "\"https://i\" }\nscopes = [\"a\", \"b\"]\n",
                                 "client_metadata_url = \"https://me.example/c\"\n"}) {
    const Config config = good(parse_text(head + more));
    ASSERT_EQ(config.upstream.size(), 1u);
    EXPECT_EQ(config.upstream.front().auth, UpstreamAuth::OAuth);
    EXPECT_EQ(good(parse_text(show(config))).upstream, config.upstream) << more;
  }
}

TEST(UpstreamConfig, EachFaultIsReportedAtItsPlace) {
  EXPECT_THAT(
      only_headline(parse_text("[[upstream]]\nname = \"u\"\n")),
      HasSubstr("config.toml:1:1: error[C017]: [[upstream]] has neither command, url nor openapi"));
  const auto by_url = [](const std::string& line) {
    return only_headline(parse_text("[[upstream]]\nname = \"u\"\n" + line + "\n"));
  };
  EXPECT_THAT(by_url("url = \"http://10.0.0.1/mcp\""), HasSubstr(":3:7: error[C017]"));
  EXPECT_THAT(by_url("url = \"https://a@b.example/\""), HasSubstr("C017"));
  EXPECT_THAT(by_url("url = \"https://b.example/\"\ncommand = \"x\""),
              HasSubstr(":3:7: error[C017]: [[upstream]] has a command and a url"));
  EXPECT_THAT(by_url("url = \"https://b.example/\"\nargs = [\"x\"]"), HasSubstr("no effect"));
  EXPECT_THAT(upstream_fault_of("headers = { A = \"b\" }"), HasSubstr("no effect without `url`"));
  EXPECT_THAT(by_url("url = \"https://b.example/\"\nheaders = { Host = \"b\" }"),
              HasSubstr("sets itself"));
  EXPECT_THAT(by_url("url = \"https://b.example/\"\n"
                     "headers = { A = { env = \"X\", more = \"b\" } }"),
              HasSubstr("C017"));
  EXPECT_THAT(upstream_fault_of("comand = 1"),
              HasSubstr(":4:1: error[C014]: unknown key \"comand\""));
  EXPECT_THAT(upstream_fault_of("name2 = 1"), HasSubstr("C014"));
  EXPECT_THAT(upstream_fault_of("env = { A = 1 }"), HasSubstr(":4:13: error[C017]: A in env"));
  EXPECT_THAT(upstream_fault_of("env = { A = { env = \"1x\" } }"), HasSubstr("C017"));
  EXPECT_THAT(upstream_fault_of("env = { A = { file = \"relative\" } }"), HasSubstr("C017"));
  EXPECT_THAT(upstream_fault_of("env = { \"1A\" = \"\" }"), HasSubstr("environment variable"));
  EXPECT_THAT(upstream_fault_of("presets = { tool = 1 }"), HasSubstr("expected a table"));
  EXPECT_THAT(upstream_fault_of("agents = []"), HasSubstr("nobody could see the upstream"));
  EXPECT_THAT(upstream_fault_of("agents = [\"nobody\"]"), HasSubstr("there is no [agent.nobody]"));
  EXPECT_THAT(upstream_fault_of("pin = \"never\""), HasSubstr("C013"));
  EXPECT_THAT(upstream_fault_of(kHead), HasSubstr("a second upstream \"u\""));
  for (const char* const name : {"", "a__b", "_a", "a b", "a/b"}) {
    EXPECT_THAT(only_headline(parse_text("[[upstream]]\ncommand = \"x\"\nname = \"" +
                                         std::string(name) + "\"\n")),
                HasSubstr("C017"))
        << name;
  }
  EXPECT_THAT(only_headline(parse_text("[[upstream]]\nname = \"u\"\ncommand = \"./server\"\n")),
              HasSubstr("an absolute path"));
}

TEST(UpstreamConfig, SecretsAreReadWhenTheyAreNeeded) {
  ::setenv("TP_TEST_SECRET", "s3cret", 1);
  Upstream one;
  one.env = R"({"A":{"env":"TP_TEST_SECRET"},"B":"b"})";
  EXPECT_EQ(environment_of(one).value(), (std::vector<std::string>{"A=s3cret", "B=b"}));
  one.env = R"({"A":{"env":"TP_TEST_ABSENT"}})";
  EXPECT_EQ(environment_of(one).error().kind, ErrorKind::NotFound);
  one.env = R"({"A":{"file":"/no/such/file"}})";
  EXPECT_THAT(environment_of(one).error().message, HasSubstr("env.A"));
}

TEST(UpstreamConfig, AHeaderMayHaveASecretAfterAPrefix) {
  ::setenv("TP_TEST_TOKEN", "t0ken", 1);
  ::setenv("TP_TEST_LINES", "a\nX-Evil: b", 1);
  Upstream one;
  one.headers = R"({"Authorization":{"env":"TP_TEST_TOKEN","prefix":"Bearer "},"X-A":"b"})";
  using Headers = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(headers_of(one).value(), (Headers{{"Authorization", "Bearer t0ken"}, {"X-A", "b"}}));
  one.headers = R"({"X-A":{"env":"TP_TEST_LINES"}})";
  EXPECT_THAT(headers_of(one).error().message, HasSubstr("headers.X-A: its value has a line end"));
  one.headers = R"({"X-A":{"env":"TP_TEST_ABSENT"}})";
  EXPECT_EQ(headers_of(one).error().kind, ErrorKind::NotFound);
}

// Which tools it has is known once it was reached.
TEST(UpstreamConfig, RulesMayNameItsToolsBeforeTheyAreKnown) {
  const Config config = good(
      parse_text(std::string(kHead) + "[[rule]]\ntool = \"mcp__u__x\"\nbehavior = \"deny\"\n"));
  EXPECT_TRUE(unknown_names(config, {}).empty());
  const Config other = good(
      parse_text(std::string(kHead) + "[[rule]]\ntool = \"mcp__v__x\"\nbehavior = \"deny\"\n"));
  EXPECT_EQ(unknown_names(other, {}).size(), 1u);
}

}  // namespace
}  // namespace host::config
