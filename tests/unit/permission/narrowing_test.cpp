#include "permission/decision/narrowing.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

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

}  // namespace
}  // namespace host::permission
