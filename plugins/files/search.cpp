#include "search.h"

#include <cerrno>
#include <climits>

#include <fcntl.h>

#include "name_glob.h"
#include "pattern.h"
#include "roots/utf8.h"
#include "text_file.h"

namespace {

constexpr std::size_t kMaxListed = 1000;
constexpr std::size_t kMaxMatches = 250;
constexpr std::size_t kMaxMatchBytes = 500;
constexpr int kMaxSearchDepth = 64;

// What was left out is said, so that nobody takes a part for the whole.
std::string note(const Walked& walked, std::size_t shown, std::size_t most, const char* what) {
  std::string text;
  const auto add = [&](const std::string& words) { text += (text.empty() ? "" : "; ") + words; };
  if (shown == 0) add(std::string("no ") + what);
  if (walked.stopped)
    add(shown >= most ? "only the first " + std::to_string(most) + " " + what + " are shown"
                      : "the tree is too large: only its beginning was looked at");
  if (walked.skipped > 0)
    add("not looked into: " + std::to_string(walked.skipped) + " with keys or settings (skip)");
  if (walked.unreadable > 0)
    add(std::to_string(walked.unreadable) + " folders could not be read, or not wholly");
  return text.empty() ? text : "[" + text + "]\n";
}

std::string link_target(const Found& found) {
  char target[PATH_MAX];
  const ssize_t size = ::readlinkat(found.folder, found.name.c_str(), target, sizeof target);
  return size < 0 ? "?" : printable({target, static_cast<std::size_t>(size)});
}

std::string described(const Found& found) {
  const std::string path = printable(found.path);
  const mode_t mode = found.about.st_mode;
  if (S_ISDIR(mode)) return path + "/";
  if (S_ISLNK(mode)) return path + " -> " + link_target(found);
  if (!S_ISREG(mode)) return path + " (no file)";
  return path + " (" + std::to_string(found.about.st_size) + " bytes)";
}

// No property of the file: the next one would be refused as well, and what is found would depend on
// what else runs.
bool lacks_means(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM;
}

class Search {
 public:
  Search(const Roots& roots, const Place& start, const Searching& what,
         const toolpost::Context& call)
      : roots_(roots), start_(start), what_(what), call_(call) {
    if (what.pattern) pattern_.emplace(*what.pattern, call);
  }

  // Whether to go on.
  bool visit(const Found& found) {
    call_.check();
    if (!S_ISREG(found.about.st_mode) || found.skipped) return true;
    // One file that the caller named has no path below the start.
    const std::string& path = found.path.empty() ? found.name : found.path;
    if (what_.glob && !name_fits(*what_.glob, path)) return true;
    const Place place = start_.below(found.path);
    if (pattern_) return add_lines(place);
    out += printable(place.path()) + "\n";
    return ++shown < kMaxMatches;
  }

  std::string out;
  std::size_t shown = 0;
  std::size_t no_text = 0;     // binary, or too large
  std::size_t unreadable = 0;  // refused by the system

 private:
  bool add_lines(const Place& place) {
    const std::optional<TextFile> file = text_of(place);
    if (!file) return true;
    bool headed = false;
    std::size_t number = 0;
    for (const std::string_view line : lines_of(file->bytes)) {
      ++number;
      if (number % 1024 == 0) call_.check();
      if (!pattern_->is_in(line)) continue;
      if (!std::exchange(headed, true)) out += printable(place.path()) + "\n";
      out += "  " + std::to_string(number) + ": " + printable(toolpost::cut(line, kMaxMatchBytes)) +
             (line.size() > kMaxMatchBytes ? " ..." : "") + "\n";
      if (++shown == kMaxMatches) return false;
    }
    return true;
  }

  std::optional<TextFile> text_of(const Place& place) {
    try {
      TextFile file = read_whole(roots_, place, what_.max_file_bytes);
      if (file.bytes.find('\0') == std::string::npos &&
          toolpost::valid_utf8(file.bytes) == file.bytes.size())
        return file;
      ++no_text;
    } catch (const Unreadable& error) {
      if (lacks_means(error.number)) throw;
      if (error.number != ENOENT) ++unreadable;  // one that is gone has no lines
    } catch (const toolpost::Error&) {
      ++no_text;
    }
    return std::nullopt;
  }

  const Roots& roots_;
  const Place& start_;
  const Searching& what_;
  const toolpost::Context& call_;
  std::optional<Pattern> pattern_;
};

Fd open_folder(const Roots& roots, const Place& place) {
  Fd folder = roots.open(place, O_RDONLY | O_DIRECTORY);
  // The caller may name a file, but not something below a file, nor a root that is a file.
  if (!folder && (errno != ENOTDIR || !roots.open(place, O_PATH)))
    throw toolpost::Error(roots.explain(place, errno));
  return folder;
}

}  // namespace

std::string list_below(const Roots& roots, const Place& place, int depth, const Skipped& skipped,
                       const toolpost::Context& call) {
  const Fd folder = open_folder(roots, place);
  if (!folder) throw toolpost::Error(place.path() + " is no folder");
  std::string out;
  std::size_t shown = 0;
  const Walked walked = walk_tree(folder, place.path(), depth, skipped, [&](const Found& found) {
    call.check();
    out += described(found) + "\n";
    return ++shown < kMaxListed;
  });
  return place.path() + ":\n" + out + note(walked, shown, kMaxListed, "entries");
}

std::string search_below(const Roots& roots, const Place& place, const Searching& what,
                         const Skipped& skipped, const toolpost::Context& call) {
  Search search(roots, place, what, call);
  Walked walked;
  const Fd folder = open_folder(roots, place);
  if (folder) {
    walked = walk_tree(folder, place.path(), kMaxSearchDepth, skipped,
                       [&](const Found& found) { return search.visit(found); });
  } else {  // one file, named by the caller
    Found file{"", place.name(), -1, {}, false};
    file.about.st_mode = S_IFREG;
    walked.stopped = !search.visit(file);
  }
  std::string out =
      search.out + note(walked, search.shown, kMaxMatches, what.pattern ? "matches" : "files");
  if (search.no_text > 0)
    out += "[not searched: " + std::to_string(search.no_text) +
           " that are no UTF-8 text, or too large]\n";
  if (search.unreadable > 0)
    out += "[not searched: " + std::to_string(search.unreadable) + " that could not be read]\n";
  return out;
}
