#include "cli/command/command_line.h"

#include <gtest/gtest.h>

#include "cli/output/exit_code.h"

namespace host::cli {
namespace {

Parsed parse(std::vector<const char*> words) {
  words.insert(words.begin(), "toolpost");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Parsed parsed = parse_command_line(static_cast<int>(words.size()), words.data());
  testing::internal::GetCapturedStdout();
  testing::internal::GetCapturedStderr();
  return parsed;
}

TEST(CommandLine, ServesHttpUnlessToldToUseStandardInput) {
  EXPECT_EQ(parse({"serve"}).command->verb, Verb::Serve);
  EXPECT_FALSE(parse({"serve"}).command->stdio);
  EXPECT_TRUE(parse({"serve", "--stdio"}).command->stdio);
  EXPECT_EQ(parse({"serve", "--listen", "127.0.0.1:0"}).command->listen, "127.0.0.1:0");
}

TEST(CommandLine, TakesACallWithItsArguments) {
  const auto command = parse({"call", "echo", "text=hi", "--json"}).command;
  ASSERT_TRUE(command.has_value());
  EXPECT_EQ(command->verb, Verb::Call);
  EXPECT_EQ(command->tool, "echo");
  EXPECT_EQ(command->arguments, std::vector<std::string>{"text=hi"});
  EXPECT_TRUE(command->json);
}

TEST(CommandLine, TakesWebhooks) {
  EXPECT_EQ(parse({"webhooks"}).command->verb, Verb::Webhooks);
  EXPECT_EQ(parse({"webhooks", "list"}).command->verb, Verb::Webhooks);
  const auto add = parse({"webhooks", "add", "https://a.example/", "--events",
                          "call.finished,approval.asked", "--principal", "anna"})
                       .command;
  ASSERT_TRUE(add.has_value());
  EXPECT_EQ(add->verb, Verb::WebhooksAdd);
  EXPECT_EQ(add->url, "https://a.example/");
  EXPECT_EQ(add->events, (std::vector<std::string>{"call.finished", "approval.asked"}));
  EXPECT_EQ(add->principal, "anna");
  EXPECT_EQ(add->covers, "principal");
  const auto replay = parse({"webhooks", "replay", "wh_1", "evt_1", "evt_2"}).command;
  ASSERT_TRUE(replay.has_value());
  EXPECT_EQ(replay->verb, Verb::WebhooksReplay);
  EXPECT_EQ(replay->arguments, (std::vector<std::string>{"evt_1", "evt_2"}));
  EXPECT_EQ(parse({"webhooks", "add", "https://a.example/"}).exit_code, kExitUsage);
  EXPECT_EQ(
      parse({"webhooks", "add", "https://a.example/", "--events", "a", "--covers", "x"}).exit_code,
      kExitUsage);
}

TEST(CommandLine, TakesFoldersInPlaceOfTheConfiguredOnes) {
  const auto command =
      parse({"tools", "--plugins", "a", "--plugins", "b", "--class", "pre"}).command;
  ASSERT_TRUE(command.has_value());
  EXPECT_EQ(command->plugin_dirs, (std::vector<std::filesystem::path>{"a", "b"}));
  EXPECT_EQ(command->tool_class, "pre");
}

TEST(CommandLine, NamesAnUnknownCommandAndTheNearest) {
  const auto said = [](std::vector<const char*> words) {
    testing::internal::CaptureStderr();
    words.insert(words.begin(), "toolpost");
    const Parsed parsed = parse_command_line(static_cast<int>(words.size()), words.data());
    EXPECT_EQ(parsed.exit_code, kExitUsage);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(said({"cal", "echo"}),
            "unknown command \"cal\": did you mean \"call\"?\n"
            "Run with --help for more information.\n");
  EXPECT_NE(said({"config", "chek"}).find("did you mean \"check\"?"), std::string::npos);
  EXPECT_NE(said({"approvals", "aprove", "ap_1"}).find("did you mean \"approve\"?"),
            std::string::npos);
}

TEST(CommandLine, TakesWhichCallsToList) {
  const auto list =
      parse({"calls", "list", "--session", "s_1", "--state", "PENDING", "--limit", "7"}).command;
  ASSERT_TRUE(list.has_value());
  EXPECT_EQ(list->verb, Verb::Calls);
  EXPECT_EQ(list->session, "s_1");
  EXPECT_EQ(list->state, "PENDING");
  EXPECT_EQ(list->limit, 7u);
  const auto plain = parse({"calls", "--state", "PENDING"}).command;
  ASSERT_TRUE(plain.has_value());
  EXPECT_EQ(plain->verb, Verb::Calls);
  EXPECT_EQ(plain->state, "PENDING");
  const auto cancel = parse({"calls", "cancel", "r_1"}).command;
  ASSERT_TRUE(cancel.has_value());
  EXPECT_EQ(cancel->verb, Verb::CallsCancel);
  EXPECT_EQ(cancel->name, "r_1");
}

TEST(CommandLine, TakesSeveralScopesWithCommas) {
  const auto key =
      parse({"key", "new", "ann", "--scope", "call,context", "--scope", "admin"}).command;
  ASSERT_TRUE(key.has_value());
  EXPECT_EQ(key->scopes, (std::vector<std::string>{"call", "context", "admin"}));
  EXPECT_FALSE(parse({"key", "new", "ann", "--scope", "call,all"}).command);
}

TEST(CommandLine, ShowsTheWholeCallOnlyIfAsked) {
  EXPECT_FALSE(parse({"calls", "show", "r_1"}).command->whole);
  EXPECT_TRUE(parse({"calls", "show", "r_1", "--whole"}).command->whole);
}

TEST(CommandLine, TellsUsageErrorsFromHelp) {
  for (const std::vector<const char*>& bad : {std::vector<const char*>{},
                                              {"nonsense"},
                                              {"call"},
                                              {"tools", "--class", "odd"},
                                              {"client-config", "emacs"},
                                              {"plugins", "--files", "reload", "hello"},
                                              {"plugins", "--plugins", "d", "reload", "hello"},
                                              {"plugins", "--skills", "d", "release", "hello"},
                                              {"approvals", "--all", "show", "a1"},
                                              {"calls", "--limit", "7", "show", "r_1"},
                                              {"calls", "list", "--state", "odd"},
                                              {"calls", "list", "--limit", "0"},
                                              {"serve", "--port", "1"}}) {
    const Parsed parsed = parse(bad);
    EXPECT_FALSE(parsed.command.has_value());
    EXPECT_EQ(parsed.exit_code, kExitUsage);
  }
  EXPECT_TRUE(parse({"plugins", "--config", "c", "reload", "hello"}).command.has_value());
  const Parsed help = parse({"--help"});
  EXPECT_FALSE(help.command.has_value());
  EXPECT_EQ(help.exit_code, kExitOk);
}

}  // namespace
}  // namespace host::cli
