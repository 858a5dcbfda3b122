#include "unit/permission/support.h"

namespace host::permission::test {
namespace {

struct AcceptEdits : ::testing::Test {
  TemporaryFolder folder;
  std::string work = folder.folder("work");
  Place place{"/home/u", work};
  Engine host = engine(Mode::AcceptEdits, {}, {work}, place);

  Behavior write(std::string_view path) { return decide_path(host, writes_file(), path).behavior; }
  Behavior run(std::string_view command) {
    return decide_command(host, command, {}, place).behavior;
  }
};

// Case 14.
TEST_F(AcceptEdits, AllowsFilesInsideAWorkingDirectoryAndAsksOutside) {
  EXPECT_EQ(write(work + "/a/b.txt"), Behavior::Allow);
  EXPECT_EQ(write("b.txt"), Behavior::Allow);
  EXPECT_EQ(write(folder / "b.txt"), Behavior::Ask);
  EXPECT_EQ(write(work + "er/b.txt"), Behavior::Ask) << "a longer name is another folder";
  EXPECT_EQ(write("../b.txt"), Behavior::Ask);
}

// Case 14.
TEST_F(AcceptEdits, ComparesRealPathsOfBothSides) {
  const std::string link = folder.link("link", work);
  EXPECT_EQ(write(link + "/x"), Behavior::Allow);
  EXPECT_EQ(decide_path(engine(Mode::AcceptEdits, {}, {link}, place), writes_file(), work + "/x")
                .behavior,
            Behavior::Allow);
  folder.link("work/out", folder.folder("outside"));
  EXPECT_EQ(write(work + "/out/x"), Behavior::Ask);
  folder.link("work/file", folder / "outside/new");
  EXPECT_EQ(write(work + "/file"), Behavior::Ask) << "a link to what does not exist yet";
}

// Case 14.
TEST_F(AcceptEdits, StillAsksForDangerousPathsInside) {
  const auto decision = decide_path(host, writes_file(), work + "/.git/config");
  EXPECT_EQ(decision.behavior, Behavior::Ask);
  EXPECT_TRUE(decision.safety);
}

TEST_F(AcceptEdits, AllowsNoToolWithoutPaths) {
  EXPECT_EQ(decide(host, named("w")).behavior, Behavior::Ask);
  EXPECT_EQ(decide(host, writes_file()).behavior, Behavior::Ask) << "no path was given";
}

TEST_F(AcceptEdits, AsksBeforeAFolderGoesThatHoldsSomethingDangerousOrIsAWorkingFolder) {
  for (const char* each : {"work/repo", "work/repo/.git", "work/plain", "work/plain/sub"})
    folder.folder(each);
  for (const char* command : {"rm -r repo", "rm -rv ./repo/", "mv repo repo2",
                              "mv plain repo plain2", "mv repo/.git x", "mv -t plain repo"}) {
    EXPECT_EQ(run(command), Behavior::Ask) << command;
  }
  EXPECT_EQ(run("rm -r " + work), Behavior::Ask);
  EXPECT_EQ(run("rm -r ."), Behavior::Ask);
  EXPECT_EQ(run("mv " + work + " " + work + "/x"), Behavior::Ask);
  EXPECT_EQ(run("rm -r plain"), Behavior::Allow);
  EXPECT_EQ(run("mv plain plain2"), Behavior::Allow);
  for (int i = 0; i < 5000; ++i) folder.link("work/plain/n" + std::to_string(i), "x");
  EXPECT_EQ(run("rm -r plain"), Behavior::Ask) << "more than is looked at";
}

// Case 14.
TEST_F(AcceptEdits, AllowsFileCommandsAllOfWhoseTargetsAreInside) {
  EXPECT_EQ(run("mkdir " + work + "/a"), Behavior::Allow);
  EXPECT_EQ(run("mkdir -p a/b && ls a"), Behavior::Allow);
  EXPECT_EQ(run("cp a b && ls"), Behavior::Allow);
  EXPECT_EQ(run("mv -- -a b"), Behavior::Allow);
  EXPECT_EQ(run("rm a.txt"), Behavior::Allow);
  EXPECT_EQ(run("sed -i 's/a/b/' x.txt"), Behavior::Allow);
}

// Case 14.
TEST_F(AcceptEdits, AsksForFileCommandsWithATargetElsewhere) {
  for (const std::string& command :
       {"cp /etc/hosts " + work + "/x", std::string("rm"), std::string("cp a ../b"),
        std::string("cp -t/etc a"), std::string("cp --target-directory=/etc a"),
        std::string("cp -rt/etc a"), std::string("touch a && curl x"), std::string("touch $X"),
        std::string("touch a*"), std::string("cd /etc && touch a"), std::string("FOO=1 touch a"),
        std::string("touch a > ../b"), std::string("sed -i 's/a/b/' ../x"),
        std::string("chmod 644 a")}) {
    EXPECT_EQ(run(command), Behavior::Ask) << command;
  }
}

// Where a path leads is looked at before the first of them runs.
TEST_F(AcceptEdits, AllowsOneChangeACommand) {
  folder.folder("work/s2/g/hooks");
  folder.link("work/b", folder.folder("outside"));
  for (const std::string_view command :
       {"mv s2 s3 && cp payload s3/g/hooks/x", "mv sub b && touch b/link/evil",
        "mkdir a; touch a/b", "rm a | rm b", "touch a & touch b", "touch a\ntouch b",
        "touch a && cat a && rm a", "sed -i 's/a/b/' x && touch x"}) {
    EXPECT_EQ(run(command), Behavior::Ask) << command;
  }
  EXPECT_EQ(run("ls && touch a && cat a"), Behavior::Allow);
}

TEST_F(AcceptEdits, LooksAtWhatACommandPutsIntoAFolder) {
  folder.folder("work/into");
  folder.link("work/into/payload", folder / "outside");
  EXPECT_EQ(run("cp payload into"), Behavior::Ask);
  EXPECT_EQ(run("cp x/payload into/"), Behavior::Ask);
  EXPECT_EQ(run("mv -t into payload"), Behavior::Ask);
  EXPECT_EQ(run("cp --target-directory=into payload"), Behavior::Ask);
  EXPECT_EQ(run("cp other into"), Behavior::Allow);
  folder.link("work/places", folder.folder("work/.git"));
  EXPECT_EQ(run("cp config places"), Behavior::Ask);
}

// What lies in a tree, and what it meets on the other side, is not looked at.
TEST_F(AcceptEdits, AsksForOptionsThatItDoesNotKnow) {
  for (const std::string_view command :
       {"cp -r a b", "cp -a a b", "cp --recursive a b", "cp --rec a b", "cp -l a b",
        "cp --target-dir=/etc a", "rmdir -p a/b", "touch -r a b", "mkdir -m 777 a", "rm --x a",
        "mv --suffix=x a b", "cp -S x a b", "sed --in-place 's/a/b/' x", "sed -n '1w x' y"}) {
    EXPECT_EQ(run(command), Behavior::Ask) << command;
  }
  EXPECT_EQ(run("rm -r a"), Behavior::Allow);
  EXPECT_EQ(run("mv -f a b"), Behavior::Allow);
}

TEST_F(AcceptEdits, MeansPathsOfACommandFromItsFolderArgumentToo) {
  tool::Declaration tool = shell();
  tool.path_args = {"/cwd"};
  const auto touch = [&](std::string_view cwd, std::string_view command) {
    return decide(host, tool, arguments({{"cwd", cwd}, {"command", command}})).behavior;
  };
  EXPECT_EQ(touch(work, "touch a"), Behavior::Allow);
  EXPECT_EQ(touch("/etc", "touch a"), Behavior::Ask);
}

TEST_F(AcceptEdits, AloneConsultsWorkingDirectories) {
  for (const Mode mode : {Mode::Default, Mode::DontAsk}) {
    EXPECT_NE(decide_path(engine(mode, {}, {work}, place), writes_file(), "b.txt").behavior,
              Behavior::Allow);
  }
}

TEST_F(AcceptEdits, TakesTheSessionsFoldersToo) {
  Overlay session;
  session.working_dirs = {folder.folder("more")};
  EXPECT_EQ(decide_path(host, writes_file(), folder / "more/x", {.session = &session}).behavior,
            Behavior::Allow);
}

}  // namespace
}  // namespace host::permission::test
