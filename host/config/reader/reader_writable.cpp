// Paths that depend on folders which a process in a sandbox can write: see writable_folders.h.
#include <cstdlib>

#include "config/reader/reader.h"
#include "config/writable_folders.h"

namespace host::config {
namespace {

constexpr const char* kHelp =
    "grant the folder itself, or use a path that no process in a sandbox can write";

const Node* found_in(const Node* table, std::string_view key, Node::Kind kind) {
  const Node* const found = table && table->kind == Node::Kind::Table ? table->find(key) : nullptr;
  return found && found->kind == kind ? found : nullptr;
}

// The text of PATH in `env`; otherwise the host's own.
std::string searched(const Node& entry) {
  const Node* const env = entry.find("env");
  if (const Node* const text = found_in(env, "PATH", Node::Kind::Text)) return text->text;
  const char* const own = std::getenv("PATH");
  return own ? own : "";
}

// Where the path is written. A host's PATH is written nowhere: it is used for the command.
Position place_of(const UsedPath& used, const Node& entry) {
  if (std::string_view(used.key) == "fs") {
    const Node* const list = found_in(entry.find("sandbox"), "fs", Node::Kind::Array);
    return list && used.index < list->array.size() ? list->array[used.index].at : entry.at;
  }
  const Node* const own = entry.find(used.key);
  const Node* const of_env = found_in(entry.find("env"), used.key, Node::Kind::Text);
  const Node* const command = entry.find("command");
  return own ? own->at : of_env ? of_env->at : command ? command->at : entry.at;
}

}  // namespace

// Entries with other faults are not checked: those faults come first.
void Reader::check_writable_folders(const Node& root, const Config& config) {
  const WritableFolders folders(config);
  const Node* const upstreams = found_in(&root, "upstream", Node::Kind::Array);
  const bool is_whole = upstreams && upstreams->array.size() == config.upstream.size();
  for (std::size_t i = 0; is_whole && i < config.upstream.size(); ++i) {
    const Upstream& one = config.upstream[i];
    if (!one.sandbox) continue;
    const Node& entry = upstreams->array[i];
    for (const UsedPath& used : paths_of(one, searched(entry))) {
      const Result<void> good = folders.check(used.path, WritableFolders::Of::All);
      if (good) continue;
      report_.error(place_of(used, entry), "C017",
                    std::string(used.key) + " of [[upstream]]: " + good.error().message, kHelp);
    }
  }
  const Node* const plugins = found_in(&root, "plugin", Node::Kind::Table);
  for (const auto& [name, plugin] : config.plugins.by_name) {
    const Node* const section = plugins ? plugins->find(name) : nullptr;
    const Node* const list = section ? found_in(section, "fs", Node::Kind::Array) : nullptr;
    for (std::size_t i = 0; i < plugin.fs.size(); ++i) {
      const Result<void> good = folders.check(plugin.fs[i].path, WritableFolders::Of::Upstreams);
      if (good) continue;
      const bool is_written = list && i < list->array.size();
      report_.error(is_written ? list->array[i].at : root.at, "C017",
                    "fs of [plugin." + name + "]: " + good.error().message, kHelp);
    }
  }
}

}  // namespace host::config
