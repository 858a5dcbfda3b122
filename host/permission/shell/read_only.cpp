#include "permission/shell/read_only.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "permission/path/tree.h"
#include "permission/shell/expansion.h"
#include "permission/shell/folders.h"
#include "permission/shell/options.h"

namespace host::permission::shell {
namespace {

using Words = std::span<const Word>;  // arguments, without the command

constexpr std::size_t kMaxFoldersRead = 4;  // in which a read-only command could run

struct Program {
  std::string_view name;
  OptionList options;
  bool (*fits)(const Arguments&) = nullptr;  // a further condition; null: none
  bool closed = false;    // none of its options is harmful, so wildcards may become options
  bool recurses = false;  // can read a folder recursively
  bool always_recurses = false;
};

// `cd -` goes to an unknown folder, and so does `cd a*`.
bool names_one_folder_at_most(const Arguments& arguments) {
  if (arguments.operands.empty()) return true;
  const Word& first = *arguments.operands.front();
  return arguments.operands.size() == 1 && first.text != "-" && !first.wildcard;
}
bool has_no_operand(const Arguments& arguments) {
  return arguments.operands.empty();
}
// `tail +5f` is an old way to write -f.
bool begins_no_count(const Arguments& arguments) {
  return std::none_of(arguments.operands.begin(), arguments.operands.end(),
                      [](const Word* word) { return word->text.starts_with('+'); });
}

bool asks_one_thing(const Arguments& arguments) {
  return arguments.operands.empty() && arguments.options.size() == 1;
}

// Not -R, -D and -d: they read devices and pipes that links lead to.
constexpr OptionList kGrep{
    "EFGPivwxycbHhLloqsanrUzTV", "efABCm",
    "--extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp= --file= "
    "--ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --color[=] "
    "--colour[=] --files-with-matches --files-without-match --max-count= --only-matching --quiet "
    "--silent --no-messages --byte-offset --with-filename --no-filename --label= --line-number "
    "--initial-tab --null --after-context= --before-context= --context= --text --binary-files= "
    "--exclude= --exclude-from= --exclude-dir= --include= --recursive "
    "--null-data --binary --line-buffered --version --help",
    true};

constexpr std::array kPrograms = {
    Program{"ls",
            {"aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1", "ITw",
             "--all --almost-all --author --escape --block-size= --ignore-backups --color[=] "
             "--directory --dired --classify[=] --file-type --format= --full-time "
             "--group-directories-first --no-group --human-readable --si --dereference "
             "--dereference-command-line --dereference-command-line-symlink-to-dir --hide= "
             "--hyperlink[=] --indicator-style= --inode --ignore= --kibibytes --numeric-uid-gid "
             "--literal --hide-control-chars --show-control-chars --quote-name --quoting-style= "
             "--reverse --recursive --size --sort= --time= --time-style= --tabsize= --width= "
             "--context --zero --version --help"},
            nullptr,
            true},
    Program{"cat",
            {"AbeEnstTuv", "",
             "--show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs "
             "--show-nonprinting --version --help"},
            nullptr,
            true},
    Program{"head",
            {"qvz", "cn", "--bytes= --lines= --quiet --silent --verbose --zero-terminated", true},
            nullptr,
            true},
    // It follows a file for ever by other options.
    Program{"tail",
            {"qvz", "cn", "--bytes= --lines= --quiet --silent --verbose --zero-terminated", true},
            begins_no_count},
    Program{"wc",
            {"cmlLw", "", "--bytes --chars --lines --max-line-length --words --version --help"}},
    Program{"stat",
            {"LftT", "c",
             "--dereference --file-system --format= --printf= --terse --cached= --version --help"},
            nullptr,
            true},
    Program{"pwd", {"LP", "", ""}, has_no_operand}, Program{"which", {"as", "", ""}},
    Program{"whereis", {"bmsu", "", ""}}, Program{"type", {}},
    // Not -P: `..` then leads to the parent of the folder that a link names.
    Program{"cd", {"L", "", ""}, names_one_folder_at_most}, Program{"true", {}, nullptr, true},
    Program{"false", {}, nullptr, true}, Program{"grep", kGrep, nullptr, false, true},
    Program{"egrep", kGrep, nullptr, false, true}, Program{"fgrep", kGrep, nullptr, false, true},
    // Not --pre, --hostname-bin and --search-zip, which run programs, and --follow.
    Program{"rg",
            {"aFHhiIlnNopPqsSuUvVwx0c", "ABCdEefgjmMrtT",
             "--after-context= --before-context= --context= --max-depth= --encoding= --regexp= "
             "--file= --glob= --iglob= --threads= --max-count= --max-columns= "
             "--max-columns-preview --replace= --type= --type-not= --type-list --text "
             "--fixed-strings --with-filename --no-filename --ignore-case --files "
             "--files-with-matches --files-without-match --line-number --no-line-number "
             "--only-matching --passthru --pcre2 --quiet --case-sensitive --smart-case "
             "--unrestricted --multiline --multiline-dotall --invert-match --version --word-regexp "
             "--line-regexp --null --count --count-matches --column --no-column --color= --colors= "
             "--context-separator= --crlf --heading --no-heading --hidden --no-hidden --no-config "
             "--no-ignore --no-ignore-vcs --no-ignore-parent --no-ignore-dot --no-messages "
             "--json --max-filesize= --null-data --one-file-system --sort= --sortr= --stats "
             "--trim --vimgrep --path-separator= --pretty --debug"},
            nullptr,
            false,
            true,
            true},
    // Not -C (compiles), -z and -Z (run decompressors), -s (reads devices), -p (sets times back).
    Program{"file",
            {"bhikLNnr0Ev", "F",
             "--brief --mime --mime-type --mime-encoding --keep-going --dereference "
             "--no-dereference --no-buffer --no-pad --raw --print0 --extension --separator= "
             "--version"}},
    // Not -o (writes) and -R (writes 00Tree.html in every folder). In `-Lo 1 f`, the value of -L is
    // 1 and the value of -o is f.
    Program{"tree",
            {"adfliqNQpugshDFrtcUxACSnXJv", "LPI",
             "--dirsfirst --filesfirst --noreport --du --si --inodes --device --prune --matchdirs "
             "--ignore-case --gitignore --metafirst --filelimit= --timefmt= --sort= --charset= "
             "--version --help",
             false, false}},
    Program{"python", {"V", "", "--version"}, asks_one_thing},
    Program{"python3", {"V", "", "--version"}, asks_one_thing},
    Program{"node", {"v", "", "--version"}, asks_one_thing}};

// Their arguments are only text.
constexpr std::string_view kPrinters[] = {"echo", "printf"};
bool prints(std::string_view name) {
  return is_one_of(kPrinters, name);
}

// It has its own syntax.
constexpr std::string_view kFind = "find";

// True if a format of printf has `%n`, with which bash sets a variable.
bool counts_characters(std::string_view format) {
  constexpr std::string_view kBeforeConversion = "#'-+ 0123456789.*$hjlLqtz";
  for (std::size_t at = format.find('%'); at != format.npos; at = format.find('%', at + 1)) {
    at = format.find_first_not_of(kBeforeConversion, at + 1);
    if (at == format.npos) return false;
    if (format[at] == 'n') return true;
  }
  return false;
}

// printf -v sets a variable in some shells. A wildcard may expand to such an option or format.
bool prints_only(std::string_view name, Words words) {
  if (name == "echo") return true;
  const bool ended = !words.empty() && words.front().text == "--";
  if (ended) words = words.subspan(1);
  if (words.empty()) return true;
  const Word& format = words.front();
  return !format.wildcard && (ended || !format.text.starts_with('-')) &&
         !counts_characters(format.text);
}

// The words of find, with and without a value. None of them deletes, runs or writes a file.
constexpr std::string_view kFindTests[] = {
    "-name",     "-iname",    "-path",    "-ipath",    "-wholename", "-iwholename", "-lname",
    "-ilname",   "-regex",    "-iregex",  "-type",     "-xtype",     "-size",       "-perm",
    "-user",     "-group",    "-uid",     "-gid",      "-links",     "-inum",       "-mtime",
    "-mmin",     "-atime",    "-amin",    "-ctime",    "-cmin",      "-used",       "-newer",
    "-anewer",   "-cnewer",   "-newermt", "-newerat",  "-newerct",   "-samefile",   "-fstype",
    "-maxdepth", "-mindepth", "-printf",  "-regextype"};
constexpr std::string_view kFindWords[] = {"-H",
                                           "-L",
                                           "-P",
                                           "-empty",
                                           "-executable",
                                           "-false",
                                           "-true",
                                           "-nouser",
                                           "-nogroup",
                                           "-readable",
                                           "-writable",
                                           "-print",
                                           "-print0",
                                           "-ls",
                                           "-prune",
                                           "-quit",
                                           "-and",
                                           "-a",
                                           "-or",
                                           "-o",
                                           "-not",
                                           "-daystart",
                                           "-depth",
                                           "-d",
                                           "-follow",
                                           "-mount",
                                           "-xdev",
                                           "-noleaf",
                                           "-ignore_readdir_race",
                                           "-noignore_readdir_race",
                                           "-warn",
                                           "-nowarn"};

// The names of the whole list.
constexpr auto kNames = [] {
  std::array<std::string_view, std::size(kPrinters) + 1 + kPrograms.size()> names{};
  auto* next = std::copy(std::begin(kPrinters), std::end(kPrinters), names.begin());
  *next++ = kFind;
  for (const Program& program : kPrograms) *next++ = program.name;
  return names;
}();

bool is_find_value(std::string_view text) {
  return !text.starts_with('-') || (text.size() > 1 && text[1] >= '0' && text[1] <= '9');
}

bool find_is_read_only(Words words) {
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string_view text = words[at].text;
    if (!text.starts_with('-') || is_one_of(kFindWords, text)) continue;
    if (!is_one_of(kFindTests, text)) return false;
    if (++at >= words.size() || !is_find_value(words[at].text)) return false;
  }
  return true;
}

// Variables that only change how output looks. A value with a slash could name a file to read.
constexpr std::string_view kHarmless[] = {
    "LANG",        "LC_ALL",   "LC_CTYPE",       "TERM",    "TZ",   "NO_COLOR",
    "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES"};

bool sets_harmless_variables(const Segment& segment) {
  for (std::size_t i = 0; i < segment.variables.size(); ++i) {
    if (!is_one_of(kHarmless, segment.variables[i])) return false;
    const Word& value = segment.values[i];
    if (!value.literal || value.text.find_first_of("/:") != std::string::npos) return false;
  }
  return true;
}

bool is_ordinary_file(const std::string& absolute, Budget& budget) {
  if (!budget.take_path(absolute.size())) return false;
  for (const std::string& each : {normal_path(absolute), real_path(absolute)}) {
    if (each == "/dev/null") return true;
    for (const std::string_view folder : {"/dev", "/proc", "/sys"}) {
      if (is_inside(each, folder)) return false;
    }
    struct stat info {};
    if (::stat(each.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
      return false;
  }
  return true;
}

// True if the path, seen from `place`, is a regular file or a folder. Other files may never end,
// reveal data of other processes, or do anything that their driver does.
bool is_ordinary(std::string_view text, const Place& place, Budget& budget) {
  const std::vector<std::string> paths = path_readings(text);
  return std::all_of(paths.begin(), paths.end(), [&](const std::string& path) {
    return is_ordinary_file(absolute_path(path, place), budget);
  });
}

bool redirects_harmlessly(const Segment& segment, const Place& place, Budget& budget) {
  return std::all_of(segment.redirects.begin(), segment.redirects.end(), [&](const Redirect& each) {
    if (!each.target.literal || each.target.wildcard) return false;
    return each.writes ? each.target.text == "/dev/null"
                       : is_ordinary(each.target.text, place, budget);
  });
}

// True if all paths to which a word expands are ordinary.
bool expands_ordinarily(const Word& word, const Place& place, Budget& budget) {
  if (!word.wildcard) return true;
  const std::size_t first = word.text.find_first_of("*?[");
  if (word.text.find('/', std::min(first, word.text.size())) != std::string::npos) return false;
  const std::vector<std::string> patterns = path_readings(word.text);
  return std::all_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    const auto paths = expansions(pattern, place, budget);
    return paths && std::all_of(paths->begin(), paths->end(), [&](const std::string& path) {
             return is_ordinary_file(path, budget);
           });
  });
}

// Every word may be a path, and so may the text behind its `=`.
bool words_are_ordinary(Words words, const Place& place, Budget& budget) {
  return std::all_of(words.begin(), words.end(), [&](const Word& word) {
    const std::string_view text = word.text;
    const std::size_t value = text.find('=') + 1;
    return is_ordinary(text, place, budget) && expands_ordinarily(word, place, budget) &&
           (value == 0 || is_ordinary(text.substr(value), place, budget));
  });
}

bool values_are_ordinary(const Arguments& arguments, const Place& place, Budget& budget) {
  return std::all_of(
      arguments.options.begin(), arguments.options.end(),
      [&](const GivenOption& option) { return is_ordinary(option.value.text, place, budget); });
}

// nullopt: it cannot be known.
std::optional<std::vector<std::string>> may_become(const Word& word, const Place& place,
                                                   Budget& budget) {
  std::vector<std::string> paths;
  for (const std::string& path : path_readings(word.text)) {
    paths.push_back(absolute_path(path, place));
    if (!word.wildcard) continue;
    auto found = expansions(path, place, budget);
    if (!found) return std::nullopt;
    std::move(found->begin(), found->end(), std::back_inserter(paths));
  }
  return paths;
}

// False for the root, because the devices and /proc are below it.
bool stays_below_root(const Program& program, const Arguments& arguments, const Place& place,
                      Budget& budget) {
  return !program.recurses ||
         std::all_of(arguments.operands.begin(), arguments.operands.end(), [&](const Word* word) {
           const auto paths = may_become(*word, place, budget);
           return paths && std::all_of(paths->begin(), paths->end(), [&](const std::string& path) {
                    return budget.take_path(path.size()) && real_path(path) != "/";
                  });
         });
}

bool fits(const Program& program, Words words, const Place& place, Budget& budget) {
  const auto arguments = read_arguments(words, program.options);
  return arguments && (program.fits == nullptr || program.fits(*arguments)) &&
         (program.closed || std::none_of(words.begin(), words.end(), may_expand_to_option)) &&
         values_are_ordinary(*arguments, place, budget) &&
         stays_below_root(program, *arguments, place, budget);
}

bool command_is_read_only(std::string_view name, Words words, const Place& place, Budget& budget) {
  if (prints(name)) return prints_only(name, words);
  if (!words_are_ordinary(words, place, budget)) return false;
  const auto found = std::find_if(kPrograms.begin(), kPrograms.end(),
                                  [&](const Program& each) { return each.name == name; });
  if (found != kPrograms.end()) return fits(*found, words, place, budget);
  if (std::any_of(words.begin(), words.end(), may_expand_to_option)) return false;
  return name == kFind && find_is_read_only(words);
}

bool has_option(const Arguments& arguments, std::initializer_list<std::string_view> names) {
  return std::any_of(arguments.options.begin(), arguments.options.end(), [&](const auto& given) {
    return std::find(names.begin(), names.end(), given.name) != names.end();
  });
}

// The number of operands that are a search pattern and not a file.
std::size_t patterns_in(const Arguments& arguments) {
  const bool as_option = has_option(
      arguments, {"e", "f", "--regexp", "--file", "--files", "--type-list", "--version", "--help"});
  return as_option || arguments.operands.empty() ? 0 : 1;
}

bool searches_folders(const Program& program, const Arguments& arguments) {
  return program.recurses &&
         (program.always_recurses || has_option(arguments, {"r", "--recursive", "-r"}));
}

// For a segment that is read-only when seen from this place.
std::optional<std::string> danger_below(const Segment& segment, const Place& place, TreeLook& look,
                                        Budget& budget) {
  const auto program = std::find_if(kPrograms.begin(), kPrograms.end(), [&](const Program& each) {
    return each.name == segment.command();
  });
  if (program == kPrograms.end()) return std::nullopt;
  const auto arguments = read_arguments(Words(segment.words).subspan(1), program->options);
  if (!arguments || !searches_folders(*program, *arguments)) return std::nullopt;
  const std::size_t patterns = patterns_in(*arguments);
  for (std::size_t i = 0; i < arguments->operands.size(); ++i) {
    const Word& word = *arguments->operands[i];
    if (i < patterns && !word.wildcard) continue;  // a wildcard may expand to files too
    const auto paths = may_become(word, place, budget);
    if (!paths) return "too many files to look at";
    for (const std::string& path : *paths) {
      if (auto found = look.find_below(path)) return found;
    }
  }
  if (arguments->operands.size() > patterns) return std::nullopt;
  return look.find_below(place.cwd);
}

template <class Act>
void for_each_segment(const Script& script, const Place& place, Budget& budget, Act act) {
  Folders folders(place, budget);
  for (const Segment& segment : script.segments) {
    act(segment, folders);
    folders.follow(segment);
  }
}

bool is_read_only(const Segment& segment, const Place& place, Budget& budget) {
  if (segment.words.empty() || !sets_harmless_variables(segment) ||
      !redirects_harmlessly(segment, place, budget)) {
    return false;
  }
  const Words words = segment.words;
  return std::all_of(words.begin(), words.end(), [](const Word& word) { return word.literal; }) &&
         command_is_read_only(segment.command(), words.subspan(1), place, budget);
}

}  // namespace

std::vector<bool> read_only_segments(const Script& script, const Place& place, Budget& budget) {
  std::vector<bool> found;
  for_each_segment(script, place, budget, [&](const Segment& segment, const Folders& folders) {
    const std::vector<Place>& places = folders.places();
    found.push_back(folders.unknown().empty() && places.size() <= kMaxFoldersRead &&
                    std::all_of(places.begin(), places.end(), [&](const Place& each) {
                      return is_read_only(segment, each, budget);
                    }));
  });
  return found;
}

std::vector<std::optional<std::string>> dangers_below(const Script& script, const Place& place,
                                                      const DangerousPaths& paths,
                                                      std::span<const std::string> extra,
                                                      Budget& budget) {
  TreeLook look(paths, place, extra, budget);
  std::vector<std::optional<std::string>> found;
  for_each_segment(script, place, budget, [&](const Segment& segment, const Folders& folders) {
    std::optional<std::string>& danger = found.emplace_back();
    for (const Place& each : folders.places()) {
      if (!danger) danger = danger_below(segment, each, look, budget);
    }
  });
  return found;
}

std::vector<std::string> read_only_programs() {
  return std::vector<std::string>(kNames.begin(), kNames.end());
}

}  // namespace host::permission::shell
