// Compares what the host says of shell commands with what they do: each command, made by chance,
// that is judged to read only is run, and must not try to write, to run another program, to
// connect, to signal, or run for ever. If the host would not ask either, it must not print a secret
// of a dangerous path. It is run in the sandbox of such commands too, which must
// leave it all that it needs.
//
//   shell_differential [--seconds N] [--commands N] [--seed N]
//
// Ends with 0, and 77 where the kernel lets nobody be asked about system calls.
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar.h"
#include "held_run.h"
#include "permission/shell/command.h"
#include "permission/shell/read_only.h"
#include "recorder.h"

namespace fs = std::filesystem;
using host::permission::DangerousPaths;
using host::permission::Place;
using host::permission::shell::Command;

namespace {

constexpr std::string_view kSecret = "toolpost-secret-of-a-dangerous-path";

// A folder with everything in it that has ever made a harmless command harmful.
class Tree {
 public:
  Tree() {
    std::string pattern = (fs::temp_directory_path() / "tp-differential-XXXXXX").native();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    top_ = fs::canonical(pattern);
    // Deep, so that no `..` sees what others do beside it.
    root_ = top_ / "1/2/3/4/5/6/7/8";
    fs::create_directories(home());
    fs::create_directories(work() / "sub");
    for (const char* name : {"a", "b.txt", "sub/c", "-delete", "-exec", "-f", "-o", "-fprint",
                             "--pre=evil", "--output=made", "--help", "-R", "-C", "x", "-O"}) {
      std::ofstream(work() / name) << "one x\n";
    }
    make_secrets();
    fs::create_symlink("/dev/zero", work() / "link");
    fs::create_symlink("/nonexistent/made", work() / "out");
    ::mkfifo((work() / "pipe").c_str(), 0600);
    write_program(work() / "evil");
    for (const char* name : {"ls", "cat", "git", "grep", "evil-c"}) write_program(work() / name);
    make_repository();
  }
  ~Tree() {
    std::error_code ignored;
    fs::remove_all(top_, ignored);
  }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  fs::path home() const { return root_ / "home"; }
  fs::path work() const { return root_ / "work"; }
  Place place() const { return {home().native(), work().native()}; }

 private:
  void make_secrets() const {
    fs::create_directories(home() / ".config/gh");
    fs::create_directories(home() / ".config/git");
    fs::create_directories(work() / "~");
    std::ofstream(home() / ".config/gh/hosts.yml") << kSecret << '\n';
    fs::create_symlink(home() / ".config/gh/hosts.yml", work() / "~/x");
    fs::create_symlink(home() / ".config/git", work() / "up");
    fs::create_symlink(home() / ".config/gh/hosts.yml", work() / "12");
    fs::create_directories(work() / "LANG+=.");
    write_program(work() / "LANG+=./evil");
  }

  static void write_program(const fs::path& path) {
    std::ofstream(path) << "#!/bin/sh\ntouch made\n";
    fs::permissions(path, fs::perms::owner_all);
  }

  void git(const std::string& arguments) const {
    const std::string line = "cd '" + work().native() + "' && HOME='" + home().native() +
                             "' GIT_CONFIG_NOSYSTEM=1 /usr/bin/git " + arguments +
                             " >/dev/null 2>&1";
    if (std::system(line.c_str()) != 0) {
      std::cerr << "git " << arguments << " failed\n";
      std::exit(1);
    }
  }

  // Its configuration and attributes run a program on every occasion that git offers.
  void make_repository() const {
    git("init -q -b main .");
    git("config user.name a");
    git("config user.email a@example.org");
    git("add a b.txt sub");
    git("commit -qm first");
    std::ofstream(work() / "a") << "two x\n";
    std::ofstream(work() / ".gitattributes") << "*.txt filter=evil diff=evil\n";
    for (const char* hook : {"post-index-change", "reference-transaction", "post-checkout"})
      write_program(work() / ".git/hooks" / hook);
    const std::string evil = "'" + (work() / "evil").native() + "'";
    for (const char* key :
         {"core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "gpg.program",
          "gpg.ssh.program", "credential.helper", "core.alternateRefsCommand"}) {
      git(std::string("config ") + key + " " + evil);
    }
    git("config log.showSignature true");
    git("config alias.stash '!touch made'");
    git("config remote.origin.url 'ext::sh -c touch% made'");
    git("config protocol.ext.allow always");
  }

  fs::path top_;
  fs::path root_;
};

// The programs of the list, and the shell itself. A script such as egrep runs the shell and grep.
std::set<std::string, std::less<>> watched_programs() {
  std::set<std::string, std::less<>> names = {"sh", "dash", "bash"};
  for (std::string& name : host::permission::shell::read_only_programs())
    names.insert(std::move(name));
  return names;
}

std::vector<std::string> environment(const Tree& tree) {
  return {"PATH=/usr/local/bin:/usr/bin:/bin",
          "HOME=" + tree.home().native(),
          "SHELL=/bin/sh",
          "TERM=dumb",
          "PAGER=cat",
          "GIT_PAGER=cat",
          "WRITES=--output=made",
          "DELETES=-delete",
          "DEVICE=/dev/zero",
          "FOLLOWS=-f",
          "NOTHING="};
}

// A recorder that sees nothing would find nothing: these have to be seen.
bool sees(const Recorder& recorder, const Tree& tree) {
  bool all = true;
  for (const std::string command :
       {"touch made", "echo x > made", "ls; ./evil", "find . -name a -exec ./evil ';'",
        "git status", "PATH=. ls", "kill -0 1", "rm a", "mkdir made"}) {
    if (!recorder.run(command, tree.work().native(), environment(tree)).refused.empty()) continue;
    std::cout << "the recorder does not see what this does: " << command << '\n';
    all = false;
  }
  const std::string reads = "cat ~/.config/gh/hosts.yml";
  if (HeldRun::prints(kSecret, reads, tree.work().native(), environment(tree))) return all;
  std::cout << "the secret is not seen\n";
  return false;
}

// Whether the host lets the command run without an approval.
bool runs_unasked(const Command& command) {
  static const DangerousPaths dangerous;
  return command.is_read_only() && !command.danger(dangerous, {}) &&
         !command.danger_below(dangerous, {});
}

struct Options {
  std::uint64_t seconds = 20;
  std::uint64_t commands = ~std::uint64_t{0};
  std::uint64_t seed = 1;
};

bool read_options(Options& options, int argc, char** argv) {
  for (int at = 1; at < argc; at += 2) {
    const std::string_view name = argv[at];
    std::uint64_t* const value = name == "--seconds"    ? &options.seconds
                                 : name == "--commands" ? &options.commands
                                 : name == "--seed"     ? &options.seed
                                                        : nullptr;
    if (value == nullptr || at + 1 >= argc) return false;
    const char* const end = argv[at + 1] + std::strlen(argv[at + 1]);
    if (std::from_chars(argv[at + 1], end, *value).ptr != end) return false;
  }
  return true;
}

void print_finding(std::string_view command, const Recorded& recorded, std::string_view lacks) {
  std::cout << "FINDING: " << command << '\n';
  for (const Attempt& attempt : recorded.refused)
    std::cout << "  tried " << attempt.call << ' ' << attempt.what << '\n';
  if (!recorded.ended) std::cout << "  does not end\n";
  if (!lacks.empty()) std::cout << "  in the sandbox: " << lacks << '\n';
  std::cout.flush();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!read_options(options, argc, argv)) {
    std::cerr << "usage: shell_differential [--seconds N] [--commands N] [--seed N]\n";
    return 2;
  }
  if (!Recorder::works()) {
    std::cout << "this kernel has no seccomp notifications: skipped\n";
    return 77;
  }
  const Tree tree;
  const Place place = tree.place();
  const Recorder recorder(watched_programs());
  if (!sees(recorder, tree)) return 1;
  const HeldRun held;
  if (held.lacks("sort a", tree.work().native(), environment(tree)).empty()) {
    std::cout << "the sandbox runs a program that is not listed\n";
    return 1;
  }
  Grammar grammar(options.seed);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(options.seconds);
  std::uint64_t made = 0;
  std::uint64_t run = 0;
  std::uint64_t findings = 0;
  for (; made < options.commands && std::chrono::steady_clock::now() < end; ++made) {
    const std::string command = grammar.command();
    if (!Command(command, place).is_read_only()) continue;
    ++run;
    const Recorded recorded = recorder.run(command, place.cwd, environment(tree));
    const bool harmless = recorded.ended && recorded.refused.empty();
    const std::string lacks =
        harmless ? held.lacks(command, place.cwd, environment(tree)) : std::string();
    const bool reveals = harmless && runs_unasked(Command(command, place)) &&
                         HeldRun::prints(kSecret, command, place.cwd, environment(tree));
    if (harmless && lacks.empty() && !reveals) continue;
    ++findings;
    print_finding(command, recorded, lacks);
    if (reveals) std::cout << "  prints the secret\n";
  }
  std::cout << made << " commands from seed " << options.seed << ", " << run
            << " judged to read only and run, " << findings << " findings\n";
  return findings == 0 ? 0 : 1;
}
