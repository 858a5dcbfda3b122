// The words for toolpost-confine, its reports, and the profile of an upstream's settings.
#include "upstream/confine/order.h"

#include <gmock/gmock.h>

#include "sandbox/required_layers.h"
#include "upstream/confine/report.h"
#include "upstream/manager/confinement.h"

namespace host::upstream {
namespace {

using sandbox::LayerName;
using sandbox::Profile;

Result<Profile> read(const std::vector<std::string>& words) {
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  return profile_in(pointers);
}

Profile with_everything() {
  Profile profile;
  profile.server = true;
  profile.fs = {{"/srv/in", false}, {"/srv/a folder:=rw", true}};
  profile.sockets = true;
  profile.exec = true;
  profile.memory_bytes = 1ull << 40u;
  profile.file_bytes = 2;
  profile.cpu_seconds = 3;
  profile.open_files = 4;
  profile.processes = 5;
  profile.uid = 6;
  profile.host = 7;
  profile.landlock_abi = 3;
  profile.required.add(LayerName::Seccomp);
  profile.required.add(LayerName::Landlock);
  return profile;
}

TEST(ConfineOrder, HasEverythingOfAProfile) {
  const auto same = read(words_of(with_everything()));
  ASSERT_TRUE(same) << same.error().message;
  EXPECT_EQ(*same, with_everything());
  Profile least;
  least.server = true;
  EXPECT_EQ(*read(words_of(least)), least);
}

TEST(ConfineOrder, RefusesWordsThatItDoesNotKnow) {
  for (const char* word :
       {"", "memory", "memory=", "memory=-1", "memory=1x", "memory=18446744073709551616",
        "uid=4294967296", "ro:relative", "rw:", "rx:/srv", "Sockets", "exec=1", "require=x"}) {
    EXPECT_FALSE(read({"memory=1", word})) << word;
  }
}

TEST(ConfineReport, BringsEachLayerAndAbsentPath) {
  sandbox::Applied said;
  said.layers = {{LayerName::Limits, true, "memory 64 MiB, 64 descriptors"},
                 {LayerName::NoNewPrivs, true, ""},
                 {LayerName::Landlock, false, "this kernel has none"}};
  said.absent = {"/srv/none: No such file or directory"};
  sandbox::Applied heard;
  const std::string lines = report_of(said);
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at);
    EXPECT_TRUE(take_report(lines.substr(at, end - at), heard));
    at = end + 1;
  }
  EXPECT_EQ(heard.layers, said.layers);
  EXPECT_EQ(heard.absent, said.absent);
}

TEST(ConfineReport, IsOneLineWhateverAPathHas) {
  sandbox::Applied said;
  said.absent = {"/srv/a\nstarted 1\n: No such file or directory"};
  EXPECT_EQ(report_of(said), "absent /srv/a?started 1?: No such file or directory\n");
  EXPECT_EQ(refusal_report("two\nlines"), "refused two?lines\n");
}

TEST(ConfineReport, LeavesTheKeepersLines) {
  sandbox::Applied heard;
  for (const char* line : {"started 12", "exited 0", "failed 2", "refused why", "layer ",
                           "layer nothing 1 x", "layers 1", ""}) {
    EXPECT_FALSE(take_report(line, heard)) << line;
  }
  EXPECT_TRUE(heard.layers.empty());
}

TEST(Confinement, AFailedStartNamesTheKeysThatCanBeTheCause) {
  config::UpstreamSandbox sandbox;
  sandbox.fs = {{"/a", false}, {"/b", true}};
  EXPECT_EQ(sandbox_hint(sandbox, {"ready soon"}),
            "it ran in a sandbox with ro:/a, rw:/b, without `sockets`, without `exec`");
  const auto hint = [&](const char* said) { return sandbox_hint(sandbox, {"before", said}); };
  EXPECT_THAT(hint("open: Permission denied"),
              ::testing::EndsWith("be a path that is missing in `fs`"));
  EXPECT_THAT(hint("connect EPERM 127.0.0.1"),
              ::testing::EndsWith("a missing `sockets` or `exec`"));
  EXPECT_THAT(hint("sh: Cannot fork"), ::testing::EndsWith("a missing `exec`"));
  EXPECT_THAT(hint("MemoryError"), ::testing::EndsWith("`memory_mib`"));
  EXPECT_THAT(hint("its process was killed by SIGXCPU"), ::testing::EndsWith("`cpu_s`"));
  sandbox.uid = 7;
  sandbox.exec = true;
  EXPECT_THAT(hint("EACCES"), ::testing::EndsWith("or a file that user 7 may not use"));
  EXPECT_THAT(hint("EPERM"), ::testing::EndsWith("a missing `sockets`"));
  EXPECT_THAT(hint("Cannot fork"), ::testing::EndsWith("can be `processes`"));
  sandbox.fs.resize(9, {"/c", false});
  EXPECT_THAT(hint(""), ::testing::HasSubstr("ro:/c, ro:/c and 5 more paths, without `sockets`"));
  sandbox.fs.clear();
  EXPECT_THAT(hint(""), ::testing::HasSubstr("with no paths in `fs`"));
}

TEST(Confinement, IsOfTheSettings) {
  config::Upstream upstream;
  EXPECT_FALSE(profile_of(upstream, {}));
  config::UpstreamSandbox& settings = upstream.sandbox.emplace();
  settings.fs = {{"/srv", true}};
  settings.memory_mib = 2;
  settings.file_mib = 3;
  settings.cpu_s = 4;
  settings.processes = 5;
  settings.open_files = 6;
  settings.uid = 7;
  config::Sandbox layers;
  layers.require = {"seccomp"};
  const auto profile = profile_of(upstream, layers);
  ASSERT_TRUE(profile);
  EXPECT_TRUE(profile->server);
  EXPECT_FALSE(profile->exec || profile->sockets);
  EXPECT_EQ(profile->fs, settings.fs);
  EXPECT_EQ(profile->memory_bytes, 2u << 20u);
  EXPECT_EQ(profile->file_bytes, 3u << 20u);
  EXPECT_EQ(profile->cpu_seconds, 4u);
  EXPECT_EQ(profile->processes, 5u);
  EXPECT_EQ(profile->open_files, 6u);
  EXPECT_EQ(profile->uid, 7u);
  EXPECT_EQ(profile->required, sandbox::required_layers({"seccomp"}));
  EXPECT_EQ(in_words(settings),
            (std::vector<std::string>{"rw:/srv", "memory_mib 2", "file_mib 3", "cpu_s 4",
                                      "open_files 6", "processes 5", "uid 7"}));
}

}  // namespace
}  // namespace host::upstream
