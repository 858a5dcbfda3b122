#include "permission/shell/edits.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "permission/path/tree.h"
#include "permission/shell/options.h"
#include "permission/shell/sed_script.h"

namespace host::permission::shell {
namespace {

using Words = std::span<const Word>;

struct Editor {
  std::string_view name;
  OptionList options;
  bool fills_folders = false;  // if the last target is a folder, the others are put into it
  bool takes_away = false;     // it removes its targets' contents
};

// Not rmdir -p, which also removes parent folders, and not cp -r: the contents of a tree, and of
// its destination, are not checked.
constexpr std::array kEditors = {
    Editor{"mkdir", {"pv", "", "--parents --verbose"}},
    Editor{"touch", {"acm", "", "--no-create"}},
    Editor{"rm",
           {"fiIrRdv", "", "--force --recursive --dir --verbose --one-file-system"},
           false,
           true},
    Editor{"rmdir", {"v", "", "--verbose"}},
    Editor{"mv",
           {"finuvT", "t",
            "--force --no-clobber --update --verbose --no-target-directory --target-directory="},
           true,
           true},
    Editor{"cp",
           {"finpuvT", "t",
            "--force --no-clobber --update --verbose --no-target-directory --target-directory="},
           true}};

bool is_folder(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

bool lies_inside(const Word& word, const Grounds& grounds) {
  if (!word.literal || word.wildcard || word.text.empty()) return false;
  if (word.quoted && word.text.starts_with('~')) return false;  // not the home folder
  const std::string absolute = absolute_path(word.text, grounds.place);
  if (!grounds.budget.take_path(2 * absolute.size())) return false;
  const auto inside = [&](const std::string& path) {
    return std::any_of(grounds.folders.begin(), grounds.folders.end(),
                       [&](const std::string& folder) { return is_inside(path, folder); });
  };
  return inside(real_path(absolute)) && inside(real_path(normal_path(absolute)));
}

std::string_view last_part(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  return path.substr(path.rfind('/') + 1);
}

bool fills_inside(const Word& folder, const Word& source, const Grounds& grounds) {
  Word made = folder;
  made.text.append("/").append(last_part(source.text));
  return lies_inside(made, grounds) && grounds.budget.take_path(made.text.size()) &&
         !grounds.dangerous.find(made.text, grounds.place, grounds.extra);
}

// True if a folder and its contents may be removed or moved: it contains no dangerous path and no
// working folder. False if it has too many entries to check.
bool holds_nothing_special(const std::string& folder, const Grounds& grounds, TreeLook& look) {
  const std::string real = real_path(folder);
  for (const std::string& working : grounds.folders) {
    if (is_inside(working, real)) return false;
  }
  return !look.find_below(folder);
}

bool takes_only_plain_folders(const Arguments& arguments, const Grounds& grounds) {
  TreeLook look(grounds.dangerous, grounds.place, grounds.extra, grounds.budget);
  return std::all_of(arguments.operands.begin(), arguments.operands.end(), [&](const Word* word) {
    const std::string path = absolute_path(word->text, grounds.place);
    return !is_folder(path) || holds_nothing_special(path, grounds, look);
  });
}

bool all_inside(const std::vector<const Word*>& targets, const Grounds& grounds) {
  return !targets.empty() && std::all_of(targets.begin(), targets.end(), [&](const Word* target) {
    return lies_inside(*target, grounds);
  });
}

bool fills_inside(const Arguments& arguments, const Grounds& grounds) {
  std::vector<const Word*> sources = arguments.operands;
  const Word* folder = nullptr;
  for (const GivenOption& option : arguments.options) {
    if (option.name != "t" && option.name != "--target-directory") continue;
    // The shell leaves the `~` of `--target-directory=~/x`.
    if (option.value.text.starts_with('~') || !lies_inside(option.value, grounds)) return false;
    folder = &option.value;
  }
  if (folder == nullptr && sources.size() > 1) {
    folder = sources.back();
    sources.pop_back();
    if (!is_folder(absolute_path(folder->text, grounds.place))) return true;
  }
  return folder == nullptr || std::all_of(sources.begin(), sources.end(), [&](const Word* source) {
           return fills_inside(*folder, *source, grounds);
         });
}

// Unusual scripts need approval for a separate reason.
bool sed_edits_inside(Words words, const Grounds& grounds) {
  const Words files = words.subspan(sed_files(words));
  return is_plain_sed(words) && !files.empty() &&
         std::all_of(files.begin(), files.end(),
                     [&](const Word& file) { return lies_inside(file, grounds); });
}

}  // namespace

bool edits_inside(const Segment& segment, const Grounds& grounds) {
  if (!segment.variables.empty() || segment.words.empty()) return false;
  for (const Redirect& redirect : segment.redirects) {
    if (redirect.writes && !is_discarded(redirect) && !lies_inside(redirect.target, grounds))
      return false;
  }
  const Words words = Words(segment.words).subspan(1);
  if (segment.command() == "sed") return sed_edits_inside(words, grounds);
  const auto editor = std::find_if(kEditors.begin(), kEditors.end(), [&](const Editor& each) {
    return each.name == segment.command();
  });
  if (editor == kEditors.end()) return false;
  const auto arguments = read_arguments(words, editor->options);
  return arguments && all_inside(arguments->operands, grounds) &&
         (!editor->fills_folders || fills_inside(*arguments, grounds)) &&
         (!editor->takes_away || takes_only_plain_folders(*arguments, grounds));
}

bool is_discarded(const Redirect& redirect) {
  return redirect.target.literal &&
         (redirect.target.text == "/dev/null" || redirect.target.text == "/dev/stdout" ||
          redirect.target.text == "/dev/stderr");
}

}  // namespace host::permission::shell
