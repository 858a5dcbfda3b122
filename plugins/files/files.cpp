// files: read, list, search, write and edit files beneath granted folders.
#include <cerrno>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>

#include <toolpost/toolpost.hpp>

#include "edit.h"
#include "roots/roots.h"
#include "roots/utf8.h"
#include "search.h"
#include "text_file.h"
#include "write.h"

namespace {

constexpr std::size_t kMaxLineBytes = 2000;

struct ReadFile {
  std::string path;
  std::int64_t offset = 1;
  std::int64_t limit = 2000;

  TOOLPOST_FIELDS(ReadFile, TOOLPOST_FIELD(path, "Absolute path of the file"),
                  TOOLPOST_FIELD(offset, "First line, from 1", toolpost::minimum(1)),
                  TOOLPOST_FIELD(limit, "How many lines", toolpost::minimum(1),
                                 toolpost::maximum(2000)))
};

struct ListFiles {
  std::optional<std::string> path;
  std::int64_t depth = 1;

  TOOLPOST_FIELDS(ListFiles,
                  TOOLPOST_FIELD(path, "Absolute path of the folder; none: the granted folders"),
                  TOOLPOST_FIELD(depth, "Levels of folders", toolpost::minimum(1),
                                 toolpost::maximum(8)))
};

struct SearchFiles {
  std::optional<std::string> pattern;
  std::optional<std::string> path;
  std::optional<std::string> glob;

  TOOLPOST_FIELDS(
      SearchFiles,
      TOOLPOST_FIELD(pattern,
                     "Perl regular expression that a line has to contain, (?i) in front for any "
                     "case; none: the files' names alone"),
      TOOLPOST_FIELD(path, "Absolute path of a folder or file; none: all granted folders"),
      TOOLPOST_FIELD(glob, "Only files of such names: *.cpp, or src/**/*.h from path on",
                     toolpost::max_length(1000)))
};

struct WriteFile {
  std::string path;
  std::string content;
  std::optional<std::string> version;

  TOOLPOST_FIELDS(
      WriteFile, TOOLPOST_FIELD(path, "Absolute path of the file"),
      TOOLPOST_FIELD(content, "The whole file"),
      TOOLPOST_FIELD(version,
                     "To replace a file: the version that read_file, write_file or edit_file told "
                     "last. It is refused if the file has changed since. None: a new file"))
};

struct EditFile {
  std::string path;
  std::string old;
  std::string new_;
  bool replace_all = false;

  TOOLPOST_FIELDS(EditFile, TOOLPOST_FIELD(path, "Absolute path of the file"),
                  TOOLPOST_FIELD(old, "The very text to replace; it must be in the file once"),
                  TOOLPOST_FIELD_AS(new_, "new", "What takes its place"),
                  TOOLPOST_FIELD(replace_all, "Replace it everywhere", toolpost::defaulted))
};

std::string numbered(const std::vector<std::string_view>& lines, std::size_t from, std::size_t to) {
  std::string text;
  for (std::size_t i = from; i < to; ++i) {
    char number[24];
    std::snprintf(number, sizeof number, "%6zu\t", i + 1);
    text += number;
    text += toolpost::cut(lines[i], kMaxLineBytes);
    if (lines[i].size() > kMaxLineBytes) text += " ...";
    text += '\n';
  }
  return text;
}

class Files {
 public:
  struct Settings {
    std::vector<std::string> roots;
    std::int64_t max_file_bytes = 10 * 1024 * 1024;
    std::vector<std::string> skip;

    TOOLPOST_FIELDS(Settings,
                    TOOLPOST_FIELD(roots, "Folders that may be touched", toolpost::defaulted),
                    TOOLPOST_FIELD(max_file_bytes, "Larger files are not opened, nor made",
                                   toolpost::minimum(1), toolpost::maximum(1 << 30)),
                    TOOLPOST_FIELD(skip, "Searches and lists do not look into these either",
                                   toolpost::defaulted))
  };

  explicit Files(const Settings& settings)
      : roots_(settings.roots, "files"),
        most_(static_cast<std::size_t>(settings.max_file_bytes)),
        skip_(settings.skip) {}

  toolpost::Content read_file(const ReadFile& args) const {
    const Place place = roots_.find(args.path);
    const TextFile file = read_whole(roots_, place, most_);
    toolpost::Content content;
    if (const std::string_view type = image_type(file.bytes); !type.empty())
      return content.blob(std::string(type), file.bytes);
    check_text(place, file.bytes);
    const std::vector<std::string_view> lines = lines_of(file.bytes);
    const std::size_t from = std::min(static_cast<std::size_t>(args.offset - 1), lines.size());
    const std::size_t to = std::min(from + static_cast<std::size_t>(args.limit), lines.size());
    if (from == lines.size() && !lines.empty())
      throw toolpost::Error("offset " + std::to_string(args.offset) + " is behind the last line, " +
                            std::to_string(lines.size()) + ", of " + place.path());
    if (to > from) content.text(numbered(lines, from, to));
    const std::string shown = lines.empty()
                                  ? "the file is empty"
                                  : "lines " + std::to_string(from + 1) + "-" + std::to_string(to) +
                                        " of " + std::to_string(lines.size());
    return content.text("[" + shown + "; version " + version_of(file.bytes) + "]");
  }

  std::string list_files(const ListFiles& args, toolpost::Context& call) const {
    if (args.path)
      return list_below(roots_, roots_.find(*args.path), static_cast<int>(args.depth),
                        skipped(call), call);
    if (roots_.folders().empty()) roots_.find("/");  // says how to grant one
    std::string text = "granted folders:\n";
    for (const std::string& folder : roots_.folders()) text += folder + "/\n";
    return text;
  }

  std::string search_files(const SearchFiles& args, toolpost::Context& call) const {
    if (!args.pattern && !args.glob)
      throw toolpost::Error("nothing to search for: give pattern, glob or both");
    const Searching what{args.pattern, args.glob, most_};
    const Skipped skip = skipped(call);
    if (args.path) return search_below(roots_, roots_.find(*args.path), what, skip, call);
    if (roots_.folders().empty()) roots_.find("/");
    std::string text;
    for (const std::string& folder : roots_.folders())
      text += search_below(roots_, roots_.find(folder), what, skip, call);
    return text;
  }

  std::string write_file(const WriteFile& args) const {
    const Place place = roots_.find(args.path);
    check_new_size(args.content.size(), most_);
    const std::optional<TextFile> old = look(place);
    // The host may repeat a call whose worker ended before it answered.
    if (old && old->bytes == args.content) return told_of("unchanged: ", place, args.content);
    if (old && !args.version)
      throw toolpost::Error(place.path() +
                            " is there already: read_file it, then give its version " +
                            "to replace it; edit_file changes a part");
    if (!old && args.version)
      throw toolpost::Error(place.path() + " is gone: leave version out to make it anew");
    if (old && version_of(old->bytes) != *args.version)
      throw toolpost::Error(place.path() + " has changed since version " +
                            args.version->substr(0, 16) + " was read: read it again");
    write_whole(roots_, place, args.content, {args.version, most_});
    return told_of(old ? "replaced " : "made ", place, args.content);
  }

  std::string edit_file(const EditFile& args) const {
    const Place place = roots_.find(args.path);
    const TextFile file = read_whole(roots_, place, most_);
    check_text(place, file.bytes);
    const Edited edited = edit(file.bytes, args.old, args.new_, args.replace_all, most_);
    write_whole(roots_, place, edited.text, {version_of(file.bytes), most_});
    return "edited " + place.path() + ": " + std::to_string(edited.count) +
           (edited.count == 1 ? " replacement, in line " : " replacements, the first in line ") +
           std::to_string(edited.first_line) + "; version " + version_of(edited.text);
  }

  // Nobody is asked for a yes to what cannot be done.
  template <class Arguments>
  toolpost::Permission inside(const Arguments& args) const {
    try {
      roots_.find(args.path);
      return {};
    } catch (const toolpost::Error& error) {
      return {toolpost::Behavior::deny, error.what(), "outside the granted folders", false};
    }
  }
  toolpost::Permission check_write(const WriteFile& args) const { return inside(args); }
  toolpost::Permission check_edit(const EditFile& args) const { return inside(args); }

 private:
  static std::string told_of(const char* done, const Place& place, const std::string& content) {
    return done + place.path() + " (" + std::to_string(content.size()) + " bytes; version " +
           version_of(content) + ")";
  }

  // Nothing where no file is there; throws for what is no file.
  std::optional<TextFile> look(const Place& place) const {
    if (!roots_.open(place, O_PATH) && errno == ENOENT) return std::nullopt;
    return read_whole(roots_, place, most_);
  }

  // What the operator's settings name, and what the host asks about by
  // `permission.dangerous_paths`.
  Skipped skipped(const toolpost::Context& call) const {
    std::vector<std::string> entries = skip_;
    const std::string_view told = call.value("toolpost.dangerous_paths").value_or("");
    for (const std::string_view entry : lines_of(told)) {
      if (!entry.empty()) entries.emplace_back(entry);
    }
    return Skipped(entries);
  }

  Roots roots_;
  std::size_t most_;
  std::vector<std::string> skip_;
};

toolpost::ToolOptions reading(const char* title) {
  return {.title = title, .read_only = true, .closed_world = true, .path_args = {"/path"}};
}

// A walk has a descriptor open for each level that it is in, and a worker may have few.
toolpost::ToolOptions walking(const char* title) {
  toolpost::ToolOptions options = reading(title);
  options.max_inflight = 4;
  return options;
}

}  // namespace

TOOLPOST_PLUGIN(
    toolpost::Plugin<Files>({.id = "io.toolpost.files",
                             .name = "Files",
                             .version = TOOLPOST_VERSION,
                             .concurrent = true})
        .tool("read_file", "Read a text file with its line numbers, or an image", &Files::read_file,
              reading("Read a file"))
        .tool("list_files", "List what is in a folder, and below it", &Files::list_files,
              walking("List files"))
        .tool("search_files",
              "Find the lines that a regular expression is in, or files by their names",
              &Files::search_files, walking("Search files"))
        .tool("write_file",
              "Write a whole file: a new one, or in the place of one whose version is known",
              &Files::write_file,
              {.title = "Write a file",
               .exclusive = "files",
               .idempotent = true,
               .closed_world = true,
               .path_args = {"/path"}})
        .check_permissions(&Files::check_write)
        .tool("edit_file", "Replace a text in a file by another", &Files::edit_file,
              {.title = "Edit a file",
               .exclusive = "files",
               .closed_world = true,
               .path_args = {"/path"}})
        .check_permissions(&Files::check_edit))
