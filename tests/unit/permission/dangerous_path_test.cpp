#include "permission/path/dangerous_path.h"

#include <gmock/gmock.h>

#include "unit/permission/support.h"

namespace host::permission::test {
namespace {

const DangerousPaths kPaths;

bool dangerous(std::string_view path) {
  return kPaths.find(path, kPlace).has_value();
}

// Case 13.
TEST(DangerousPath, NamesFilesThatToolsRunOrThatHoldSecrets) {
  for (const std::string_view path :
       {"/home/u/.bashrc", "~/.bashrc", "x/.ENV", ".env.production.local", "/srv/.git/config",
        "a/.SSH/known_hosts", "~/.aws/credentials", "/root/.kube/config", "id_rsa",
        "keys/id_ed25519", "/home/u/.gnupg/x", "~/.config/gh/hosts.yml", "/etc/shadow",
        "/etc/sudoers.d/x", "proj/.vscode/tasks.json"}) {
    EXPECT_TRUE(dangerous(path)) << path;
  }
}

TEST(DangerousPath, KnowsSecretsByTheFormOfTheirNames) {
  for (const std::string_view path :
       {"server.pem", "/srv/tls/PRIVATE.KEY", "a.p12", "a.pfx", "store.jks", "pass.kdbx",
        "putty.ppk", "AuthKey_ABC.p8", "host.keytab", "id_rsa_work", "keys/id_ed25519.old",
        "id_ecdsa-2026", "~/.cargo/credentials.toml", ".htpasswd", "infra/terraform.tfstate"}) {
    EXPECT_TRUE(dangerous(path)) << path;
  }
  for (const std::string_view path :
       {"id_rsa_work.pub", "id_ed25519.pub", "server.crt", "key", "pem", "keys.txt", "a.keys",
        "id_rsabc", "monkey", "openssl.pem.md", "credentials.toml"}) {
    EXPECT_FALSE(dangerous(path)) << path;
  }
  EXPECT_TRUE(kPaths.find_expansion("certs/*.pem", kPlace));
  EXPECT_TRUE(kPaths.find_expansion("a?.key", kPlace));
  EXPECT_FALSE(kPaths.find_expansion("pl*", kPlace));
}

// Case 13.
TEST(DangerousPath, LeavesOtherPathsAlone) {
  for (const std::string_view path :
       {"", "proj/main.py", "env", ".environment", "my.env", "git/config", "id_rsa.pub",
        "/etc/hosts", "config/gh", "/x/etc/shadow", "~"}) {
    EXPECT_FALSE(dangerous(path)) << path;
  }
}

TEST(DangerousPath, IsFoundThroughDotsAndDoubledSlashes) {
  EXPECT_TRUE(dangerous("a/.././/.ssh/./x"));
  EXPECT_TRUE(dangerous("/home/u/x/../.bashrc"));
  EXPECT_FALSE(dangerous("/home/u/.ssh/../main.py"));
  EXPECT_TRUE(dangerous("../../../etc/shadow"));
}

TEST(DangerousPath, WithANulByteIsDangerous) {
  EXPECT_TRUE(dangerous(std::string_view("main.py\0.env", 12)));
}

// Case 13.
TEST(DangerousPath, IsFoundWhereASymbolicLinkLeads) {
  const TemporaryFolder folder;
  folder.folder(".ssh");
  folder.file(".env");
  EXPECT_TRUE(dangerous(folder.link("keys", folder / ".ssh") + "/x"));
  EXPECT_TRUE(dangerous(folder.link("settings", folder / ".env")));
  EXPECT_TRUE(dangerous(folder.link("hop", "settings"))) << "by two links, one of them relative";
  EXPECT_FALSE(dangerous(folder.link("plain", folder.file("main.py"))));
}

TEST(DangerousPath, IsFoundWhereALinkLeadsToNothingYet) {
  const TemporaryFolder folder;
  EXPECT_TRUE(dangerous(folder.link("new", folder / ".bashrc")));
}

TEST(DangerousPath, IsFoundThroughALinkedParentOfAFileThatDoesNotExist) {
  const TemporaryFolder folder;
  folder.folder("repo/.git/hooks");
  EXPECT_TRUE(dangerous(folder.link("hooks", folder / "repo/.git/hooks") + "/pre-commit"));
}

TEST(DangerousPath, IsFoundWhereDotsFollowALink) {
  const TemporaryFolder folder;
  folder.folder(".ssh/deep");
  // As text this is `folder/x`, to the kernel `folder/.ssh/x`.
  EXPECT_TRUE(dangerous(folder.link("link", folder / ".ssh/deep") + "/../x"));
}

TEST(DangerousPath, SurvivesLinksInACircleAndPathsThatAreTooLong) {
  const TemporaryFolder folder;
  folder.link("a", "b");
  EXPECT_FALSE(dangerous(folder.link("b", "a") + "/x"));
  std::string deep;
  for (int i = 0; i < 200'000; ++i) deep += "a/";
  EXPECT_FALSE(dangerous(deep));
  EXPECT_TRUE(dangerous(deep + ".env"));
}

TEST(DangerousPath, TakesEntriesOfConfigurationAndTool) {
  const DangerousPaths paths({"Secret.txt", "deploy/prod", "/srv/data", "~/private/", ""});
  const std::vector<std::string> tool{"ledger.db"};
  EXPECT_TRUE(paths.find("x/secret.TXT", kPlace));
  EXPECT_TRUE(paths.find("a/deploy/prod/x", kPlace));
  EXPECT_FALSE(paths.find("a/deploy/x/prod", kPlace));
  EXPECT_TRUE(paths.find("/srv/data/x", kPlace));
  EXPECT_FALSE(paths.find("/srv/database", kPlace));
  EXPECT_FALSE(paths.find("/x/srv/data", kPlace));
  EXPECT_TRUE(paths.find("/home/u/private/x", kPlace));
  EXPECT_TRUE(paths.find("x/ledger.db", kPlace, tool));
  EXPECT_FALSE(paths.find("x/ledger.db", kPlace));
  EXPECT_TRUE(paths.find(".env", kPlace)) << "the built-in ones stay";
}

// `/home` may be a link to `/data/home`.
TEST(DangerousPath, IsFoundByTheRealPathOfAnEntryWithALink) {
  const TemporaryFolder folder;
  const std::string real = folder.folder("data/home/u");
  folder.link("home", folder / "data/home");
  const Place place{folder / "home/u", real};
  const std::vector<std::string> entries{folder / "home/u/payroll/", "~/keys"};
  const auto found = [&](std::string_view path) {
    const bool of_tool = DangerousPaths().find(path, place, entries).has_value();
    EXPECT_EQ(DangerousPaths(entries).find(path, place).has_value(), of_tool);
    return of_tool;
  };
  for (const std::string& path :
       {real + "/payroll/x", folder / "home/u/payroll", std::string("payroll/x"),
        std::string("~/payroll"), real + "/Keys", std::string("keys/a/b"), real + "/./x/../keys"}) {
    EXPECT_TRUE(found(path)) << path;
  }
  for (const std::string& path : {real + "/payrolls", real, std::string("x/keys")})
    EXPECT_FALSE(found(path)) << path;
  for (const std::string_view pattern : {"pay*l", "k*s", "~/k*s"})
    EXPECT_TRUE(DangerousPaths(entries).find_expansion(pattern, place)) << pattern;
  EXPECT_EQ(places(entries, place),
            (std::vector<std::string>{folder / "home/u/payroll", real + "/payroll",
                                      folder / "home/u/keys", real + "/keys"}));
}

TEST(DangerousPath, IsWhatWildcardsMayExpandTo) {
  for (const std::string_view pattern : {"~/.s*/x", ".e*", "id_*", "~/.ssh/*", "/etc/sh*"}) {
    EXPECT_TRUE(kPaths.find_expansion(pattern, kPlace)) << pattern;
  }
  for (const std::string_view pattern : {"*", "*.txt", "src/*.c", "a?"}) {
    EXPECT_FALSE(kPaths.find_expansion(pattern, kPlace)) << pattern;
  }
}

// Case 13.
TEST(DangerousPath, IsAskedForAndMakesACallNoReading) {
  for (const Mode mode : {Mode::Default, Mode::AcceptEdits, Mode::Bypass}) {
    SCOPED_TRACE(to_string(mode));
    for (const auto& tool : {writes_file("t"), reads_file("t")}) {
      const auto decision = decide_path(engine(mode, {allow("t")}), tool, "/home/u/.bashrc");
      EXPECT_EQ(decision.behavior, Behavior::Ask);
      EXPECT_EQ(decision.step, Step::Safety);
      EXPECT_TRUE(decision.safety);
      EXPECT_FALSE(decision.rules_can_allow());
      EXPECT_THAT(decision.reason, ::testing::HasSubstr(".bashrc"));
    }
  }
  EXPECT_EQ(decide_path(engine(Mode::Default), reads_file(), "proj/main.py").behavior,
            Behavior::Allow);
}

TEST(DangerousPath, IsLookedForInEveryPathOfAnArray) {
  json::Document given = arguments({});
  json::Value list(rapidjson::kArrayType);
  list.PushBack(json::string("a.txt", given.allocator()), given.allocator());
  list.PushBack(json::string(".env", given.allocator()), given.allocator());
  json::set(given.root(), "path", std::move(list), given.allocator());
  EXPECT_EQ(decide(engine(Mode::Bypass), reads_file(), given).behavior, Behavior::Ask);
}

TEST(DangerousPath, AsksWhereACallNamesTooManyPathsToLookAt) {
  json::Document given = arguments({});
  json::Value list(rapidjson::kArrayType);
  for (int i = 0; i < 5000; ++i) {
    list.PushBack(json::string("a" + std::to_string(i), given.allocator()), given.allocator());
  }
  json::set(given.root(), "path", std::move(list), given.allocator());
  const auto decision = decide(engine(Mode::Bypass, {allow("read")}), reads_file(), given);
  EXPECT_EQ(decision.behavior, Behavior::Ask);
  EXPECT_TRUE(decision.safety);
}

}  // namespace
}  // namespace host::permission::test
