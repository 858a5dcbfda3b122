// `plugin check` as a library: everything that is wrong or doubtful with one file.
#include "plugin/lifecycle/plugin_check.h"

#include "support/places.h"
#include "unit/plugin/plugin_fixture.h"

namespace host::plugin {
namespace {

class PluginCheck : public PluginTest {
 protected:
  CheckReport check(const fs::path& file, bool call_all = false, const char* settings = "{}") {
    install_file(file);
    CheckRequest request;
    request.file = installed();
    request.worker = options_.worker;
    request.call_all = call_all;
    request.settings = settings;
    request.start_timeout = start_timeout_;
    CheckReport report;
    auto run = [&]() -> boost::asio::awaitable<void> {
      report = co_await check_plugin(io_.get_executor(), std::move(request));
    };
    await(run());
    return report;
  }
  static std::string codes(const CheckReport& report) {
    std::string out;
    for (const Finding& finding : report.findings)
      out += (finding.fault ? "!" : "") + finding.code + " " + finding.tool + "; ";
    return out;
  }
  static const Finding* find(const CheckReport& report, const std::string& code) {
    for (const Finding& finding : report.findings) {
      if (finding.code == code) return &finding;
    }
    return nullptr;
  }
  fs::path odd(const std::string& name) {
    return places::build() / "tests/plugins/oddly_built" / ("odd_" + name + ".so");
  }

  std::chrono::milliseconds start_timeout_ = 60s;  // also enough on a busy machine
};

TEST_F(PluginCheck, CallsWhatReadsOnlyWithExampleArguments) {
  const CheckReport report = check(odd("well"));
  EXPECT_EQ(codes(report), "W102 odd_strict; W103 odd_strict; W101 odd_write; ");
  ASSERT_EQ(report.calls.size(), 2u);
  EXPECT_EQ(report.calls[1].arguments, R"({"x":3})");
  EXPECT_EQ(report.calls[1].answer, R"({"result":3})");
  EXPECT_NE(find(report, "W103")->message.find("/x"), std::string::npos);
  EXPECT_FALSE(report.faulty());
  EXPECT_EQ(check(odd("well"), true).calls.size(), 3u);
}

TEST_F(PluginCheck, TellsWhatTheStructureSaysBeforeItLoadsAnything) {
  const CheckReport report = check(odd("undefined"));
  EXPECT_TRUE(report.faulty());
  EXPECT_FALSE(report.manifest);
  EXPECT_NE(find(report, "E007"), nullptr) << codes(report);
}

TEST_F(PluginCheck, TellsWhyItDoesNotStartOrDescribesItselfBadly) {
  EXPECT_NE(find(check(animal("crashes_at_load")), "P002")->message.find("signal 6"),
            std::string::npos);
  start_timeout_ = 1s;
  EXPECT_NE(find(check(animal("hangs_at_load")), "P002")->message.find("within 1000 ms"),
            std::string::npos);
  start_timeout_ = 60s;
  EXPECT_NE(find(check(odd("indescribable")), "P002")->message.find("nobody knows its version"),
            std::string::npos);
  EXPECT_NE(find(check(animal("upstream_name")), "P003")->message.find("mcp_"), std::string::npos);
  EXPECT_NE(find(check(animal("settings_schema"), false, R"({"count":"x"})"), "P002")
                ->message.find("/count"),
            std::string::npos);
}

TEST_F(PluginCheck, TellsThatItsEndCrashesOrHangs) {
  const Finding* found = nullptr;
  const CheckReport crashed = check(animal("faults_in_destroy"));
  ASSERT_NE(found = find(crashed, "P007"), nullptr) << codes(crashed);
  EXPECT_TRUE(found->fault);
  EXPECT_NE(found->message.find("SIGSEGV"), std::string::npos) << found->message;
  EXPECT_NE(found->message.find("destroy"), std::string::npos) << found->message;
  start_timeout_ = 1s;
  const CheckReport hung = check(animal("faults_hang_in_destroy"));
  ASSERT_NE(found = find(hung, "P007"), nullptr) << codes(hung);
  EXPECT_NE(found->message.find("did not end"), std::string::npos) << found->message;
  start_timeout_ = 60s;
  EXPECT_EQ(find(check(animal("faults")), "P007"), nullptr);
}

TEST_F(PluginCheck, ShippedPluginsPass) {
  for (const auto* name : {"hello", "clock"}) {
    const CheckReport report = check(places::build() / "plugins" / (std::string(name) + ".so"));
    EXPECT_FALSE(report.faulty()) << name << ": " << codes(report);
    EXPECT_FALSE(report.calls.empty()) << name;
  }
}

}  // namespace
}  // namespace host::plugin
