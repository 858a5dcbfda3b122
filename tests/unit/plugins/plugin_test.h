// A shipped plugin over a temporary folder.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "support/fake_host.h"
#include "support/places.h"

namespace fs = std::filesystem;

inline std::string library(const std::string& name) {
  return places::build().string() + "/plugins/" + name + ".so";
}

inline std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else {
      out += c;
    }
  }
  return out + '"';
}

class Folder {
 public:
  Folder() {
    std::string path = (fs::temp_directory_path() / "shipped-XXXXXX").string();
    root = ::mkdtemp(path.data());
  }
  ~Folder() { fs::remove_all(root); }

  std::string at(const std::string& name) const { return (root / name).string(); }
  void write(const std::string& name, std::string_view text) const {
    fs::create_directories((root / name).parent_path());
    std::ofstream(root / name, std::ios::binary) << text;
  }
  std::string read(const std::string& name) const {
    std::ostringstream out;
    out << std::ifstream(root / name, std::ios::binary).rdbuf();
    return out.str();
  }

  fs::path root;
};

// All text blocks of a call, one after the other, then "error: ..." or "status N" where it failed.
inline std::string told(fake::Plugin& plugin, const std::string& tool, const std::string& args,
                        fake::Call& call) {
  const tp_status status = plugin.call(tool, args, call);
  std::string text;
  for (const fake::Block& block : call.blocks) {
    if ((block.kind & TP_PARTIAL) == 0) text += block.bytes;
  }
  if (call.error) text += "error: " + *call.error;
  if (status != TP_OK) text += "status " + std::to_string(status);
  return text;
}
inline std::string told(fake::Plugin& plugin, const std::string& tool, const std::string& args) {
  fake::Call call;
  return told(plugin, tool, args, call);
}

// What check_permissions answers.
inline std::string judged(fake::Plugin& plugin, const std::string& tool, const std::string& args,
                          const std::string& context = R"({"mode":"default"})") {
  fake::Call call;
  plugin.api().check_permissions(plugin.instance(), plugin.index_of(tool), fake::str(args),
                                 fake::str(context), call.handle());
  return call.only();
}
