#include "checkout/git.h"

#include <gmock/gmock.h>

#include <atomic>
#include <cstdlib>

#include "config/skill_repository.h"

namespace host::checkout {
namespace {

using testing::Contains;
using testing::Each;
using testing::Not;
using testing::StartsWith;

TEST(GitOptions, AllowOnlyTheSchemeAndNoProgramOfTheRepository) {
  const std::vector<std::string> options = git_options("https");
  EXPECT_THAT(options, Contains("protocol.allow=never"));
  EXPECT_THAT(options, Contains("protocol.https.allow=always"));
  EXPECT_THAT(options, Contains("core.hooksPath=/dev/null"));
  EXPECT_THAT(options, Contains("credential.helper="));
  EXPECT_THAT(options, Contains("http.followRedirects=false"));
  EXPECT_THAT(options, Contains("transfer.fsckObjects=true"));
  for (std::size_t i = 0; i < options.size(); i += 2) EXPECT_EQ(options[i], "-c");
  EXPECT_THAT(git_options(""), Not(Contains("protocol..allow=always")));
}

TEST(GitEnvironment, HasNothingOfTheHostsThatCouldRunAProgramOrHoldASecret) {
  ::setenv("GIT_SSH_COMMAND", "touch /tmp/x", 1);
  ::setenv("GIT_DIR", "/elsewhere", 1);
  ::setenv("MY_TOKEN", "secret", 1);
  const std::vector<std::string> variables = git_environment("ssh", "/state/team/work");
  for (const char* const name : {"GIT_SSH_COMMAND", "GIT_DIR", "MY_TOKEN"}) {
    EXPECT_THAT(variables, Each(Not(StartsWith(std::string(name) + "=")))) << name;
    ::unsetenv(name);
  }
  EXPECT_THAT(variables, Contains("GIT_CONFIG_NOSYSTEM=1"));
  EXPECT_THAT(variables, Contains("GIT_CONFIG_GLOBAL=/dev/null"));
  EXPECT_THAT(variables, Contains("GIT_TERMINAL_PROMPT=0"));
  EXPECT_THAT(variables, Contains("GIT_ALLOW_PROTOCOL=ssh"));
  EXPECT_THAT(variables, Contains("GIT_CEILING_DIRECTORIES=/state/team"));
  EXPECT_THAT(git_environment("", "/x/y"), Contains("GIT_ALLOW_PROTOCOL=none"));
}

// No pull may be in progress: a comparison runs git too.
TEST(GitRun, NamesTheCommandThatTakesTooLong) {
  const std::atomic<bool> cancelled = false;
  const Git git({"/bin/true", "", steady_now(), 0}, cancelled);
  const auto done = git.run({{"diff", "--no-index"}, "/"});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "git diff did not end within timeout_s");
}

TEST(GitUrls, ThatGitCouldTakeForSomethingElseAreRefused) {
  for (const char* const good :
       {"https://git.example/team/skills.git", "https://git.example:8443/x",
        "ssh://git@git.example/x", "ssh://git.example:22/~team/x", "file:///srv/skills",
        "http://127.0.0.1:8080/x", "http://localhost/x", "http://[::1]:1/x"}) {
    EXPECT_EQ(config::git_url_form(good), nullptr) << good;
  }
  for (const char* const bad : {"",
                                "skills",
                                "/srv/skills",
                                "git.example:team/x",
                                "ext::sh -c x",
                                "https::x://a/b",
                                "git://git.example/x",
                                "http://git.example/x",
                                "http://127.0.0.1.evil.example/x",
                                "http://localhost@evil.example/x",
                                "https://user:word@git.example/x",
                                "https://user@git.example/x",
                                "https:///x",
                                "https://git.example",
                                "https://git.example/",
                                "https://git.example/x?y",
                                "https://git.example/x#y",
                                "https://git.example/a b",
                                "https://git.example/$(x)",
                                "https://git.example/a/../b",
                                "ssh://-oProxyCommand=x/y",
                                "ssh://-o@h/y",
                                "ssh://a:b@h/y",
                                "file://host/x",
                                "file://x",
                                "--upload-pack=x",
                                "https://%2dx/y",
                                "file:///-x",
                                "https://git.example/a\nb"}) {
    EXPECT_NE(config::git_url_form(bad), nullptr) << bad;
  }
}

TEST(GitRefs, FollowTheRulesOfGitAndAreNoOptions) {
  for (const char* const good : {"", "main", "v1.2", "team/next", "refs/heads/main", "a@b",
                                 "0123456789abcdef0123456789abcdef01234567"}) {
    EXPECT_EQ(config::git_ref_form(good), nullptr) << good;
  }
  for (const char* const bad : {"-x",    "--upload-pack=x",
                                "+main", "a..b",
                                "a b",   "a~1",
                                "a^",    "a:b",
                                "a?",    "a*",
                                "a[",    "a\\b",
                                "@",     "@{1}",
                                "a/",    "/a",
                                "a//b",  ".a",
                                "a/.b",  "a.lock",
                                "a.",    "a\nb"}) {
    EXPECT_NE(config::git_ref_form(bad), nullptr) << bad;
  }
}

TEST(GitPaths, StayInTheRepository) {
  for (const char* const good : {"", "skills", "a/b", ".claude/skills", "my skills"})
    EXPECT_EQ(config::git_path_form(good), nullptr) << good;
  for (const char* const bad :
       {"/a", "a/", "a//b", "..", "a/../b", ".", "a/.git/b", "a\\b", "a\nb", "-x", ":(glob)**"})
    EXPECT_NE(config::git_path_form(bad), nullptr) << bad;
}

TEST(CommitIds, AreWhole) {
  EXPECT_TRUE(config::is_commit_id(std::string(40, 'a')));
  EXPECT_TRUE(config::is_commit_id(std::string(64, '0')));
  EXPECT_FALSE(config::is_commit_id("abc1234"));
  EXPECT_FALSE(config::is_commit_id(std::string(40, 'A')));
  EXPECT_FALSE(config::is_commit_id(std::string(40, 'g')));
}

}  // namespace
}  // namespace host::checkout
