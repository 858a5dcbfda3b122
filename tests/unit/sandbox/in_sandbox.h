// Attempts in a process of their own that has put a profile on.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "escape/attempts.h"
#include "sandbox/apply.h"
#include "sandbox/compile_filter.h"
#include "sandbox/landlock.h"

namespace host::sandbox {

namespace fs = std::filesystem;

// What `act` answers, run by a child; or how that ended: "signal 31".
template <class Act>
std::string in_child(Act act) {
  int pipe[2];
  if (::pipe(pipe) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(pipe[0]);
    const std::string answer = act();
    static_cast<void>(!::write(pipe[1], answer.data(), answer.size()));
    ::_exit(0);
  }
  ::close(pipe[1]);
  std::string answer;
  char buffer[4096];
  for (ssize_t count = 0; (count = ::read(pipe[0], buffer, sizeof buffer)) > 0;)
    answer.append(buffer, static_cast<std::size_t>(count));
  ::close(pipe[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return answer;
}

// A folder that is granted, one that is not, and what a child may do in them.
class SandboxTest : public ::testing::Test {
 protected:
  SandboxTest() {
    std::string name = (fs::temp_directory_path() / "sandbox-test-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    for (const char* place : {"granted", "private"}) {
      fs::create_directory(folder_ / place);
      for (const char* file : {"file", "other"})
        std::ofstream(folder_ / place / file) << "some text\n";
    }
    profile_.work_dir = folder_.string();
    profile_.memory_bytes = 256u << 20u;
  }
  ~SandboxTest() override { fs::remove_all(folder_); }

  std::string granted(const std::string& name = {}) const { return folder_ / "granted" / name; }
  std::string secret(const std::string& name = {}) const { return folder_ / "private" / name; }
  void grant(bool write) { profile_.fs = {{(folder_ / "granted").string(), write}}; }
  void without(std::initializer_list<LayerName> layers) {
    for (const LayerName name : layers) profile_.without.add(name);
  }

  std::string attempt(const std::string& what, const std::string& target = {}) {
    profile_.filter = *compile_filter(filter_kind(profile_));
    return in_child([&]() -> std::string {
      const auto applied = apply(profile_);
      return applied ? escape::attempt(what, target) : "refused: " + applied.error().message;
    });
  }
  // Of each that one child tries, what was not answered so; empty: all were.
  template <class Attempts>
  std::string unlike(const std::string& answer, const Attempts& all) {
    profile_.filter = *compile_filter(filter_kind(profile_));
    return in_child([&]() -> std::string {
      const auto applied = apply(profile_);
      if (!applied) return "refused: " + applied.error().message;
      std::string out;
      for (const char* what : all) {
        const std::string told = escape::attempt(what);
        if (told != answer) out += std::string(what) + " " + told + "\n";
      }
      return out;
    });
  }
  // The layers as a child has them, each with its detail.
  std::string layers() {
    profile_.filter = *compile_filter(filter_kind(profile_));
    return in_child([&]() -> std::string {
      const auto applied = apply(profile_);
      if (!applied) return "refused: " + applied.error().message;
      std::string out;
      for (const Layer& layer : applied->layers) {
        out += std::string(to_string(layer.name)) + (layer.active ? " on " : " off ") +
               layer.detail + "\n";
      }
      for (const std::string& path : applied->absent) out += "absent " + path + "\n";
      return out;
    });
  }

  fs::path folder_;
  Profile profile_;
};

}  // namespace host::sandbox
