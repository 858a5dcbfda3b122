// Reads the ELF tables of a shared library without loading it. The bytes are untrusted, so the code
// checks every offset, and limits how many entries and bytes it reads from each table.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace host::plugin {

// A version of a symbol that a library needs from a different library, like GLIBC_2.34 of
// libc.so.6.
struct NeededVersion {
  std::string library;
  std::string version;
  bool weak = false;  // the library can load without this version
};

struct ElfSymbol {
  std::string_view name;
  bool defined = false;
  bool weak = false;
  bool unique = false;   // STB_GNU_UNIQUE
  bool visible = false;  // has default or protected visibility
};

// The tables behind PT_DYNAMIC of a 64-bit little-endian file. The string views point into `bytes`.
class ElfTables {
 public:
  static Result<ElfTables> open(std::string_view bytes);

  const std::vector<std::string_view>& needed() const { return needed_; }
  const std::vector<std::string_view>& run_paths() const { return run_paths_; }
  bool nodelete() const { return (flags_1_ & DF_1_NODELETE) != 0; }
  bool static_tls() const { return (flags_ & DF_STATIC_TLS) != 0; }
  bool text_relocations() const { return text_relocations_ || (flags_ & DF_TEXTREL) != 0; }
  bool executable_stack() const { return executable_stack_; }
  const std::string& build_id() const { return build_id_; }  // hex; empty: no build id

  Result<void> for_each_symbol(const std::function<void(const ElfSymbol&)>& visit) const;
  Result<std::vector<NeededVersion>> needed_versions() const;
  Result<std::vector<std::string>> offered_versions() const;

 private:
  explicit ElfTables(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  bool read(std::uint64_t offset, T& to) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof to) return false;
    std::memcpy(&to, bytes_.data() + offset, sizeof to);
    return true;
  }
  Result<void> read_segments();
  Result<void> read_dynamic(const Elf64_Phdr& segment);
  void read_notes(const Elf64_Phdr& segment);
  std::optional<std::uint64_t> offset_of(std::uint64_t address) const;
  std::optional<std::string_view> text(std::uint64_t offset_in_strings) const;
  std::optional<std::uint64_t> symbol_count() const;
  std::optional<std::uint64_t> symbol_count_by_gnu_hash(std::uint64_t table) const;

  std::string_view bytes_;
  std::vector<Elf64_Phdr> loads_;
  std::string_view strings_;
  std::uint64_t symbols_ = 0;  // file offset, like hash_, gnu_hash_, verneed_, verdef_; 0: none
  std::uint64_t hash_ = 0;
  std::uint64_t gnu_hash_ = 0;
  std::uint64_t verneed_ = 0;
  std::uint64_t verneed_count_ = 0;
  std::uint64_t verdef_ = 0;
  std::uint64_t verdef_count_ = 0;
  std::uint64_t flags_ = 0;
  std::uint64_t flags_1_ = 0;
  bool text_relocations_ = false;
  bool executable_stack_ = true;  // the dynamic loader's default is true
  std::vector<std::string_view> needed_;
  std::vector<std::string_view> run_paths_;
  std::string build_id_;
};

}  // namespace host::plugin
