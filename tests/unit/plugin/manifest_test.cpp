#include "plugin/declared/manifest.h"

#include <gtest/gtest.h>

#include "plugin/declared/policy.h"

namespace host::plugin {
namespace {

std::string tool(const std::string& name, const std::string& more = "") {
  return R"({"name":")" + name +
         R"(","description":"d","input_schema":"{\"type\":\"object\",\"properties\":{\"a\":{}}}")" +
         more + "}";
}

std::string manifest(const std::string& tools, const std::string& more = "") {
  return R"({"id":"x.y","name":"X","version":"1")" + more + R"(,"tools":[)" + tools + "]}";
}

std::string refusal(const std::string& text) {
  const auto result = read_manifest(text);
  return result ? "" : result.error().message;
}

TEST(Manifest, ReadsWhatADescriptorSays) {
  // READ_ONLY | SERIAL | IDEMPOTENT | CLOSED_WORLD | HAS_MATCH_RULE
  const auto read = read_manifest(
      manifest(tool("a", R"(,"flags":131395,"timeout_ms":5,"path_args":["/p"],"max_inflight":3)"),
               R"(,"serial":1,"flags":1)"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->serial);
  EXPECT_TRUE(read->pin);
  const tool::Declaration& a = read->tools.at(0);
  EXPECT_TRUE(a.read_only);
  EXPECT_FALSE(a.concurrency_safe);
  EXPECT_TRUE(a.idempotent);
  EXPECT_FALSE(a.open_world);
  EXPECT_TRUE(a.has_match_rule);
  EXPECT_FALSE(a.strict.has_value());
  EXPECT_EQ(a.timeout, std::chrono::milliseconds(5));
  EXPECT_EQ(a.path_args, std::vector<std::string>{"/p"});
  EXPECT_EQ(a.max_inflight, 3u);
}

TEST(Manifest, SaysHowCallsBecomeTasks) {
  const auto use_of = [](const std::string& flags) {
    return read_manifest(manifest(tool("a", R"(,"flags":)" + flags)))->tools.at(0);
  };
  EXPECT_EQ(use_of("0").tasks, tool::TaskUse::Never);
  EXPECT_EQ(use_of("1024").tasks, tool::TaskUse::Offered);
  EXPECT_EQ(use_of("2048").tasks, tool::TaskUse::Needed);
  EXPECT_EQ(use_of("3072").tasks, tool::TaskUse::Needed);
  EXPECT_FALSE(use_of("3072").asks_first);
  EXPECT_TRUE(use_of("5120").asks_first);
}

TEST(Manifest, ShowsWhatItsTextsHide) {
  const auto read = read_manifest(
      manifest(tool("a"), R"(,"vendor":"V\u202e","license":"L\nM","build_info":"\u001b[31m")"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->vendor, "V<U+202E>");
  EXPECT_EQ(read->license, "L M");
  EXPECT_EQ(read->build_info, "<U+001B>[31m");
}

TEST(Manifest, RefusesIdsThatAreNoneAndLinesWithoutEnd) {
  const auto with_id = [](const std::string& id) {
    return refusal(R"({"id":")" + id + R"(","name":"X","version":"1","tools":[]})");
  };
  EXPECT_EQ(with_id("x.y-z_1"), "");
  for (const char* id : {"../../etc", "a b", "a\u202eb", "a..b"})
    EXPECT_NE(with_id(id).find("is no id"), std::string::npos) << id;
  EXPECT_NE(refusal(manifest(tool("a"), R"(,"vendor":")" + std::string(257, 'v') + '"'))
                .find("its vendor is longer than 256 bytes"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"id":"x","name":"X","version":")" + std::string(1u << 20u, '1') +
                    R"(","tools":[]})")
                .find("its version is longer than 128 bytes"),
            std::string::npos);
}

TEST(Manifest, RefusesTheWholeForOneFault) {
  EXPECT_NE(refusal(manifest(tool("a b"))).find("no tool's name"), std::string::npos);
  EXPECT_NE(refusal(manifest(tool(std::string(65, 'a')))).find("no tool's name"),
            std::string::npos);
  EXPECT_NE(refusal(manifest(tool("mcp_a"))).find("mcp_"), std::string::npos);
  EXPECT_NE(refusal(manifest(tool("a") + "," + tool("a"))).find("two tools"), std::string::npos);
  EXPECT_NE(refusal(manifest(tool("a", R"(,"flags":48)"))).find("NOT_STRICT"), std::string::npos);
  EXPECT_NE(refusal(R"({"id":"","name":"X","version":"1","tools":[]})").find("must not be empty"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"id":"a"})").find("list of tools"), std::string::npos);
  EXPECT_NE(refusal("[").find("bad descriptor"), std::string::npos);
}

// The worker counts its tools too, but beside the plugin's code.
TEST(Manifest, RefusesMoreToolsThanALibraryMayHave) {
  std::string tools;
  for (int i = 0; i < 1024; ++i) tools += (i > 0 ? "," : "") + tool("t" + std::to_string(i));
  EXPECT_EQ(refusal(manifest(tools)), "");
  EXPECT_NE(refusal(manifest(tools + "," + tool("one_more"))).find("1024"), std::string::npos);
}

TEST(Manifest, IsRefusedOrReadAtEveryTruncationAndNeverCrashes) {
  const std::string whole = manifest(tool("a") + "," + tool("b"));
  for (std::size_t cut = 0; cut < whole.size(); ++cut)
    EXPECT_FALSE(read_manifest(whole.substr(0, cut)));
}

TEST(Policy, ThePluginWhoseSchemasTakeTooLongIsRefused) {
  const auto read = read_manifest(manifest(tool("a") + "," + tool("b") + "," + tool("c")));
  ASSERT_TRUE(read);
  const auto made = [&read](std::chrono::nanoseconds each) {
    std::chrono::nanoseconds now{0};
    const Terms terms{config::Plugin()};
    return make_offer("p", *read, terms, nullptr, [&now, each] { return now += each; });
  };
  EXPECT_TRUE(made(std::chrono::milliseconds(600)));
  const auto refused = made(std::chrono::milliseconds(1'100));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("more than 2 s"), std::string::npos);
}

TEST(Policy, TakesOutWhatTheOperatorDoesNotBelieve) {
  // flags: 1 reads only, 1 << 16 check_permissions, 1 << 19 check_read_only
  const std::string all = R"(,"flags":)" + std::to_string(1 + (1 << 16) + (1 << 19));
  const auto read = read_manifest(manifest(tool("a", all) + "," + tool("b", all)));
  ASSERT_TRUE(read);
  const auto standing = [&](const config::Plugin& settings, std::size_t at) {
    const auto offer = make_offer("p", *read, settings);
    return tool::standing_of(offer->tools.at(at)->declared(), tool::ProviderIdentity::Kind::Plugin);
  };
  config::Plugin settings;
  EXPECT_EQ(standing(settings, 0).reads, tool::Reads::ByCheck);
  EXPECT_EQ(standing(settings, 0).own_yes, tool::OwnYes::ByCheck);
  settings.trust = config::Trust::ReadOnly;
  settings.tools["b"].trust = config::Trust::None;
  EXPECT_EQ(standing(settings, 0).reads, tool::Reads::ByCheck);
  EXPECT_EQ(standing(settings, 0).own_yes, tool::OwnYes::Never);
  EXPECT_EQ(standing(settings, 1).reads, tool::Reads::Never);
  settings = {};
  settings.trust_read_only = false;
  EXPECT_EQ(standing(settings, 0).reads, tool::Reads::Never);
  EXPECT_EQ(standing(settings, 0).own_yes, tool::OwnYes::Never);
  settings = {};
  settings.tools["a"].read_only = false;
  EXPECT_EQ(standing(settings, 0).reads, tool::Reads::Never);
  EXPECT_EQ(standing(settings, 0).own_yes, tool::OwnYes::ByCheck);
  EXPECT_EQ(standing(settings, 1).reads, tool::Reads::ByCheck);
}

TEST(Policy, KeepsTheOperatorsWordOfARenamedTool) {
  const auto read = read_manifest(manifest(tool("a", R"(,"flags":1)")));
  config::Plugin settings;
  settings.tools["a"].auto_approve = false;
  const auto offer = make_offer("p", *read, settings, [](const std::string&) { return true; });
  ASSERT_TRUE(offer);
  EXPECT_EQ(offer->tools[0]->name(), "p_a");
  EXPECT_EQ(offer->tools[0]->declared().auto_approve, false);
}

TEST(Policy, RenamesNoToolIntoAnotherClass) {
  const auto read = read_manifest(manifest(tool("a", R"(,"flags":1)")));
  for (const std::string plugin : {"mcp_x", "_x", "pre_x", "post_x", "priv_x"}) {
    const auto offer = make_offer(plugin, *read, {}, [](const std::string&) { return true; });
    ASSERT_TRUE(offer);
    EXPECT_EQ(offer->tools[0]->name(), "a") << "the catalog refuses it";
  }
}

TEST(Policy, AppliesThePluginsConfiguration) {
  const auto read = read_manifest(
      manifest(tool("a", R"(,"flags":1)") + "," + tool("b") + "," + tool("c"), R"(,"serial":1)"));
  ASSERT_TRUE(read);
  config::Plugin settings;
  settings.trust_read_only = false;
  settings.group = "g";
  settings.timeout = std::chrono::seconds(9);
  settings.max_inflight = 5;
  settings.tools["b"].enabled = false;
  settings.tools["c"].presets = R"({"a":1})";
  settings.tools["c"].timeout = std::chrono::seconds(1);
  settings.tools["c"].concurrency_safe = false;
  settings.tools["nobody"].enabled = false;
  const auto offer = make_offer("p", *read, settings);
  ASSERT_TRUE(offer) << offer.error().message;
  ASSERT_EQ(offer->tools.size(), 2u);
  const tool::Tool& a = *offer->tools[0];
  EXPECT_FALSE(a.declared().read_only);
  EXPECT_TRUE(a.declared().destructive);
  EXPECT_EQ(a.declared().group, "g");
  EXPECT_EQ(a.declared().timeout, std::chrono::seconds(9));
  ASSERT_EQ(a.limits().size(), 2u);
  EXPECT_EQ(a.limits()[0].key, "serial:p");
  EXPECT_EQ(a.limits()[1].capacity, 5u);
  const tool::Tool& c = *offer->tools[1];
  EXPECT_EQ(c.index(), 2u);
  EXPECT_EQ(c.declared().presets, R"({"a":1})");
  EXPECT_EQ(c.declared().timeout, std::chrono::seconds(1));
  EXPECT_FALSE(c.declared().concurrency_safe);
  ASSERT_EQ(offer->notes.size(), 1u);
  EXPECT_EQ(offer->notes[0].tool, "nobody");
}

TEST(Policy, NamespacesATakenNameBehindItsPrefix) {
  EXPECT_EQ(namespaced("p", "run"), "p_run");
  EXPECT_EQ(namespaced("p", "pre_run"), "pre_p_run");
  EXPECT_EQ(namespaced("p", "_run"), "_p_run");
  const auto read = read_manifest(manifest(tool("run") + "," + tool("other")));
  const auto offer =
      make_offer("p", *read, {}, [](const std::string& name) { return name == "run"; });
  ASSERT_TRUE(offer);
  EXPECT_EQ(offer->tools[0]->name(), "p_run");
  EXPECT_EQ(offer->tools[1]->name(), "other");
}

}  // namespace
}  // namespace host::plugin
