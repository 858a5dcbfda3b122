#include "grammar.h"

#include <vector>

namespace {

constexpr std::string_view kPrograms[] = {
    "ls",   "cat",  "head",  "tail",    "wc",   "stat", "grep", "egrep", "find", "find",
    "git",  "git",  "git",   "file",    "tree", "rg",   "cd",   "pwd",   "echo", "printf",
    "type", "true", "which", "whereis", "node", "ls",   "find", "grep",  "git",  "python3"};
// Not on the list, or dangerous: should one get through, the recorder sees it.
constexpr std::string_view kOthers[] = {"sort",      "uniq",
                                        "date",      "hostname",
                                        "env",       "less",
                                        "tee",       "touch",
                                        "rm",        "mkdir",
                                        "sed",       "awk",
                                        "xargs",     "sh -c",
                                        "eval",      "cp",
                                        "mv",        "nice",
                                        "timeout 5", "command",
                                        "exec",      "/bin/ls",
                                        "./ls",      "ln -s",
                                        "chmod 700", "git -c core.fsmonitor=evil-c",
                                        "git -C .",  "more",
                                        "sudo",      "time",
                                        "!",         "busybox",
                                        "dd",        "mkfifo",
                                        "diff",      "jq .",
                                        "ls;touch"};

constexpr std::string_view kOperands[] = {"a",         "b.txt",
                                          "sub",       "sub/c",
                                          ".",         "..",
                                          "-",         "*",
                                          "?",         "*.txt",
                                          "sub/*",     "[a]*",
                                          "-*",        "--*",
                                          "a*",        "'a b'",
                                          "link",      "out",
                                          "pipe",      "/dev/null",
                                          "/dev/zero", "/proc/self/environ",
                                          "~",         "$HOME",
                                          "HEAD",      "HEAD:a",
                                          "main",      "origin",
                                          "user.name", "x",
                                          "'*.c'",     "{a,b}",
                                          "\\*",       "\"a\"",
                                          "../a",      "--",
                                          "+x",        "-5",
                                          "10",        "!",
                                          ";",         "'{}'",
                                          "\\;",       "+",
                                          "-exec",     "-delete",
                                          "evil",      "./evil",
                                          "made",      "refs/heads/main",
                                          "/d?v/zero"};

constexpr std::string_view kOptions[] = {"-a",
                                         "-l",
                                         "-la",
                                         "-n",
                                         "-n1",
                                         "-f",
                                         "-r",
                                         "-R",
                                         "-o",
                                         "-O",
                                         "-C",
                                         "-c",
                                         "-e",
                                         "-i",
                                         "-s",
                                         "-v",
                                         "-x",
                                         "-z",
                                         "-p",
                                         "-w",
                                         "-b",
                                         "-u",
                                         "-L",
                                         "-t",
                                         "-m",
                                         "--all",
                                         "--help",
                                         "--version",
                                         "--color",
                                         "--color=always",
                                         "--output=made",
                                         "--outp=made",
                                         "--output",
                                         "-omade",
                                         "-o made",
                                         "--follow",
                                         "--pid=1",
                                         "--files0-from=a",
                                         "--pre=evil",
                                         "--pre evil",
                                         "--hostname-bin=evil",
                                         "--pager=evil",
                                         "--compress-program=evil",
                                         "--include=*.c",
                                         "--file=a",
                                         "--regexp=x",
                                         "-fa"};

constexpr std::string_view kFind[] = {"-name",
                                      "-iname a",
                                      "-name '*'",
                                      "-type f",
                                      "-type d",
                                      "-print",
                                      "-print0",
                                      "-ls",
                                      "-delete",
                                      "-exec evil {} +",
                                      "-exec evil {} \\;",
                                      "-execdir evil \\;",
                                      "-ok evil \\;",
                                      "-fprint made",
                                      "-fls made",
                                      "-fprintf made x",
                                      "-printf x",
                                      "-maxdepth 1",
                                      "-newer a",
                                      "-mtime -7",
                                      "-size -5",
                                      "-exe? evil \\;",
                                      "-del*",
                                      "-files0-from a",
                                      "\\( -name a \\)",
                                      "-o",
                                      "!",
                                      "-quit",
                                      "-prune",
                                      "-perm -100",
                                      "-empty",
                                      "-name -delete",
                                      "-regextype x",
                                      "-fprint0 made"};

constexpr std::string_view kGit[] = {"status",
                                     "log",
                                     "diff",
                                     "show",
                                     "ls-files",
                                     "ls-tree HEAD",
                                     "cat-file -p HEAD:a",
                                     "rev-parse",
                                     "rev-list --all",
                                     "describe --all",
                                     "shortlog HEAD",
                                     "blame a",
                                     "branch",
                                     "tag",
                                     "remote",
                                     "reflog",
                                     "config --list",
                                     "config --get user.name",
                                     "grep x",
                                     "stash list",
                                     "add a",
                                     "fetch",
                                     "commit -m x",
                                     "checkout main",
                                     "branch made",
                                     "tag made",
                                     "gc",
                                     "config made.x y",
                                     "remote show origin",
                                     "remote update",
                                     "archive HEAD",
                                     "cat-file --textconv HEAD:a",
                                     "cat-file --filters HEAD:a",
                                     "bisect run evil",
                                     "difftool -y",
                                     "describe --dirty",
                                     "--no-pager log",
                                     "submodule status",
                                     "--paginate log",
                                     "diff --cached",
                                     "status -s"};

constexpr std::string_view kGitOptions[] = {"-p",
                                            "--stat",
                                            "--oneline",
                                            "-1",
                                            "--ext-diff",
                                            "--textconv",
                                            "--no-ext-diff",
                                            "--no-textconv",
                                            "--output=made",
                                            "--outp=made",
                                            "--show-signature",
                                            "--show-sig",
                                            "--format=%G?",
                                            "--format=%h",
                                            "--pretty=%GK",
                                            "-O evil",
                                            "-Oevil",
                                            "--open-files-in-pager=evil",
                                            "--open=evil",
                                            "--short",
                                            "--porcelain",
                                            "-uno",
                                            "-u",
                                            "--all",
                                            "-v",
                                            "-r",
                                            "-l",
                                            "--list",
                                            "-d",
                                            "-D",
                                            "-m",
                                            "--edit",
                                            "--cached",
                                            "--staged",
                                            "-S x",
                                            "-G x",
                                            "--color",
                                            "--word-diff",
                                            "--submodule=diff",
                                            "--submodule=log",
                                            "--recurse-submodules",
                                            "--ignore-submodules=none",
                                            "--exec-path=.",
                                            "--contents=a",
                                            "--show-toplevel",
                                            "--follow",
                                            "-L1,1:a",
                                            "-M",
                                            "-C",
                                            "-w",
                                            "--no-index a b",
                                            "--decorate",
                                            "--verify",
                                            "--dirty",
                                            "--edit-description",
                                            "--unset x"};

constexpr std::string_view kAssignments[] = {"LANG=C",
                                             "NO_COLOR=1",
                                             "PATH=.",
                                             "LD_PRELOAD=./evil",
                                             "GIT_EXTERNAL_DIFF=./evil",
                                             "PAGER=./evil",
                                             "GIT_PAGER=./evil",
                                             "GIT_DIR=sub",
                                             "GIT_CONFIG_COUNT=0",
                                             "GIT_CONFIG=x",
                                             "TZ=../a",
                                             "TERM=x",
                                             "A=b",
                                             "LC_ALL=../../x",
                                             "GIT_SSH_COMMAND=evil",
                                             "GREP_OPTIONS=-r",
                                             "GIT_TRACE=/tmp/made",
                                             "COLUMNS=3",
                                             "RIPGREP_CONFIG_PATH=a",
                                             "IFS=x",
                                             "BASH_ENV=./evil",
                                             "ENV=./evil"};

constexpr std::string_view kRedirects[] = {
    "> made",      ">> made", "2> made",    "&> made",      ">| made",       "<> made",
    ">& made",     "2>&1",    ">/dev/null", "2>/dev/null",  "< a",           "< pipe",
    "&>/dev/null", "12>&2",   "12<&0",      "10</dev/null", "<&-",           "<&-made",
    "&>>made",     "<&- a",   "3<a",        ">&2",          "2>&- a",        "<& -~/x",
    "< /dev/zero", "<<< x",   "< out",      ">&2",          "> /dev/stdout", "2>&-"};

constexpr std::string_view kBetween[] = {" && ", " || ", "; ", " | ", "\n", " |& ", " & "};

// Set to what does harm in the wrong place, to nothing, and not set.
constexpr std::string_view kVariables[] = {
    "$WRITES",    "${WRITES}",   "\"$WRITES\"", "$DELETES",   "${DELETES}", "$NOTHING",
    "${NOTHING}", "$UNSET",      "${UNSET}",    "\"$UNSET\"", "$DEVICE",    "${DEVICE}",
    "$FOLLOWS",   "\"$DEVICE\"", "$@",          "\"$@\"",     "$*",         "$1",
    "$-",         "$PWD",        "~+",          "~-",         "~root",      "$HOME"};

constexpr std::string_view kAround[] = {"$(touch made)",
                                        "`touch made`",
                                        "<(touch made)",
                                        "${x:=y}",
                                        "$((1))",
                                        "$'a'",
                                        "#",
                                        "\\\n",
                                        "''"};

// Where a `cd` may lead, and what a command may read there: files with secrets, see main.cpp.
constexpr std::string_view kFolders[] = {"~",     "~/.config", "~/.confi*", "../home/.c*", "sub",
                                         "up",    "-P up",     "-L up",     "-P ..",       "..",
                                         "up/..", "-P up/..",  "'~'",       "nope",        "-",
                                         "",      ".config",   "gh",        "git",         "-- up"};
constexpr std::string_view kFilesThere[] = {"gh/hosts.yml",
                                            "../gh/hosts.yml",
                                            ".config/gh/hosts.yml",
                                            "hosts.yml",
                                            "x",
                                            "h*",
                                            "g*/hosts.yml",
                                            "~/gh/hosts.yml",
                                            "'~/x'",
                                            "--file=~/x",
                                            "~/x",
                                            "..*",
                                            ".?",
                                            ".[.]",
                                            "sub/..*",
                                            "12",
                                            "*"};
constexpr std::string_view kReaders[] = {"cat",    "cat <",     "head -n1",  "tail -n1",
                                         "grep .", "rg .",      "grep -r .", "egrep o",
                                         "rg -nf", "grep -onf", "file -f"};

// What a shell runs although it is no command of the line.
constexpr std::string_view kWithin[] = {"echo \"$(touch made)\"",
                                        "echo $(touch made)",
                                        "cat <<E\n$(touch made)\nE",
                                        "cat <<pwd\necho ' $(touch made) '\npwd",
                                        "A=b touch made",
                                        "echo a >made",
                                        "echo a &> made",
                                        "echo a &>/dev/null touch made",
                                        "cat a &>>/dev/null ./evil",
                                        "cat 12<&0",
                                        "cat 12>&2",
                                        "cat <&-~/.config/gh/hosts.yml",
                                        "TERM+=x ls",
                                        "LANG+=./evil ls",
                                        "echo \"`touch made`\"",
                                        "cat <(touch made)"};

}  // namespace

std::string Grammar::command() {
  if (happens(20)) return continued(one_of(kWithin));
  std::string text = happens(6) ? walk() : segment();
  for (std::size_t more = happens(3) ? 1 + below(2) : 0; more > 0; --more)
    text += one_of(kBetween) + segment();
  if (happens(40)) text.insert(below(text.size() + 1), one_of(kAround));
  if (happens(40)) text = "(" + text + ")";
  if (happens(8)) text.insert(below(text.size() + 1), one_of(kVariables));
  return happens(10) ? continued(text) : text;
}

std::string Grammar::walk() {
  std::string text;
  for (std::size_t steps = 1 + below(3); steps > 0; --steps)
    text += "cd " + spoiled(one_of(kFolders)) + one_of(kBetween);
  return text + one_of(kReaders) + " " + spoiled(one_of(kFilesThere));
}

// A shell removes a continued line before it looks at the next byte.
std::string Grammar::continued(std::string text) {
  std::size_t at = text.find_first_of("$<>&|{=`", below(text.size()));
  if (at == text.npos) at = below(text.size());
  return text.insert(at + 1, happens(4) ? "\\\n\\\n" : "\\\n");
}

std::string Grammar::segment() {
  std::string text;
  while (happens(10)) text += one_of(kAssignments) + " ";
  const std::string name = program();
  text += name;
  if (name == "git") text += " " + one_of(kGit);
  for (std::size_t words = below(5); words > 0; --words) {
    if (happens(30)) text += " " + redirect();
    text += " " + spoiled(word(name));
  }
  while (happens(9)) text += " " + redirect();
  return text;
}

std::string Grammar::program() {
  return happens(12) ? one_of(kOthers) : one_of(kPrograms);
}

std::string Grammar::word(std::string_view program) {
  return happens(2) ? option(program) : operand();
}

std::string Grammar::option(std::string_view program) {
  if (program == "find" && !happens(6)) return one_of(kFind);
  if (program == "git" && !happens(6)) return one_of(kGitOptions);
  if (happens(4)) {
    std::string cluster = "-";
    for (std::size_t size = 1 + below(3); size > 0; --size)
      cluster += static_cast<char>((happens(3) ? 'A' : 'a') + static_cast<char>(below(26)));
    return cluster;
  }
  return one_of(kOptions);
}

std::string Grammar::operand() {
  return happens(20) ? one_of(kVariables) : one_of(kOperands);
}

std::string Grammar::redirect() {
  return one_of(kRedirects);
}

// What a reader of text may take for another word than the shell does.
std::string Grammar::spoiled(std::string word) {
  if (!happens(12) || word.empty()) return word;
  switch (below(6)) {
    case 0:
      return "\"" + word + "\"";
    case 1:
      return "'" + word + "'";
    case 2:
      return word.insert(below(word.size()), "\\");
    case 3:
      return word.insert(below(word.size()), "''");
    case 4:
      return word.insert(below(word.size()), happens(2) ? "?" : "*");
    default:
      return word.substr(0, 1 + below(word.size()));
  }
}
