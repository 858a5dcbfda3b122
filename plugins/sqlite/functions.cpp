#include "functions.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "database.h"
#include "roots/find_text.h"

namespace {

constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;

// None for NULL, and where there is no memory.
std::optional<std::string_view> text_of(sqlite3_value* value) {
  const auto* bytes = reinterpret_cast<const char*>(::sqlite3_value_text(value));
  if (bytes == nullptr) return std::nullopt;
  return std::string_view(bytes, static_cast<std::size_t>(::sqlite3_value_bytes(value)));
}

std::string_view blob_of(sqlite3_value* value) {
  const auto* bytes = static_cast<const char*>(::sqlite3_value_blob(value));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(::sqlite3_value_bytes(value))};
}

void tell_text(sqlite3_context* context, std::string_view text) {
  ::sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

bool continues(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0u) == 0x80u;
}

// From 1 and in characters; 0: not there.
sqlite3_int64 place_in_text(std::string_view text, std::string_view wanted) {
  if (wanted.empty() || text.starts_with(wanted)) return 1;
  if (continues(wanted.front())) return 0;  // it is no character's begin
  const std::size_t at = find_text(text, wanted);
  if (at == text.npos) return 0;
  return 1 + std::count_if(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                           [](char byte) { return !continues(byte); });
}

struct FreeValue {
  void operator()(sqlite3_value* value) const { ::sqlite3_value_free(value); }
};
using Value = std::unique_ptr<sqlite3_value, FreeValue>;

void instr(sqlite3_context* context, int, sqlite3_value** values) {
  if (::sqlite3_value_type(values[0]) == SQLITE_NULL) return;
  if (::sqlite3_value_type(values[1]) == SQLITE_NULL) return;
  if (::sqlite3_value_type(values[0]) == SQLITE_BLOB &&
      ::sqlite3_value_type(values[1]) == SQLITE_BLOB) {
    const std::string_view wanted = blob_of(values[1]);
    const std::size_t at = wanted.empty() ? 0 : find_text(blob_of(values[0]), wanted);
    return ::sqlite3_result_int64(context,
                                  at == wanted.npos ? 0 : static_cast<sqlite3_int64>(at) + 1);
  }
  // Copies, because a blob that is read as a text becomes one.
  const Value in(::sqlite3_value_dup(values[0])), value(::sqlite3_value_dup(values[1]));
  const auto text = in ? text_of(in.get()) : std::nullopt;
  const auto wanted = value ? text_of(value.get()) : std::nullopt;
  if (!text || !wanted) return ::sqlite3_result_error_nomem(context);
  ::sqlite3_result_int64(context, place_in_text(*text, *wanted));
}

void replace_all(sqlite3_context* context, std::string_view text, std::string_view old,
                 std::string_view replacement) {
  const auto most = static_cast<std::size_t>(
      ::sqlite3_limit(::sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1));
  std::string out;
  std::size_t done = 0;
  for (std::size_t at; (at = find_text(text, old, done)) != text.npos; done = at + old.size()) {
    out.append(text.substr(done, at - done)).append(replacement);
    if (out.size() > most) return ::sqlite3_result_error_toobig(context);
  }
  tell_text(context, out.append(text.substr(done)));
}

void replace(sqlite3_context* context, int, sqlite3_value** values) try {
  const auto text = text_of(values[0]);
  const auto old = text_of(values[1]);
  if (!text || !old) return;
  if (old->empty() || old->front() == '\0') return ::sqlite3_result_value(context, values[0]);
  if (const auto replacement = text_of(values[2])) replace_all(context, *text, *old, *replacement);
} catch (const std::bad_alloc&) {
  ::sqlite3_result_error_nomem(context);
}

// The characters to trim. What has more than four bytes is none of UTF-8, and is left out.
class Characters {
 public:
  static constexpr std::size_t kLongest = 4;

  explicit Characters(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = at + 1;
      if (static_cast<unsigned char>(text[at]) >= 0xC0u) {
        while (end < text.size() && continues(text[end])) ++end;
      }
      add(text.substr(at, end - at));
      at = end;
    }
    std::sort(longer_.begin(), longer_.end());
    longer_.erase(std::unique(longer_.begin(), longer_.end()), longer_.end());
  }

  bool has(std::string_view character) const {
    if (character.size() == 1) return single_[static_cast<unsigned char>(character[0])];
    return std::binary_search(longer_.begin(), longer_.end(), number(character));
  }

 private:
  void add(std::string_view character) {
    if (character.size() == 1) {
      single_[static_cast<unsigned char>(character[0])] = true;
    } else if (character.size() <= kLongest) {
      longer_.push_back(number(character));
    }
  }
  static std::uint64_t number(std::string_view character) {
    std::uint64_t number = character.size();
    for (const char byte : character) number = number << 8 | static_cast<unsigned char>(byte);
    return number;
  }

  bool single_[256] = {};
  std::vector<std::uint64_t> longer_;
};

// The bytes of the character at an end of `text` that is to be trimmed; 0: there is none.
template <class Part>
std::size_t to_trim(std::string_view text, const Characters& characters, Part part) {
  for (std::size_t size = 1; size <= std::min(text.size(), Characters::kLongest); ++size) {
    if (characters.has(part(text, size))) return size;
  }
  return 0;
}

enum Ends { kLeft = 1, kRight = 2, kBoth = 3 };

template <Ends ends>
void trim(sqlite3_context* context, int count, sqlite3_value** values) try {
  auto text = text_of(values[0]);
  const auto set = count == 2 ? text_of(values[1]) : std::string_view(" ");
  if (!text || !set) return;
  const Characters characters(set->substr(0, set->find('\0')));  // as SQLite has it
  const auto first = [](std::string_view in, std::size_t size) { return in.substr(0, size); };
  const auto last = [](std::string_view in, std::size_t size) {
    return in.substr(in.size() - size);
  };
  if constexpr ((ends & kLeft) != 0) {
    while (const std::size_t size = to_trim(*text, characters, first)) text->remove_prefix(size);
  }
  if constexpr ((ends & kRight) != 0) {
    while (const std::size_t size = to_trim(*text, characters, last)) text->remove_suffix(size);
  }
  tell_text(context, *text);
} catch (const std::bad_alloc&) {
  ::sqlite3_result_error_nomem(context);
}

bool is_blob(sqlite3_value* value) {
  return ::sqlite3_value_type(value) == SQLITE_BLOB;
}

int differs_like(const char* pattern, const char* text) {
  return ::sqlite3_strlike(pattern, text, 0);
}

// LIKE and GLOB have the pattern first.
template <int (*differs)(const char*, const char*)>
void match(sqlite3_context* context, int, sqlite3_value** values) {
  static const bool takes_blobs = ::sqlite3_compileoption_used("LIKE_DOESNT_MATCH_BLOBS") == 0;
  if (!takes_blobs && (is_blob(values[0]) || is_blob(values[1])))
    return ::sqlite3_result_int(context, 0);
  const int most =
      ::sqlite3_limit(::sqlite3_context_db_handle(context), SQLITE_LIMIT_LIKE_PATTERN_LENGTH, -1);
  if (::sqlite3_value_bytes(values[0]) > most)
    return ::sqlite3_result_error(context, "LIKE or GLOB pattern too complex", -1);
  const auto pattern = text_of(values[0]);
  const auto text = text_of(values[1]);
  if (pattern && text) ::sqlite3_result_int(context, differs(pattern->data(), text->data()) == 0);
}

using Call = void (*)(sqlite3_context*, int, sqlite3_value**);

// Whether the function may begin; otherwise the statement ends.
bool may_begin(sqlite3_context* context, const Watch& watch) {
  if (watch.is_over(watch.statement) == 0) return true;
  ::sqlite3_result_error_code(context, SQLITE_INTERRUPT);
  return false;
}

template <Call function>
void watched(sqlite3_context* context, int count, sqlite3_value** values) {
  if (may_begin(context, *static_cast<const Watch*>(::sqlite3_user_data(context))))
    function(context, count, values);
}

// SQLite's own function, in a database that has nothing in it.
class OwnFunction {
 public:
  OwnFunction(const char* sql, const Watch& watch) : sql_(sql), watch_(watch) {}

  static void call(sqlite3_context* context, int count, sqlite3_value** values) {
    auto& self = *static_cast<OwnFunction*>(::sqlite3_user_data(context));
    if (may_begin(context, self.watch_)) self.apply(context, count, values);
  }
  static void json_patch(sqlite3_context* context, int count, sqlite3_value** values) {
    // Each member of one text is looked for in the other.
    constexpr std::int64_t kMostWork = std::int64_t{1} << 32;
    if (std::int64_t{::sqlite3_value_bytes(values[0])} * ::sqlite3_value_bytes(values[1]) >
        kMostWork)
      return ::sqlite3_result_error(
          context, "json_patch: the texts are too long: 64 KiB each, or one longer and one shorter",
          -1);
    call(context, count, values);
    constexpr unsigned kJson = 'J';  // so that json_array() and the like take it as JSON
    ::sqlite3_result_subtype(context, kJson);
  }
  static void destroy(void* self) { delete static_cast<OwnFunction*>(self); }

 private:
  void apply(sqlite3_context* context, int count, sqlite3_value** values) {
    if (!function_ && !open(::sqlite3_context_db_handle(context)))
      return ::sqlite3_result_error(context, "no such function", -1);
    int code = SQLITE_OK;
    for (int i = 0; i < count && code == SQLITE_OK; ++i)
      code = ::sqlite3_bind_value(function_.get(), i + 1, values[i]);
    if (code == SQLITE_OK && ::sqlite3_step(function_.get()) == SQLITE_ROW) {
      ::sqlite3_result_value(context, ::sqlite3_column_value(function_.get(), 0));
    } else {
      ::sqlite3_result_error(context, ::sqlite3_errmsg(database_.get()), -1);
    }
    ::sqlite3_reset(function_.get());
    ::sqlite3_clear_bindings(function_.get());
  }

  bool open(sqlite3* asking) {
    sqlite3* opened = nullptr;
    const int code = ::sqlite3_open(":memory:", &opened);
    database_.reset(opened);
    if (code != SQLITE_OK) return false;
    constexpr int kPattern = SQLITE_LIMIT_LIKE_PATTERN_LENGTH;
    ::sqlite3_limit(opened, kPattern, ::sqlite3_limit(asking, kPattern, -1));
    sqlite3_stmt* made = nullptr;
    ::sqlite3_prepare_v2(opened, sql_, -1, &made, nullptr);
    function_.reset(made);
    return made != nullptr;
  }

  const char* sql_;
  const Watch& watch_;
  std::unique_ptr<sqlite3, CloseDatabase> database_;
  Statement function_;
};

struct Function {
  const char* name;
  int count;  // of arguments
  Call call;
};
constexpr Function kReplaced[] = {{"instr", 2, watched<instr>},
                                  {"replace", 3, watched<replace>},
                                  {"trim", 1, watched<trim<kBoth>>},
                                  {"trim", 2, watched<trim<kBoth>>},
                                  {"ltrim", 1, watched<trim<kLeft>>},
                                  {"ltrim", 2, watched<trim<kLeft>>},
                                  {"rtrim", 1, watched<trim<kRight>>},
                                  {"rtrim", 2, watched<trim<kRight>>},
                                  {"like", 2, watched<match<differs_like>>},
                                  {"glob", 2, watched<match<::sqlite3_strglob>>}};

struct Own {
  Function function;
  const char* sql;
};
constexpr Own kOwn[] = {{{"json_patch", 2, OwnFunction::json_patch}, "SELECT json_patch(?, ?)"},
                        {{"like", 3, OwnFunction::call}, "SELECT like(?, ?, ?)"}};  // with ESCAPE

int replace_one(sqlite3* database, const Function& function, void* data, void (*destroy)(void*)) {
  int flags = kFlags;
#ifdef SQLITE_RESULT_SUBTYPE
  flags |= SQLITE_RESULT_SUBTYPE;
#endif
  return ::sqlite3_create_function_v2(database, function.name, function.count, flags, data,
                                      function.call, nullptr, nullptr, destroy);
}

}  // namespace

int replace_slow_functions(sqlite3* database, const Watch& watch) {
  int code = SQLITE_OK;
  for (const Function& each : kReplaced) {
    if (code == SQLITE_OK) code = replace_one(database, each, const_cast<Watch*>(&watch), nullptr);
  }
  // SQLite destroys them, also where it fails.
  for (const Own& each : kOwn) {
    if (code == SQLITE_OK)
      code = replace_one(database, each.function, new OwnFunction(each.sql, watch),
                         OwnFunction::destroy);
  }
  return code;
}
