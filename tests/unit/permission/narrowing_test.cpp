#include "permission/decision/narrowing.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "unit/permission/support.h"

namespace host::permission {
namespace {

namespace fs = std::filesystem;

TEST(Narrowing, OfTwoModesTheOneThatAllowsLess) {
  EXPECT_EQ(stricter(Mode::Bypass, Mode::Default), Mode::Default);
  EXPECT_EQ(stricter(Mode::Default, Mode::Bypass), Mode::Default);
  EXPECT_EQ(stricter(Mode::AcceptEdits, Mode::Default), Mode::Default);
  EXPECT_EQ(stricter(Mode::DontAsk, Mode::Default), Mode::DontAsk);
  EXPECT_EQ(stricter(Mode::DontAsk, Mode::Explore), Mode::Explore);
  EXPECT_EQ(stricter(Mode::Bypass, Mode::Bypass), Mode::Bypass);
}

TEST(Narrowing, AFolderThatBecameALinkToTheOutsideIsLeftOut) {
  std::string name = (fs::temp_directory_path() / "narrowing-XXXXXX").string();
  const fs::path root = ::mkdtemp(name.data());
  fs::create_directories(root / "work/a");
  fs::create_directories(root / "other");
  fs::create_directory_symlink(root / "other", root / "work/b");
  const std::vector<std::string> wanted = {(root / "work/a").string(), (root / "work/b").string(),
                                           (root / "work").string(), root.string()};
  const std::vector<std::string> kept = inside(wanted, {(root / "work").string()});
  const std::string real = fs::canonical(root / "work").string();
  EXPECT_EQ(kept, (std::vector<std::string>{real + "/a", real}));
  fs::remove_all(root);
}

Behavior decision_of(Mode mode, const Narrowing& narrowing, const std::string& path,
                     const std::string& working_dir) {
  const Engine host = test::engine(mode, {}, {working_dir});
  const tool::Declaration tool = test::writes_file();
  const json::Document given = test::arguments({{"path", path}});
  Request request = test::request_of(tool, given, {});
  request.narrowing = narrowing;
  return host.decide(request).behavior;
}

TEST(Narrowing, ASessionsModeIsUsedWhereItIsStricter) {
  EXPECT_EQ(decision_of(Mode::Bypass, {}, "/w/a", "/w"), Behavior::Allow);
  EXPECT_EQ(decision_of(Mode::Bypass, {Mode::Explore, {}}, "/w/a", "/w"), Behavior::Deny);
  EXPECT_EQ(decision_of(Mode::Default, {Mode::Bypass, {}}, "/w/a", "/w"), Behavior::Ask);
}

TEST(Narrowing, EditsArePlacedInTheFoldersOfTheSession) {
  const Narrowing one{{}, std::vector<std::string>{"/w/one"}};
  const Narrowing none{{}, std::vector<std::string>{}};
  const Narrowing other{{}, std::vector<std::string>{"/elsewhere"}};
  EXPECT_EQ(decision_of(Mode::AcceptEdits, {}, "/w/two/a", "/w"), Behavior::Allow);
  EXPECT_EQ(decision_of(Mode::AcceptEdits, one, "/w/one/a", "/w"), Behavior::Allow);
  EXPECT_EQ(decision_of(Mode::AcceptEdits, one, "/w/two/a", "/w"), Behavior::Ask);
  EXPECT_EQ(decision_of(Mode::AcceptEdits, none, "/w/two/a", "/w"), Behavior::Ask);
  EXPECT_EQ(decision_of(Mode::AcceptEdits, other, "/elsewhere/a", "/w"), Behavior::Ask);
}

}  // namespace
}  // namespace host::permission
