#include "plugin/file/elf_file.h"

#include <algorithm>

#include "base/digest.h"

namespace host::plugin {
namespace {

constexpr std::uint64_t kMostTableEntries = 1u << 20u;  // of any one table
// Texts may lie in each other, and a table's entries too, so a small file can say very much.
constexpr std::size_t kMostElfNameBytes = 64u << 10u;  // of one text
constexpr std::size_t kMostTableTexts = 64u << 20u;    // the bytes of all names of the symbols
constexpr std::size_t kMostVersionTexts = 4u << 20u;
constexpr std::size_t kMostVersions = 16u << 10u;
constexpr std::size_t kMostNeeded = 1024;  // libraries, and as many run paths

Error broken(const char* what) {
  return Error{ErrorKind::PluginFault, std::string("has a broken ") + what};
}

// What may still be taken out of a table.
class Allowance {
 public:
  Allowance(std::size_t entries, std::size_t bytes) : entries_(entries), bytes_(bytes) {}

  bool take(std::size_t bytes) {
    if (entries_ == 0 || bytes > bytes_) return false;
    --entries_;
    bytes_ -= bytes;
    return true;
  }

 private:
  std::size_t entries_;
  std::size_t bytes_;
};

}  // namespace

Result<ElfTables> ElfTables::open(std::string_view bytes) {
  ElfTables tables(bytes);
  HOST_TRY(tables.read_segments());
  return tables;
}

Result<void> ElfTables::read_segments() {
  Elf64_Ehdr header;
  if (!read(0, header)) return broken("ELF header");
  std::optional<Elf64_Phdr> dynamic;
  std::vector<Elf64_Phdr> notes;
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!read(header.e_phoff + i * sizeof segment, segment)) return broken("program header");
    if (segment.p_type == PT_LOAD) loads_.push_back(segment);
    if (segment.p_type == PT_DYNAMIC) dynamic = segment;
    if (segment.p_type == PT_NOTE) notes.push_back(segment);
    if (segment.p_type == PT_GNU_STACK) executable_stack_ = (segment.p_flags & PF_X) != 0;
  }
  for (const Elf64_Phdr& note : notes) read_notes(note);
  if (!dynamic) return broken("list of segments: none is dynamic");
  return read_dynamic(*dynamic);
}

Result<void> ElfTables::read_dynamic(const Elf64_Phdr& segment) {
  std::uint64_t strings = 0;
  std::uint64_t strings_size = 0;
  std::vector<std::uint64_t> needed;
  std::vector<std::uint64_t> run_paths;
  const auto place = [this](std::uint64_t address, std::uint64_t& to) {
    const auto offset = offset_of(address);
    to = offset.value_or(0);
    return offset.has_value();
  };
  for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= segment.p_filesz; at += sizeof(Elf64_Dyn)) {
    Elf64_Dyn entry;
    if (!read(segment.p_offset + at, entry)) return broken("dynamic section");
    if (entry.d_tag == DT_NULL) break;
    bool placed = true;
    switch (entry.d_tag) {
      case DT_STRTAB:
        placed = place(entry.d_un.d_ptr, strings);
        break;
      case DT_STRSZ:
        strings_size = entry.d_un.d_val;
        break;
      case DT_SYMTAB:
        placed = place(entry.d_un.d_ptr, symbols_);
        break;
      case DT_HASH:
        placed = place(entry.d_un.d_ptr, hash_);
        break;
      case DT_GNU_HASH:
        placed = place(entry.d_un.d_ptr, gnu_hash_);
        break;
      case DT_VERNEED:
        placed = place(entry.d_un.d_ptr, verneed_);
        break;
      case DT_VERNEEDNUM:
        verneed_count_ = entry.d_un.d_val;
        break;
      case DT_VERDEF:
        placed = place(entry.d_un.d_ptr, verdef_);
        break;
      case DT_VERDEFNUM:
        verdef_count_ = entry.d_un.d_val;
        break;
      case DT_NEEDED:
        needed.push_back(entry.d_un.d_val);
        break;
      case DT_RPATH:
      case DT_RUNPATH:
        run_paths.push_back(entry.d_un.d_val);
        break;
      case DT_FLAGS:
        flags_ = entry.d_un.d_val;
        break;
      case DT_FLAGS_1:
        flags_1_ = entry.d_un.d_val;
        break;
      case DT_TEXTREL:
        text_relocations_ = true;
        break;
      default:
        break;
    }
    if (!placed) return broken("dynamic section: a table lies outside of the file");
    if (needed.size() > kMostNeeded || run_paths.size() > kMostNeeded)
      return broken("dynamic section: it names too many libraries");
  }
  if (strings > bytes_.size() || strings_size > bytes_.size() - strings)
    return broken("dynamic section: its strings lie beyond the end");
  strings_ = bytes_.substr(strings, strings_size);
  const auto texts = [this](const std::vector<std::uint64_t>& offsets,
                            std::vector<std::string_view>& to) {
    for (const std::uint64_t offset : offsets) {
      const auto name = text(offset);
      if (!name) return false;
      to.push_back(*name);
    }
    return true;
  };
  if (!texts(needed, needed_) || !texts(run_paths, run_paths_)) return broken("dynamic string");
  return {};
}

// NT_GNU_BUILD_ID: name "GNU", then the id.
void ElfTables::read_notes(const Elf64_Phdr& segment) {
  std::uint64_t at = segment.p_offset;
  const std::uint64_t end = segment.p_offset + std::min<std::uint64_t>(segment.p_filesz, 1u << 16u);
  while (at < end) {
    Elf64_Nhdr note;
    if (!read(at, note) || note.n_namesz > 256 || note.n_descsz > 4096) return;
    const std::uint64_t name = at + sizeof note;
    const std::uint64_t value = name + (note.n_namesz + 3u) / 4u * 4u;
    if (value > bytes_.size() || note.n_descsz > bytes_.size() - value) return;
    const bool is_gnu = bytes_.substr(name, note.n_namesz) == std::string_view("GNU", 4);
    if (note.n_type == NT_GNU_BUILD_ID && is_gnu) {
      const auto* id = reinterpret_cast<const std::uint8_t*>(bytes_.data() + value);
      build_id_ = to_hex({id, note.n_descsz});
    }
    at = value + (note.n_descsz + 3u) / 4u * 4u;
  }
}

std::optional<std::uint64_t> ElfTables::offset_of(std::uint64_t address) const {
  for (const Elf64_Phdr& load : loads_) {
    if (address < load.p_vaddr || address - load.p_vaddr >= load.p_filesz) continue;
    const std::uint64_t offset = load.p_offset + (address - load.p_vaddr);
    if (offset < bytes_.size()) return offset;
  }
  return std::nullopt;
}

std::optional<std::string_view> ElfTables::text(std::uint64_t offset) const {
  if (offset >= strings_.size()) return std::nullopt;
  const std::string_view rest = strings_.substr(offset, kMostElfNameBytes + 1);
  const std::size_t end = rest.find('\0');
  if (end == rest.npos) return std::nullopt;
  return rest.substr(0, end);
}

// The dynamic section does not tell how many symbols there are; its hash tables do.
std::optional<std::uint64_t> ElfTables::symbol_count() const {
  if (hash_ != 0) {
    std::uint32_t chains = 0;
    if (!read(hash_ + 4, chains)) return std::nullopt;
    return chains;
  }
  if (gnu_hash_ != 0) return symbol_count_by_gnu_hash(gnu_hash_);
  return std::nullopt;
}

std::optional<std::uint64_t> ElfTables::symbol_count_by_gnu_hash(std::uint64_t table) const {
  std::uint32_t buckets = 0;
  std::uint32_t first = 0;
  std::uint32_t blooms = 0;
  if (!read(table, buckets) || !read(table + 4, first) || !read(table + 8, blooms))
    return std::nullopt;
  if (buckets > kMostTableEntries || blooms > kMostTableEntries) return std::nullopt;
  const std::uint64_t bucket_table = table + 16 + std::uint64_t{blooms} * 8;
  const std::uint64_t chain_table = bucket_table + std::uint64_t{buckets} * 4;
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < buckets; ++i) {
    std::uint32_t start = 0;
    if (!read(bucket_table + std::uint64_t{i} * 4, start)) return std::nullopt;
    last = std::max(last, start);
  }
  if (last < first) return first;
  for (;; ++last) {  // the last chain ends at the entry whose lowest bit is set
    std::uint32_t entry = 0;
    if (!read(chain_table + (std::uint64_t{last} - first) * 4, entry)) return std::nullopt;
    if (entry & 1u) return std::uint64_t{last} + 1;
  }
}

Result<void> ElfTables::for_each_symbol(const std::function<void(const ElfSymbol&)>& visit) const {
  if (symbols_ == 0) return {};
  const auto count = symbol_count();
  if (!count || *count > kMostTableEntries) return broken("symbol hash table");
  Allowance allowance(kMostTableEntries, kMostTableTexts);
  for (std::uint64_t i = 1; i < *count; ++i) {
    Elf64_Sym raw;
    if (!read(symbols_ + i * sizeof raw, raw)) return broken("symbol table");
    const unsigned bind = ELF64_ST_BIND(raw.st_info);
    if (bind == STB_LOCAL || raw.st_name == 0) continue;
    const auto name = text(raw.st_name);
    if (!name) return broken("symbol name");
    if (!allowance.take(name->size())) return broken("symbol table: its names are too long");
    const unsigned visibility = ELF64_ST_VISIBILITY(raw.st_other);
    ElfSymbol symbol;
    symbol.name = *name;
    symbol.defined = raw.st_shndx != SHN_UNDEF;
    symbol.weak = bind == STB_WEAK;
    symbol.unique = bind == STB_GNU_UNIQUE;
    symbol.visible = visibility == STV_DEFAULT || visibility == STV_PROTECTED;
    visit(symbol);
  }
  return {};
}

Result<std::vector<NeededVersion>> ElfTables::needed_versions() const {
  std::vector<NeededVersion> versions;
  Allowance allowance(kMostVersions, kMostVersionTexts);
  std::uint64_t at = verneed_;
  for (std::uint64_t i = 0; verneed_ != 0 && i < std::min(verneed_count_, kMostTableEntries); ++i) {
    Elf64_Verneed library;
    if (!read(at, library)) return broken("version table");
    const auto name = text(library.vn_file);
    if (!name) return broken("version table");
    std::uint64_t entry = at + library.vn_aux;
    for (unsigned k = 0; k < library.vn_cnt; ++k) {
      Elf64_Vernaux one;
      if (!read(entry, one)) return broken("version table");
      const auto version = text(one.vna_name);
      if (!version || !allowance.take(name->size() + version->size()))
        return broken("version table");
      versions.push_back(
          {std::string(*name), std::string(*version), (one.vna_flags & VER_FLG_WEAK) != 0});
      if (one.vna_next == 0) break;
      entry += one.vna_next;
    }
    if (library.vn_next == 0) break;
    at += library.vn_next;
  }
  return versions;
}

Result<std::vector<std::string>> ElfTables::offered_versions() const {
  std::vector<std::string> versions;
  Allowance allowance(kMostVersions, kMostVersionTexts);
  std::uint64_t at = verdef_;
  for (std::uint64_t i = 0; verdef_ != 0 && i < std::min(verdef_count_, kMostTableEntries); ++i) {
    Elf64_Verdef definition;
    Elf64_Verdaux name;
    if (!read(at, definition) || !read(at + definition.vd_aux, name))
      return broken("version table");
    const auto version = text(name.vda_name);
    if (!version || !allowance.take(version->size())) return broken("version table");
    versions.emplace_back(*version);
    if (definition.vd_next == 0) break;
    at += definition.vd_next;
  }
  return versions;
}

}  // namespace host::plugin
