// The zoo's tool `until`, which runs until its file exists: a call that ends when the test says so.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace host::plugin {

// Arguments of a call that runs until open_gate().
inline std::string gate_in(const std::filesystem::path& folder, const std::string& name = "gate") {
  return R"({"file":")" + (folder / name).string() + "\"}";
}

inline void open_gate(const std::filesystem::path& folder, const std::string& name = "gate") {
  std::ofstream(folder / name) << "";
}

}  // namespace host::plugin
