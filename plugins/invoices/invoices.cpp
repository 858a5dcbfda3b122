// invoices: save_csv writes rows of invoices to the shared folder.
#include <cctype>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "csv.h"

namespace {

struct SaveCsv {
  std::string filename;
  std::vector<Row> rows;

  TOOLPOST_FIELDS(SaveCsv, TOOLPOST_FIELD(filename, "Output filename without extension"),
                  TOOLPOST_FIELD(rows), toolpost::additional_properties)
};

// A name in the folder, and nothing that leads out of it.
void check_filename(const std::string& name) {
  const auto refuse = [](const std::string& why) {
    throw toolpost::Error("Failed to save CSV: filename " + why +
                          ", for example \"invoice-2024-001\"");
  };
  if (name.empty()) refuse("is empty: give a plain name");
  if (name.size() > 200) refuse("is longer than 200 bytes: give a shorter one");
  if (name.front() == '.') refuse("begins with a dot: give a plain name");
  for (const char c : name) {
    if (c == '/' || c == '\\') refuse("has a slash: give a name without folders");
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      refuse("has a control character: give a plain name");
  }
}

// The folder that "@state" is in the host's configuration; "" if it is unknown.
std::string state_folder() {
  const char* const set = std::getenv("XDG_STATE_HOME");
  if (set && *set == '/') return std::string(set) + "/toolpost";
  const char* const home = std::getenv("HOME");
  return home && *home ? std::string(home) + "/.local/state/toolpost" : std::string();
}

// From /, ~/ or @state/: any other path would depend on the folder that the process runs in.
std::string absolute(std::string folder) {
  constexpr std::string_view kState = "@state/";
  const char* const home = std::getenv("HOME");
  if (home && *home && folder.starts_with("~/")) folder.replace(0, 1, home);
  if (folder.starts_with(kState)) folder.replace(0, kState.size() - 1, state_folder());
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  if (folder.empty()) throw toolpost::Error("setting /folder is empty: give a folder");
  if (folder.front() != '/')
    throw toolpost::Error("setting /folder is no absolute path: write it from /, ~/ or @state/");
  return folder;
}

class Invoices {
 public:
  struct Settings {
    std::string folder = "@state/invoices";
    bool guard_formulas = true;

    TOOLPOST_FIELDS(Settings, TOOLPOST_FIELD(folder, "Where the files go"),
                    TOOLPOST_FIELD(guard_formulas,
                                   "Keep spreadsheets from running text as formulas"))
  };

  explicit Invoices(Settings settings) : settings_(std::move(settings)) {
    settings_.folder = absolute(std::move(settings_.folder));
  }

  std::string save_csv(const SaveCsv& args, const toolpost::Context& call) {
    check_filename(args.filename);
    const std::string name = args.filename + ".csv";
    try {
      write_whole(settings_.folder, name, to_csv(args.rows, settings_.guard_formulas));
    } catch (const std::system_error& error) {
      if (error.code() == std::errc::permission_denied)
        call.log(toolpost::LogLevel::Warning,
                 "may not write to " + settings_.folder +
                     ": as a worker it needs the grant fs = [\"rw:" + settings_.folder +
                     "\"] in its section of the configuration");
      std::string reason = error.code().message();
      reason[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(reason[0])));
      throw toolpost::Error("Failed to save CSV: " + reason + " on " + settings_.folder + "/");
    }
    return "CSV saved to " + settings_.folder + "/" + name + " (" +
           std::to_string(args.rows.size()) + " rows)";
  }

 private:
  Settings settings_;
};

}  // namespace

TOOLPOST_PLUGIN(toolpost::Plugin<Invoices>({.id = "io.toolpost.invoices",
                                            .name = "Invoices",
                                            .version = TOOLPOST_VERSION,
                                            .concurrent = true})
                    .tool("save_csv", "Save parsed invoice data as a CSV file to the shared drive",
                          &Invoices::save_csv, {.idempotent = true, .closed_world = true}))
